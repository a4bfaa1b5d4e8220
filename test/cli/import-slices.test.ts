import { beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UnreadableFile } from '../../src/catalogue/file-text.ts'
import {
  type ImportProgress,
  type ImportReport,
  type ImportSources,
  type ImportTarget,
  importFiles,
  resumeImport,
} from '../../src/catalogue/importer.ts'
import { catalogueSource } from '../../src/cli/import/catalogue-source.ts'
import { runningTarget } from '../../src/cli/import/target.ts'
import { sweep } from '../../src/serving/sweeping.ts'
import { IMPORT_ROWS_MAX } from '../../src/shop/imports/limits.ts'
import { DESCRIPTION_CHARS_MAX } from '../../src/shop/kernel/limits.ts'
import type { Log } from '../../src/values/log.ts'
import { withoutTakeBackHint } from '../support/command-line.ts'
import { run, startProcess } from '../support/process.ts'
import { makePet } from '../support/shop.ts'
import { ADMIN_KEY, onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

const PETS = 1200

const directory = testFolder()
beforeAll(() => {
  write('categories.csv', 'name\nDogs\nFish\n')
  write(
    'pets.csv',
    `name,category,quantity\n${Array.from({ length: PETS }, (_, i) => `P${i},Dogs,${i % 3}`).join('\n')}\n`,
  )
  write('wrong.csv', 'name,category\nRex,Cats\nIda,Dogs\n,Dogs\nTom,Cats\n')
  write('twice.csv', 'name\nDogs\nDogs\n')
})

function write(name: string, text: string): void {
  writeFileSync(join(directory, name), text)
}

const path = (name: string): string => join(directory, name)
const source = (name: string) => catalogueSource(path(name))
const files = (): ImportSources => ({ categories: source('categories.csv'), pets: source('pets.csv') })
const quiet: Log = { access: () => {}, info: () => {}, error: () => {} }
const silent: ImportProgress = {
  onBytes: () => {},
  onChecked: () => {},
  onStaged: () => {},
  onProblems: () => {},
  onLoaded: () => {},
}

function textsOf({ problems }: ImportReport): string[] {
  return problems.map(({ file, line, message }) => `${file}:${line}: ${message}`)
}

async function countRows(store: TestStore, table: 'pet' | 'category' | 'staged_row'): Promise<number> {
  const [row] = await store.database(`SELECT count(*) AS number FROM ${table}`)
  return Number(row?.number)
}

/** Returns a target that loses its connection after some slices: before the next slice is sent, or after its commit. */
function losingConnection(target: ImportTarget, slices: number, when: 'before' | 'after'): ImportTarget {
  let loaded = 0
  return {
    ...target,
    loadSlice: async (slice, key) => {
      if (loaded++ < slices) return target.loadSlice(slice, key)
      if (when === 'after') await target.loadSlice(slice, key)
      throw new Error('the connection was lost')
    },
  }
}

onEveryEngine(engine => {
  test('an import loads every row, and other commands run between the slices', async () => {
    await using store = await openTestStore(engine)
    const { petId } = await makePet(store.client, { quantity: 1000n })
    let loaded = 0
    let ordersBetween = 0
    const target = runningTarget(store.base, ADMIN_KEY)
    const ordering: ImportTarget = {
      ...target,
      loadSlice: async (slice, key) => {
        const outcome = await target.loadSlice(slice, key)
        await store.client.placeOrder({ body: { petId } })
        ordersBetween++
        return outcome
      },
    }
    const onLoaded = (count: number): void => {
      loaded += count
    }
    const progress = { ...silent, onLoaded }
    const { outcome, problems } = await importFiles(ordering, files(), { keepGoing: false }, progress)
    expect(problems).toEqual([])
    expect(outcome).toEqual({
      categoriesCreated: 2n,
      categoriesFound: 0n,
      petsCreated: BigInt(PETS),
      petsUpdated: 0n,
      petsSkipped: 0n,
    })
    expect([loaded, await countRows(store, 'pet')]).toEqual([PETS + 2, PETS + 1])
    expect(ordersBetween).toBeGreaterThan(3)
    expect(await countRows(store, 'staged_row')).toBe(0)
    expect(await violatedInvariants(store)).toEqual([])
  })

  for (const when of ['before', 'after'] as const) {
    test(`a resumed import loads every row once after an interruption ${when} the commit of a slice`, async () => {
      await using store = await openTestStore(engine)
      const target = runningTarget(store.base, ADMIN_KEY)
      const broken = losingConnection(target, 3, when)
      expect(await importFiles(broken, files(), { keepGoing: false }, silent).catch(String)).toContain('lost')
      const loaded = await countRows(store, 'pet')
      expect(loaded > 0 && loaded < PETS).toBe(true)
      const report = await resumeImport(runningTarget(store.base, ADMIN_KEY, target.importId), {}, silent)
      expect(report?.outcome?.petsCreated).toBe(BigInt(PETS - loaded))
      const names = await store.database('SELECT count(DISTINCT name) AS number FROM pet')
      expect([Number(names[0]?.number), await countRows(store, 'pet')]).toEqual([PETS, PETS])
      expect(await resumeImport(target, {}, silent)).toBeUndefined()
      expect(await violatedInvariants(store)).toEqual([])
    })
  }

  test('the next sweep deletes the rows of an import that was refused or could not read its files', async () => {
    await using store = await openTestStore(engine)
    const groups = `name,category\n${'Rex,Dogs\n'.repeat(IMPORT_ROWS_MAX)}`
    const cut = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(groups)
      throw new UnreadableFile('pets.csv changed while it was read.')
    }
    let staged = 0
    const importPets = (chunks: () => AsyncGenerator<Uint8Array>) => {
      const target = runningTarget(store.base, ADMIN_KEY)
      const stage: ImportTarget['stage'] = async rows => {
        await target.stage(rows)
        staged = Math.max(staged, await countRows(store, 'staged_row'))
      }
      const sources = { categories: source('categories.csv'), pets: { name: 'pets.csv', chunks } }
      return importFiles({ ...target, stage }, sources, { keepGoing: false }, silent)
    }
    expect(await importPets(cut).catch(String)).toContain('changed while it was read')
    const sweepNow = () =>
      sweep({ engine: store.engine, log: quiet, clock: Date.now, eventRetention: 'forever' })
    await sweepNow()
    expect([staged, await countRows(store, 'staged_row')]).toEqual([IMPORT_ROWS_MAX + 2, 0])
    const refused = await importPets(async function* () {
      yield Buffer.from(`${groups},Dogs\n`)
    })
    await sweepNow()
    expect([refused.outcome, await countRows(store, 'staged_row')]).toEqual([undefined, 0])
  })

  test('rows whose category was deleted after their check are reported, and the others are loaded', async () => {
    await using store = await openTestStore(engine)
    const { data: fish } = await store.client.createCategory({ body: { name: 'Cats' } })
    const target = runningTarget(store.base, ADMIN_KEY)
    let loads = 0
    const loadSlice: ImportTarget['loadSlice'] = async (slice, key) => {
      if (loads++ === 0) await store.client.deleteCategory({ categoryId: fish.id })
      return target.loadSlice(slice, key)
    }
    const sources = { categories: source('categories.csv'), pets: source('wrong.csv') }
    const report = await importFiles({ ...target, loadSlice }, sources, { keepGoing: true }, silent)
    expect(textsOf(report)).toEqual([
      'pets:4: name is empty',
      'pets:2: there is no category "Cats"',
      'pets:5: there is no category "Cats"',
    ])
    expect([report.problemCount, report.outcome?.petsCreated]).toEqual([3, 1n])
  })

  test('categories with the longest descriptions are staged in requests that a running store accepts', async () => {
    await using store = await openTestStore(engine)
    const longest = '\u{1f415}'.repeat(DESCRIPTION_CHARS_MAX)
    write(
      'long.csv',
      `name,description\n${Array.from({ length: 140 }, (_, i) => `C${i},${longest}\n`).join('')}`,
    )
    const target = runningTarget(store.base, ADMIN_KEY)
    const { outcome } = await importFiles(
      target,
      { categories: source('long.csv') },
      { keepGoing: false },
      silent,
    )
    expect(outcome?.categoriesCreated).toBe(140n)
  })

  test('a file can have two categories that differ in case, and a pet finds each by its exact name', async () => {
    await using store = await openTestStore(engine)
    write('case.csv', 'name\nDogs\ndogs\n')
    write('case-pets.csv', 'name,category\nRex,Dogs\nMax,dogs\n')
    const sources = { categories: source('case.csv'), pets: source('case-pets.csv') }
    const target = runningTarget(store.base, ADMIN_KEY)
    const { outcome } = await importFiles(target, sources, { keepGoing: false }, silent)
    expect([outcome?.categoriesCreated, outcome?.petsCreated]).toEqual([2n, 2n])
    expect(await store.database('SELECT name, pet_count FROM category ORDER BY id')).toEqual([
      { name: 'Dogs', pet_count: 1n },
      { name: 'dogs', pet_count: 1n },
    ])
  })

  test('an import with an invalid line loads nothing; with keepGoing, it loads the valid lines', async () => {
    await using store = await openTestStore(engine)
    const target = () => runningTarget(store.base, ADMIN_KEY)
    const wrong = { categories: source('twice.csv'), pets: source('wrong.csv') }
    const refused = await importFiles(target(), wrong, { keepGoing: false }, silent)
    const problems = [
      'categories:3: the category "Dogs" occurs twice',
      'pets:2: there is no category "Cats"',
      'pets:4: name is empty',
      'pets:5: there is no category "Cats"',
    ]
    expect([refused.outcome, textsOf(refused), refused.problemCount]).toEqual([undefined, problems, 4])
    expect([await countRows(store, 'pet'), await countRows(store, 'category')]).toEqual([0, 0])
    const kept = await importFiles(target(), wrong, { keepGoing: true }, silent)
    expect(kept.outcome).toEqual({
      categoriesCreated: 1n,
      categoriesFound: 0n,
      petsCreated: 1n,
      petsUpdated: 0n,
      petsSkipped: 0n,
    })
    expect(textsOf(kept)).toEqual(problems)
  })

  test('an import reports that another process has taken over the loading of its rows', async () => {
    await using store = await openTestStore(engine)
    const target = runningTarget(store.base, ADMIN_KEY)
    let slices = 0
    const overtaken: ImportTarget = {
      ...target,
      loadSlice: async (slice, key) => {
        if (slices++ === 2) await resumeImport(target, {}, silent)
        return target.loadSlice(slice, key)
      },
    }
    const report = await importFiles(overtaken, files(), { keepGoing: false }, silent)
    expect(report.isTakenOver).toBe(true)
    expect(Number(report.outcome?.petsCreated)).toBeLessThan(PETS)
    expect(await countRows(store, 'pet')).toBe(PETS)
  })

  test('an import that was interrupted before all rows were staged cannot be resumed', async () => {
    await using store = await openTestStore(engine)
    const target = runningTarget(store.base, ADMIN_KEY)
    await target.stage({ categories: [{ line: 2n, name: 'Dogs' }], pets: [] })
    expect(await resumeImport(target, {}, silent)).toBeUndefined()
    expect(await countRows(store, 'category')).toBe(0)
  })
})

