import type { Slips } from '../../slip.ts'

export const petSlips: Slips = {
  'src/shop/pets/operations.ts': [
    {
      before: `!id && !categoryId && !search && (`,
      after: `!id && !categoryId && (`,
      breaks: 'a search of 500 words runs on the thread that serves HTTP',
      tests: ['test/database/serving-thread-reads.test.ts'],
    },
  ],
  'src/shop/pets/rows.ts': [
    {
      before: `return padded(distinct(statuses), STATUS_SIZES)`,
      after: `return padded(statuses, STATUS_SIZES)`,
      breaks: 'a list lists each pet twice, or fails, if a status is named twice',
      tests: ['test/shop/lists.test.ts: a filter that names a value twice'],
    },
    {
      before: `return isIn('id', padded(distinct(ids), ID_SIZES))`,
      after: `return isIn('id', padded(ids.slice(0, 99), ID_SIZES))`,
      breaks: 'a list of a hundred pets by their ids omits the last one',
      tests: ['test/shop/lists.test.ts: a filter that names a value twice'],
    },
  ],
  'src/shop/pets/verbs.ts': [
    {
      before: `      if (quantity === 0n) throw refuse(RESTOCK)\n`,
      after: ``,
      breaks: 'the advice about a sold pet is to cancel an order',
      tests: ['test/shop/stock-rules.test.ts: a refused status change has a message'],
    },
    {
      before: `  if (from > to) await removeFromCategory(tx, from)\n`,
      after: ``,
      breaks: 'a category that lost its last pet to an older category can never be deleted',
      tests: ['test/shop/pets.test.ts: a category whose last pet moved'],
    },
    {
      before: `  if (from < to) await removeFromCategory(tx, from)\n`,
      after: ``,
      breaks: 'a category that lost its last pet to a newer category can never be deleted',
      tests: ['test/shop/pets.test.ts: a category whose last pet moved'],
    },
    {
      before: `'DELETE FROM pet WHERE id = $petId AND version = $version AND reserved = 0 RETURNING id'`,
      after: `'DELETE FROM pet WHERE id = $petId AND version >= $version AND reserved = 0 RETURNING id'`,
      breaks: 'a deletion closes the ledger with the stock of before a concurrent count',
      tests: ['test/shop/interleaved-commands.test.ts: a change of a pet, or its deletion'],
    },
    {
      before: `  await removeFromCategory(tx, before.categoryId)
  const deleted`,
      after: `  const deleted`,
      breaks: 'a category whose pets were deleted can never be deleted',
      tests: ['test/shop/stock-rules.test.ts: deleting a category that contains a pet is refused'],
    },
    {
      before: `quantityChange: -before.quantity,`,
      after: `quantityChange: before.quantity,`,
      breaks: 'the last movement of a deleted pet has the wrong sign',
      tests: ['test/shop/pets.test.ts: a deletion of a pet ends its ledger'],
    },
    {
      before: `totals: stockTotals(before.quantity > 0n ? deleted : before, undefined),`,
      after: `totals: stockTotals(before, undefined),`,
      breaks: 'the summary counts a deleted pet and its units down twice',
      tests: ['test/shop/pets.test.ts: a deletion of a pet ends its ledger'],
    },
    {
      before: `    await recordStockEvent(tx, context, deleted, before)\n`,
      after: ``,
      breaks: 'no event says that the stock of a deleted pet is 0',
      tests: ['test/shop/pets.test.ts: a deletion of a pet ends its ledger'],
    },
    {
      before: `aboutPet({ ...before, version: deleted.version })`,
      after: `aboutPet(before)`,
      breaks: 'the deletion of a pet has the version of the change before it in the audit log',
      tests: ['test/shop/audit-log.test.ts: each event of a resource has the next version'],
    },
    {
      before: `if (pet.status !== before.status) await recordStockEvent(tx, context, pet, before)`,
      after: `if (quantityChange !== 0n) await recordStockEvent(tx, context, pet, before)`,
      breaks: 'a hold of a pet sends no event about its stock, and the summary still counts it as available',
      tests: ['test/shop/summary.test.ts: orders, completions and cancellations change the summary'],
    },
    {
      before: `if (name === before.name && categoryId === before.categoryId && status === before.status)`,
      after: `if (name === before.name && status === before.status)`,
      breaks: 'a pet cannot be moved to another category without a new name',
      tests: ['test/shop/pets.test.ts: a category whose last pet moved'],
    },
    {
      before: `  WHERE id = $petId AND version = $version RETURNING \${petColumns}`,
      after: `  WHERE id = $petId AND version >= $version RETURNING \${petColumns}`,
      breaks: 'a change of a pet overwrites the stock that a concurrent count has set',
      tests: ['test/shop/interleaved-commands.test.ts: a change of a pet, or its deletion'],
    },
    {
      before: `      if (pet.status !== 'available') throw refuse('no unit is in stock; restock it first.')\n`,
      after: ``,
      breaks: 'a hold of a pet without stock is accepted and does nothing',
      tests: ['test/shop/stock-rules.test.ts'],
    },
    {
      before: `if (quantity === reserved) throw`,
      after: `if (quantity < reserved) throw`,
      breaks: 'a pet whose units are all reserved can be set to available, which does nothing',
      tests: ['test/shop/stock-rules.test.ts'],
    },
    {
      before: `return { quantity: 0n, reserved, onHold: false }`,
      after: `return { ...stock, quantity: 0n }`,
      breaks: 'a pet that was sold while it was on hold is on hold again after a restock',
      tests: ['test/shop/stock-rules.test.ts'],
    },
    {
      before: `  if (pet.quantity > 0n) {
    await recordMovement(tx, context, {
      pet,
      quantityChange: pet.quantity,`,
      after: `  if (pet.quantity > 1n) {
    await recordMovement(tx, context, {
      pet,
      quantityChange: pet.quantity,`,
      breaks: 'the ledger of a pet that is created with one unit has no first movement',
      tests: ['test/shop/orders.test.ts: the ledger lists every movement of a pet, in order'],
    },
    {
      before: `filters: { id, status, categoryId, name },`,
      after: `filters: { id, status, categoryId },`,
      breaks: 'a page of a search by name continues another search and skips pets',
      tests: ['test/shop/lists.test.ts: a paged list refuses a cursor'],
    },
    {
      before: `  return padded(distinct(categoryId)).flatMap(`,
      after: `  return padded(categoryId).flatMap(`,
      breaks: 'a list lists each pet twice if a category is named twice',
      tests: ['test/shop/lists.test.ts: a filter that names a value twice'],
    },
    {
      before: 'status = $status, version = version + 1, updated_at = $now',
      after: 'status = $status, version = version + 1, updated_at = coalesce(updated_at, $now)',
      breaks: 'the export of a renamed pet says that it was never changed',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
    {
      before: `  renameWords(tx, id, { to: name })
`,
      after: ``,
      breaks: 'a search never finds a new pet',
      tests: ['test/shop/search.test.ts: the words and the sort key of a pet follow its name'],
    },
    {
      before: `  if (name !== before.name) renameWords(tx, petId, { from: before.name, to: name })
`,
      after: ``,
      breaks: 'a search finds a renamed pet under its former name only',
      tests: ['test/shop/search.test.ts: the words and the sort key of a pet follow its name'],
    },
    {
      before: `  renameWords(tx, petId, { from: before.name })
`,
      after: ``,
      breaks: 'the words of deleted pets stay for ever, and each page of a search reads them',
      tests: ['test/shop/search.test.ts: the words and the sort key of a pet follow its name'],
    },
    {
      before: `    sortKey: sortKey(name),
    categoryId,`,
      after: `    sortKey: sortKey(before.name),
    categoryId,`,
      breaks: 'a renamed pet keeps its place in the list by name',
      tests: ['test/shop/search.test.ts: the words and the sort key of a pet follow its name'],
    },
    {
      before: `refuseBesideSearch(input, ['id', 'name', 'sort'])`,
      after: `refuseBesideSearch(input, ['name', 'sort'])`,
      breaks: 'a search ignores the ids of the request',
      tests: ['test/shop/search.test.ts: a search has at least two characters'],
    },
    {
      before: `(status?.includes(pet.status) ?? true) && (categoryId`,
      after: `(status?.[0] === undefined || status[0] === pet.status) && (categoryId`,
      breaks: 'a search takes only the first of several statuses',
      tests: ['test/shop/search.test.ts: a search goes with the filters'],
    },
  ],
  'src/shop/pets/words.ts': [
    {
      before: `if (!after.includes(word)) tx.write(deleteWord`,
      after: `tx.write(deleteWord`,
      breaks: 'a word that the old and the new name have is lost',
      tests: ['test/shop/search.test.ts: the words and the sort key of a pet follow its name'],
    },
    {
      before: `starts.every(start =>`,
      after: `starts.some(start =>`,
      breaks: 'a search finds pets with any of the words',
      tests: ['test/shop/search.test.ts: a search for'],
    },
    {
      before: `one === word || isBefore(word, one))`,
      after: `one !== '')`,
      breaks: 'a search lists a pet once for each of its words',
      tests: ['test/shop/search.test.ts: a search lists a pet once'],
    },
    {
      before: `other.length - one.length`,
      after: `one.length - other.length`,
      breaks: 'a search reads the range of the shortest word, which has the most pets',
      tests: ['test/shop/search.test.ts: a page of a search reads a bounded number of words'],
    },
    {
      before: `    left -= size
`,
      after: `    left = Math.max(1, left - size)
`,
      breaks: 'a search for words that no pet has together reads the whole table in one request',
      tests: ['test/shop/search.test.ts: a page of a search reads a bounded number of words'],
    },
    {
      before: `  return { items, next: after && writeCursor(cursors, after) }
}`,
      after: `  return { items }
}`,
      breaks: 'a search ends after 500 words, although more pets match',
      tests: ['test/shop/search.test.ts: a page of a search reads a bounded number of words'],
    },
  ],
}
