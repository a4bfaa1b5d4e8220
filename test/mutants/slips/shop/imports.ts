import type { Slips } from '../../slip.ts'

export const importSlips: Slips = {
  'src/shop/imports/verbs.ts': [
    {
      before: `isLast = file === 'pets' && BigInt(pets.length) < body.rows`,
      after: `isLast = file === 'pets' && BigInt(pets.length) <= body.rows`,
      breaks: 'an import in slices ends after the first slice and deletes the rest',
      tests: [
        'test/cli/import-slices.test.ts: an import in slices loads every row, and other commands run between the slices',
      ],
    },
    {
      before: `new PetLoader(tx, context, names, readBoolean(complete.hold))`,
      after: `new PetLoader(tx, context, names, body.skipExisting === true)`,
      breaks: 'a resumed import loads pets that the interrupted import was told to skip',
      tests: [
        'test/cli/import-existing.test.ts: a resumed import skips existing pets, as the interrupted import did',
      ],
    },
    {
      before: `(await this.#lock(categoryId))`,
      after: `0n`,
      breaks: 'two concurrent imports that skip existing pets load each pet twice',
      tests: ['test/cli/import-existing.test.ts: two imports that skip existing'],
    },
    {
      before: `this.#created.set(categoryId, created + 1n)`,
      after: `this.#created.set(categoryId, 1n)`,
      breaks: 'the pet count of a category counts one pet of an import',
      tests: ['test/cli/import-existing.test.ts'],
    },
    {
      before: `    await pets.count()\n`,
      after: ``,
      breaks: 'the pet counts of categories lack the pets of an import',
      tests: ['test/cli/import-existing.test.ts'],
    },
    {
      before: `onHold: hold && quantity > 0n }`,
      after: `onHold: hold }`,
      breaks: 'a pet that is imported on hold without stock is on hold after its first restock',
      tests: ['test/shop/imports.test.ts: a pet that is imported on hold'],
    },
    {
      before: `    const last = rows.at(-1)
    if (!last) return
    after = last.line`,
      after: `    const last = rows.at(-1)
    if (!last) return
    after = last.line + 1n`,
      breaks: 'an import of more than 1,000 rows loads all but one of each thousand',
      tests: ['test/shop/imports.test.ts: an import of more than a thousand rows'],
    },
    {
      before: `if (first?.importId === importId && first.at === DISCARDED) await tx.run(deleteStaged, { importId })\n`,
      after: ``,
      breaks: 'a discarded import is loaded',
      tests: [
        'test/serving/sweeping.test.ts: rows of a discarded import are deleted by the sweep, and cannot be loaded',
      ],
    },
    {
      before: `    if (known === 'new') problems.push(problem('categories', row, occursTwice(row.name)))
    else if (known === 'several')`,
      after: `    if (known === 'several')`,
      breaks: 'an import creates nothing for a category that occurs twice, and reports no problem',
      tests: ['test/shop/imports.test.ts: a category that occurs twice'],
    },
    {
      before: `    if (next.at < before) return tx.run(sweepImport, { importId: next.importId })
    after = next.importId`,
      after: `    if (next.at < before) return tx.run(sweepImport, { importId: next.importId })
    return 0`,
      breaks:
        'the rows of an interrupted import stay in the database for as long as an older import is in progress',
      tests: ['test/shop/imports.test.ts: a sweep finds the rows'],
    },
    {
      before: `ORDER BY file DESC, line DESC LIMIT`,
      after: `ORDER BY file, line LIMIT`,
      breaks: 'a sweep of a discarded import deletes its mark first, and the other rows can be loaded',
      tests: ['test/shop/imports.test.ts: a sweep of an interrupted import'],
    },
    {
      before: `SELECT id FROM pet WHERE category_id = $categoryId AND status IN ('available', 'pending', 'sold')`,
      after: `SELECT id FROM pet WHERE category_id = $categoryId AND status IN ('available', 'pending')`,
      breaks: 'an import that skips existing pets loads a pet that is sold out a second time',
      tests: ['test/shop/imports.test.ts: skips a pet in every status, in each Unicode form'],
    },
    {
      before: `DISTINCT name FROM pet WHERE category_id = $categoryId AND status IN ('available', 'pending', 'sold')`,
      after: `DISTINCT name FROM pet WHERE category_id = $categoryId AND status IN ('available', 'pending')`,
      breaks:
        'an import that skips existing pets loads a pet again that is sold out and has another Unicode form',
      tests: ['test/shop/imports.test.ts: skips a pet in every status, in each Unicode form'],
    },
    {
      before: `STAGED_KEPT_MS = 24 * 3_600_000`,
      after: `STAGED_KEPT_MS = 24 * 60_000`,
      breaks: 'an import that was interrupted half an hour ago cannot be resumed',
      tests: ['test/shop/imports.test.ts: the rows of an interrupted import are kept for a day'],
    },
    {
      before: `ORDER BY CASE WHEN name = $name THEN 0 ELSE 1 END, id LIMIT`,
      after: `ORDER BY id LIMIT`,
      breaks: 'a category is not found by its exact name if more than 20 others differ from it in case',
      tests: ['test/shop/imports.test.ts: a category is found by its exact name'],
    },
    {
      before: `  if (hasOneForm(name)) return false\n`,
      after: `  return false\n`,
      breaks: 'a pet whose name is written in another Unicode form is imported twice',
      tests: ['test/shop/imports.test.ts: an import that skips existing pets'],
    },
    {
      before: `.filter(other => other.name !== name)`,
      after: ``,
      breaks: 'an import of pets into a new category with the same import finds the category twice',
      tests: [
        'test/cli/import.test.ts: an import loads categories and pets into a new store, and a second import adds to that store while it is stopped',
      ],
    },
    {
      before: `if (ifMatch !== undefined) throw importHasNoEtag()`,
      after: ``,
      breaks: 'a condition on the deletion of an import is ignored',
      tests: ['test/http/conditions.test.ts: an import has no ETag, so its deletion'],
    },
    {
      before: `await addPet(this.#tx, this.#context, { name, categoryId, stock, reorderAt })`,
      after: `await addPet(this.#tx, this.#context, { name, categoryId, stock })`,
      breaks: 'an import loses the level at which to reorder a pet',
      tests: ['test/cli/export.test.ts: exported pets and categories can be imported'],
    },
  ],
}
