import { beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  checkFiles,
  type Findings,
  type ImportPlan,
  type ImportProgress,
  type ImportSources,
  type ImportTarget,
  importFiles,
  resumeImport,
} from '../../src/catalogue/importer.ts'
import { catalogueSource } from '../../src/cli/import/catalogue-source.ts'
import { runningTarget } from '../../src/cli/import/target.ts'
import { executeCommand } from '../../src/shop/registry/run.ts'
import { performWithoutLock } from '../controls/unlocked-category.ts'
import { everyItem } from '../support/client.ts'
import { testedEngines } from '../support/engines.ts'
import { ADMIN_KEY, onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

/** More pets than one group or one slice of an import can hold. */
const PETS = 620

const directory = testFolder()
beforeAll(() => {
  const rows = Array.from({ length: PETS }, (_, index) => `P${index},Dogs`)
  write('categories.csv', 'name\nDogs\nFish\n')
  write('pets.csv', `name,category\n${rows.join('\n')}\n`)
  // An import that waits for the other one longer than a lock may take begins again, and then finds all pets.
  write('few.csv', 'name,category\nP0,Dogs\nP1,Dogs\n')
  // P0 and P7 exist in Dogs; Rex, and P0 in Fish, are new. Lines 6 and 8 repeat an earlier line.
  write('barcodes.csv', 'name,category,EAN\nP0,Dogs,1\nRex,Dogs,2\nTom,Dogs,3\nBo,Dogs,2\nIda,Dogs,\n')
  write('same-names.csv', 'name,category\nAda,Dogs\nAda,Fish\nAda,Dogs\n')
  write('mixed.csv', 'name,category\nP0,Dogs\nP0,Fish\nRex,Dogs\nP7,Dogs\nRex,Dogs\nrex,Dogs\nP0,Fish\n')
})

function write(name: string, text: string): void {
  writeFileSync(join(directory, name), text)
}

const source = (name: string) => catalogueSource(join(directory, name))
const catalogue = (): ImportSources => ({ categories: source('categories.csv'), pets: source('pets.csv') })
const mixed = (): ImportSources => ({ pets: source('mixed.csv') })

/** Collects what an import found before it loaded anything. */
class Recorder implements ImportProgress {
  findings: Findings | undefined
  onBytes(): void {}
  onChecked({
    notices,
    problems,
    problemCount,
    missingCategoryCount,
    existing,
    existingCount,
  }: Findings): void {
    const pets = existing.map(({ line, name }) => ({ line, name }))
    this.findings = { notices, problems, problemCount, missingCategoryCount, existing: pets, existingCount }
  }
  onStaged(): void {}
  onProblems(): void {}
  onLoaded(): void {}
}

const skipping: ImportPlan = { keepGoing: false, onExisting: 'skip' }
const loading: ImportPlan = { keepGoing: false }

async function petNames(store: TestStore): Promise<string[]> {
  const names: string[] = []
  for await (const { name, categoryId } of everyItem(store.client.listPets, { limit: 100 }))
    names.push(`${name} in ${categoryId}`)
  return names
}

/** Returns how many pets have the name and the category of an earlier pet. */
async function countDuplicates(store: TestStore): Promise<number> {
  const names = await petNames(store)
  return names.length - new Set(names).size
}

async function storeWithPets(engine: 'sqlite' | 'postgres'): Promise<TestStore> {
  const store = await openTestStore(engine)
  await importFiles(runningTarget(store.base, ADMIN_KEY), catalogue(), loading, new Recorder())
  return store
}

/** Returns a target whose check finds no pet, as if the pets had been created between the check and the load. */
function withBlindCheck(target: ImportTarget): ImportTarget {
  return { ...target, findPets: async pets => pets.map(() => 0n) }
}

onEveryEngine(engine => {
  test('an import reports the pets whose names exist, and loads them as well', async () => {
    await using store = await storeWithPets(engine)
    const dry = new Recorder()
    const target = runningTarget(store.base, ADMIN_KEY)
    const checked = await checkFiles(target, mixed(), loading, dry)
    const real = new Recorder()
    const { outcome } = await importFiles(target, mixed(), loading, real)
    expect(real.findings).toEqual({
      problems: [],
      problemCount: 0,
      missingCategoryCount: 0,
      notices: [expect.stringContaining('each is a pet of its own: 6 ("Rex"), 8 ("P0")')],
      existing: [
        { line: 2n, name: 'P0' },
        { line: 5n, name: 'P7' },
      ],
      existingCount: 2,
    })
    expect([dry.findings, checked.outcome]).toEqual([real.findings, outcome])
    expect(outcome?.petsCreated).toBe(7n)
    expect(await countDuplicates(store)).toBe(4)
    const again = new Recorder()
    await importFiles(target, catalogue(), loading, again)
    expect(again.findings?.existingCount).toBe(PETS)
    expect(again.findings?.existing).toHaveLength(10)
  })

  test('an import that skips existing pets loads each name of a category once', async () => {
    await using store = await storeWithPets(engine)
    const target = (): ImportTarget => runningTarget(store.base, ADMIN_KEY)
    const dry = new Recorder()
    const checked = await checkFiles(target(), mixed(), skipping, dry)
    const first = new Recorder()
    const { outcome } = await importFiles(target(), mixed(), skipping, first)
    const counts = {
      categoriesCreated: 0n,
      categoriesFound: 0n,
      petsCreated: 3n,
      petsUpdated: 0n,
      petsSkipped: 4n,
    }
    expect([checked.outcome, outcome]).toEqual([counts, counts])
    expect(first.findings?.existing.map(({ line, name }) => `${line}: ${name}`)).toEqual([
      '2: P0',
      '5: P7',
      '6: Rex',
      '8: P0',
    ])
    expect(dry.findings).toEqual(first.findings)
    expect((await petNames(store)).slice(PETS).sort()).toEqual(['P0 in 2', 'Rex in 1', 'rex in 1'])
    const twoCategories = await importFiles(
      target(),
      { pets: source('same-names.csv') },
      skipping,
      new Recorder(),
    )
    expect(twoCategories.outcome).toMatchObject({ petsCreated: 2n, petsSkipped: 1n })
    const second = await importFiles(target(), mixed(), skipping, new Recorder())
    expect(second.outcome).toMatchObject({ petsCreated: 0n, petsSkipped: 7n })
    expect([await countDuplicates(store), await violatedInvariants(store)]).toEqual([0, []])
  })

  test('an import that skips existing pets also skips a pet that was created after the check', async () => {
    await using store = await storeWithPets(engine)
    const target = withBlindCheck(runningTarget(store.base, ADMIN_KEY))
    const { outcome } = await importFiles(target, catalogue(), skipping, new Recorder())
    expect(outcome).toMatchObject({ petsCreated: 0n, petsSkipped: BigInt(PETS) })
    expect([await countDuplicates(store), (await petNames(store)).length]).toEqual([0, PETS])
  })

  test('two concurrent imports that skip existing pets load each pet of the same file once', async () => {
    await using store = await openTestStore(engine)
    await store.client.createCategory({ body: { name: 'Dogs' } })
    const importOnce = () =>
      importFiles(
        withBlindCheck(runningTarget(store.base, ADMIN_KEY)),
        { pets: source('pets.csv') },
        skipping,
        new Recorder(),
      )
    const reports = await Promise.all([importOnce(), importOnce()])
    const created = reports.reduce((sum, { outcome }) => sum + (outcome?.petsCreated ?? 0n), 0n)
    expect([created, await countDuplicates(store)]).toEqual([BigInt(PETS), 0])
    expect(await violatedInvariants(store)).toEqual([])
  })

  test('an import names each line whose barcode a pet of the store or another line has', async () => {
    await using store = await storeWithPets(engine)
    const { client } = store
    const [first] = (await client.listPets({ limit: 1, sort: 'id' })).data.items
    await client.updatePet({ petId: first?.id ?? 0n, body: { barcode: '1' } })
    const sources = () => ({ pets: source('barcodes.csv') })
    const target = () => runningTarget(store.base, ADMIN_KEY)
    const inStore = 'the barcode 1 of "P0" is that of the pet "P0" in the store'
    const twice = 'the barcode 2 of "Bo" is that of line 3'
    const refused = await importFiles(target(), sources(), loading, new Recorder())
    expect(refused.outcome).toBeUndefined()
    expect(refused.problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([
      `2: ${inStore}`,
      `5: ${twice}`,
    ])
    // A pet that is left out keeps its barcode.
    const keeping = { ...skipping, keepGoing: true }
    const kept = await importFiles(target(), sources(), keeping, new Recorder())
    expect(kept.outcome).toMatchObject({ petsCreated: 3n, petsSkipped: 1n })
    expect(kept.problems.map(({ message }) => message)).toEqual([twice])
    expect(await importFiles(target(), sources(), keeping, new Recorder())).toMatchObject({
      outcome: { petsCreated: 0n },
      problemCount: 1,
    })
    const { data } = await client.listPets({ search: '3' })
    expect(data.items[0]).toMatchObject({ name: 'Tom', barcode: '3' })
    // The name of a line that is refused for its barcode is free.
    write('again.csv', 'name,category,EAN\nUma,Dogs,1\nUma,Dogs,4\n')
    const again = await importFiles(target(), { pets: source('again.csv') }, keeping, new Recorder())
    expect([again.outcome?.petsCreated, again.problems.map(({ line }) => line)]).toEqual([1n, [2n]])
    expect(await violatedInvariants(store)).toEqual([])
  })

  test('an import refuses a line whose barcode another pet got after the check', async () => {
    await using store = await storeWithPets(engine)
    await store.client.createPet({
      body: { name: 'Max', categoryId: 1n, barcode: '3' },
    })
    const target = () => ({
      ...runningTarget(store.base, ADMIN_KEY),
      findBarcodes: async (barcodes: readonly string[]) => barcodes.map(() => null),
    })
    const sources = () => ({ pets: source('barcodes.csv') })
    const message = 'the barcode 3 of "Tom" is that of the pet "Max" in the store'
    const rejected: string[] = []
    const onRejected: ImportPlan['onRejected'] = (_, { text }) => rejected.push(text)
    const plan = { ...loading, keepGoing: true, onRejected }
    const { outcome, problems } = await importFiles(target(), sources(), plan, new Recorder())
    expect(problems.at(-1)).toMatchObject({ file: 'pets', line: 4n, message })
    expect(rejected.at(-1)).toStartWith('Tom,')
    expect(outcome).toMatchObject({ petsCreated: 3n })
    expect(await violatedInvariants(store)).toEqual([])
  })

  test('a resumed import skips existing pets, as the interrupted import did', async () => {
    await using store = await storeWithPets(engine)
    const target = withBlindCheck(runningTarget(store.base, ADMIN_KEY))
    let slices = 0
    const broken: ImportTarget = {
      ...target,
      loadSlice: async (slice, key) => {
        if (slices++ === 2) throw new Error('the connection was lost')
        return target.loadSlice(slice, key)
      },
    }
    const failed = importFiles(broken, catalogue(), skipping, new Recorder())
    expect(await failed.catch(String)).toContain('lost')
    const report = await resumeImport(
      runningTarget(store.base, ADMIN_KEY, target.importId),
      {},
      new Recorder(),
    )
    expect(report?.outcome?.petsCreated).toBe(0n)
    expect([await countDuplicates(store), (await petNames(store)).length]).toEqual([0, PETS])
  })
})

/** Returns a function that waits until it has been called twice. */
function meeting(): () => Promise<void> {
  const both = Promise.withResolvers<void>()
  let waiting = 0
  return () => {
    if (++waiting === 2) both.resolve()
    return both.promise
  }
}

/** Wraps `execute` so that the first two commands that load an import begin at the same moment. */
function withSimultaneousLoads(execute: typeof executeCommand): typeof executeCommand {
  const meet = meeting()
  return async (tx, command) => {
    if (command.id === 'loadImportSlice') await meet()
    return execute(tx, command)
  }
}

/** Imports one file twice at the same time, and returns how many pets were loaded a second time. */
async function duplicatesOfTwoImports(execute: typeof executeCommand): Promise<number> {
  await using store = await openTestStore('postgres', {
    executeCommand: withSimultaneousLoads(execute),
    isolation: 'READ COMMITTED',
  })
  await store.client.createCategory({ body: { name: 'Dogs' } })
  const importOnce = () =>
    importFiles(
      withBlindCheck(runningTarget(store.base, ADMIN_KEY)),
      { pets: source('few.csv') },
      skipping,
      new Recorder(),
    )
  await Promise.all([importOnce(), importOnce()])
  return await countDuplicates(store)
}

describe.skipIf(!testedEngines.includes('postgres'))('imports that begin to load at the same moment', () => {
  test('two imports that skip existing pets load each pet once', async () => {
    expect(await duplicatesOfTwoImports(executeCommand)).toBe(0)
  })

  test('control: without a lock on the category, two imports load a pet twice', async () => {
    // Both look for the first pet before either creates it. One that is refused and repeated finds it.
    let duplicates = 0
    for (let round = 0; round < 5 && duplicates === 0; round++)
      duplicates = await duplicatesOfTwoImports(performWithoutLock(meeting()))
    expect(duplicates).toBeGreaterThan(0)
  })
})
