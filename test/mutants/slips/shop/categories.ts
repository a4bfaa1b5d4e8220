import type { Slips } from '../../slip.ts'

const CURSORS = 'test/shop/cursors.test.ts'

export const categorySlips: Slips = {
  'src/shop/categories/verbs.ts': [
    {
      before: `filters: { name }`,
      after: `filters: {}`,
      breaks: 'a cursor of a search for categories continues the search for another name',
      tests: [`${CURSORS}: continues only the same list`],
    },
    {
      before: `WHERE id = $categoryId AND version = $version AND pet_count = 0`,
      after: `WHERE id = $categoryId AND pet_count = 0 AND version >= $version`,
      breaks: 'a deletion with If-Match deletes a category that was changed meanwhile',
      tests: ['test/shop/interleaved-commands.test.ts: a deletion of a category sees'],
    },
    {
      before: `version = $version AND pet_count = 0`,
      after: `version = $version AND pet_count <= 1`,
      breaks: 'a category that contains a pet is deleted',
      tests: ['test/shop/stock-rules.test.ts: deleting a category that contains a pet is refused'],
    },
    {
      before: `    if (current.version !== version) throw new Stale(\`category \${categoryId}\`)\n`,
      after: ``,
      breaks: 'the deletion of an empty category is refused because its name is changed meanwhile',
      tests: ['test/shop/interleaved-commands.test.ts: a deletion of a category sees'],
    },
    {
      before: `body.description === undefined ? before.description : body.description`,
      after: `body.description ?? before.description`,
      breaks: 'the description of a category cannot be removed',
      tests: [
        'test/http/validation.test.ts: a merge patch is validated by its result, so null for a required member is refused',
      ],
    },
    {
      before: `if (name === before.name && description === before.description) return categoryOf(before)`,
      after: `if (name === before.name) return categoryOf(before)`,
      breaks: 'a change of only the description of a category is lost',
      tests: [
        'test/http/validation.test.ts: a merge patch is validated by its result, so null for a required member is refused',
      ],
    },
    {
      before: `    name,
    nameKey: nameKey(name),
    sortKey: sortKey(name),
    description,
    now: context.now,
  })
  if (!row) throw new Stale`,
      after: `    name,
    nameKey: nameKey(before.name),
    sortKey: sortKey(name),
    description,
    now: context.now,
  })
  if (!row) throw new Stale`,
      breaks: 'a renamed category is found under its former name only',
      tests: ['test/shop/lists.test.ts: a renamed pet or category'],
    },
    {
      before: `version: removed.version + 1n }`,
      after: `version: removed.version }`,
      breaks: 'the deletion of a category has the version of the change before it in the audit log',
      tests: ['test/shop/audit-log.test.ts: each event of a resource has the next version'],
    },
    {
      before: `  return (await tx.run(countPetsIn, { categoryId, pets })) === 1`,
      after: `  return (await tx.run(countPetsIn, { categoryId, pets })) <= 1`,
      breaks: 'a pet is created in a category that does not exist',
      tests: [
        'test/shop/pets.test.ts: a pet in a category that does not exist is refused, and the message names the category',
      ],
    },
    {
      before: 'version = version + 1, updated_at = $now',
      after: `version = version + 1,
    updated_at = coalesce(updated_at, $now)`,
      breaks: 'the export of a changed category says that it was never changed',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
    {
      before: `    sortKey: sortKey(name),
    description,
    now`,
      after: `    sortKey: sortKey(before.name),
    description,
    now`,
      breaks: 'a renamed category keeps its place in the list by name',
      tests: ['test/shop/search.test.ts: the words and the sort key of a pet follow its name'],
    },
  ],
}