test('an import prints how to continue, and --resume refuses a complete import and a wrong id', async () => {
  const data = path('data')
  const env = { PETSTORE_ADMIN_KEY: ADMIN_KEY }
  await using _ = await startProcess(['serve', '--port', '0', '--no-demo', '--data', data], env)
  const [categories, pets] = [path('categories.csv'), path('pets.csv')]
  const args = ['import', '--data', data]
  const loaded = await run([...args, '--categories', categories, '--pets', pets], env)
  expect(withoutTakeBackHint(loaded.errors).split('\n')).toEqual([
    expect.stringMatching(/^Importing categories\.csv /),
    expect.stringMatching(/^Loading 1202 rows\. If this is interrupted, continue with --resume \d+$/),
    'Loaded 2 categories and 1200 pets.',
    '',
  ])
  const id = /--resume (\d+)/.exec(loaded.errors)?.[1] ?? ''
  const again = await run([...args, '--resume', id], env)
  expect([again.exitCode, again.errors.trim().split('\n').at(-1)]).toEqual([
    1,
    `The store has no import ${id} to resume: it is complete, it was not started, or it is older than a day.`,
  ])
  const nonsense = await run([...args, '--resume', 'x'], env)
  expect([nonsense.exitCode, nonsense.errors.trim()]).toEqual([
    2,
    '--resume takes the number that the import printed, not x.',
  ])
})

test('a resumed import says that the other lines were loaded if one of its lines is invalid', async () => {
  const data = path('resumed')
  const env = { PETSTORE_ADMIN_KEY: ADMIN_KEY }
  await using server = await startProcess(['serve', '--port', '0', '--no-demo', '--data', data], env)
  const target = runningTarget(server.base, ADMIN_KEY)
  const pet = (line: bigint, category: string) => ({
    line,
    name: 'Rex',
    category,
    quantity: 1n,
    hold: false,
  })
  await target.stage({ categories: [{ line: 2n, name: 'Dogs' }], pets: [pet(2n, 'Dogs'), pet(3n, 'Cats')] })
  await target.loadSlice({ rows: 1n, begins: true, onExisting: 'load' }, 'first')
  const { exitCode, errors } = await run(['import', '--data', data, '--resume', `${target.importId}`], env)
  expect([exitCode, withoutTakeBackHint(errors).trim().split('\n').slice(-2)]).toEqual([
    1,
    ['Loaded 0 categories and 1 pet.', '1 line is invalid; the others were loaded.'],
  ])
})
