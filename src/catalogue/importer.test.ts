import { expect, test } from 'bun:test'
import { absentTarget } from '../cli/import/target.ts'
import { checkFiles, type Findings, type ImportTarget, importFiles, resumeImport } from './importer.ts'

const ignore = (): void => {}
const progress = {
  onBytes: ignore,
  onChecked: ignore,
  onStaged: ignore,
  onProblems: ignore,
  onLoaded: ignore,
}

test('an import counts every problem that the store reports, but keeps only the first thousand', async () => {
  const problems = Array.from({ length: 600 }, (_, index) => ({
    file: 'pets' as const,
    line: BigInt(index + 2),
    message: 'there is no category "Cats"',
  }))
  let slices = 0
  const target: ImportTarget = {
    ...absentTarget('EUR'),
    loadSlice: async () => ({
      categoriesCreated: 0n,
      categoriesFound: 0n,
      petsCreated: 1n,
      petsUpdated: 0n,
      petsSkipped: 0n,
      problems,
      isKnown: true,
      isLast: ++slices === 2,
    }),
  }
  const report = await resumeImport(target, {}, progress)
  expect(report?.outcome?.petsCreated).toBe(2n)
  expect([report?.problemCount, report?.problems.length]).toEqual([1200, 1000])
})

test('an import says that refused lines are not among the rejected ones if their file is gone', async () => {
  let reads = 0
  const categories = {
    name: 'categories.csv',
    chunks: async function* () {
      if (++reads > 1) throw new Error('it is gone')
      yield Buffer.from('name\nDogs\n')
    },
  }
  const target: ImportTarget = {
    ...absentTarget('EUR'),
    stage: async () => {},
    loadSlice: async () => ({
      ...{ categoriesCreated: 0n, categoriesFound: 0n, petsCreated: 0n, petsUpdated: 0n, petsSkipped: 0n },
      problems: [{ file: 'categories', line: 2n, message: 'its name is taken' }],
      isKnown: true,
      isLast: true,
    }),
  }
  const plan = { keepGoing: true, onRejected: ignore }
  expect(await importFiles(target, { categories }, plan, progress)).toMatchObject({
    problemCount: 1,
    rejectsFailure: new Error('it is gone'),
  })
})

test('a missing category counts once, however the pets write its name', async () => {
  const lines = [
    'name,category',
    'Rex,Dogs',
    'Ida,dogs',
    'Bo,DOGS',
    'Tom,Caf\u00e9s',
    'Eva,Cafe\u0301s',
    'Max,Cats',
  ]
  const pets = {
    name: 'pets.csv',
    chunks: async function* () {
      yield Buffer.from(`${lines.join('\n')}\n`)
    },
  }
  let counts: number[] = []
  const onChecked = ({ problemCount, missingCategoryCount }: Findings): void => {
    counts = [problemCount, missingCategoryCount]
  }
  await checkFiles(absentTarget('EUR'), { pets }, { keepGoing: false }, { ...progress, onChecked })
  expect(counts).toEqual([6, 3])
})

test('a pet that an earlier line names is loaded with a note, or left out', async () => {
  const pets = {
    name: 'pets.csv',
    chunks: async function* () {
      yield Buffer.from('name,category\nRex,Dogs\nMax,Dogs\nRex,Dogs\n')
    },
  }
  const target = {
    ...absentTarget('EUR'),
    findCategories: async () => ({ matches: [{ categories: ['Dogs'] }] }).matches,
  }
  const store = { ...target, findPets: async () => [0n, 0n, 0n] }
  for (const onExisting of ['load', 'skip'] as const) {
    let notices: readonly string[] = []
    const onChecked = (findings: Findings): void => {
      notices = findings.notices
    }
    const { outcome } = await checkFiles(
      store,
      { pets },
      { keepGoing: false, onExisting },
      { ...progress, onChecked },
    )
    expect([notices, outcome?.petsCreated]).toEqual(
      onExisting === 'skip'
        ? [[], 2n]
        : [[expect.stringContaining('1 line repeats the name and category')], 3n],
    )
  }
})
