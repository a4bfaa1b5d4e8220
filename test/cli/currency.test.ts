import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeClient } from '../support/client.ts'
import { run } from '../support/process.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'

const TIMEOUT_MS = 120_000
/** Starts a store with a setting of the currency, runs `use` with its base URL, and stops it. */
async function withStore<T>(
  store: StoreDirectory,
  currency: string | undefined,
  use: (base: string) => Promise<T>,
): Promise<T> {
  await using server = await store.startWith({
    ...store.env,
    ...(currency && { PETSTORE_CURRENCY: currency }),
  })
  return await use(server.base)
}

/** Returns the currency that the API names, and that of the console. */
async function currenciesAt(base: string): Promise<(string | undefined)[]> {
  const { data } = await makeClient({ base, key: ADMIN_KEY }).getStoreSummary({})
  const page = await (await fetch(`${base}/console`, { headers: { Accept: 'text/html' } })).text()
  return [data.currency, /petstore-currency" content="([A-Z]*)"/.exec(page)?.[1]]
}

test(
  'an import records the currency, prices are read and exported in it, and an order with a price binds it',
  async () => {
    await using store = await newStoreDirectory('sqlite')
    const place = ['--data', store.directory]
    const file = join(store.directory, 'pets.csv')
    const load = (text: string, ...options: string[]) => {
      writeFileSync(file, text)
      return run(['import', '--pets', file, '--create-categories', ...options, ...place], {
        ...store.env,
        PETSTORE_CURRENCY: 'kwd',
      })
    }
    const wrong = await load('name,category,price\nRex,Dogs,1.2505\n')
    expect([wrong.exitCode, wrong.errors]).toEqual([1, expect.stringContaining('must be an amount of KWD')])
    const rows = 'name,category,price\nRex,Dogs,"KWD 1,250"\nIda,Dogs,\n'
    const unclear = await load(rows)
    expect([unclear.exitCode, unclear.errors]).toEqual([1, expect.stringContaining('--decimal-mark')])
    expect((await load(rows, '--decimal-mark', 'comma')).exitCode).toBe(0)
    const exported = await run(['export', 'pets', '--columns', 'name,price', ...place], store.env)
    expect(exported.output).toBe('name,price\nRex,1.250\nIda,\n')

    expect(await withStore(store, undefined, currenciesAt)).toEqual(['KWD', 'KWD'])
    expect(await withStore(store, 'JPY', currenciesAt)).toEqual(['JPY', 'JPY'])
    // A dry run reads prices in the other currency, as the import would, and records nothing.
    expect((await load('name,category,price\nMia,Dogs,1.500\nMax,Dogs,0.500\n', '--dry-run')).exitCode).toBe(
      0,
    )
    expect(await withStore(store, undefined, currenciesAt)).toEqual(['JPY', 'JPY'])
    await withStore(store, undefined, async base => {
      const client = makeClient({ base, key: ADMIN_KEY })
      expect((await client.placeOrder({ body: { petId: 1n } })).data.unitPrice).toBe(1250n)
    })
    const other = await load('name,category,price\nMia,Dogs,1.250\n')
    expect([other.exitCode, other.errors]).toEqual([1, expect.stringContaining('with prices in JPY.')])
    const refused = await run(['serve', '--port', '0', ...store.args], {
      ...store.env,
      PETSTORE_CURRENCY: 'EUR',
    })
    expect([refused.exitCode, refused.errors]).toEqual([
      1,
      expect.stringContaining('PETSTORE_CURRENCY=EUR: this store has orders with prices in JPY.'),
    ])
    expect(await withStore(store, 'JPY', currenciesAt)).toEqual(['JPY', 'JPY'])
    const orders = await run(
      ['export', 'orders', '--columns', 'petName,unitPrice,currency', ...place],
      store.env,
    )
    expect(orders.output).toBe('petName,unitPrice,currency\nRex,1250,JPY\n')
    const reset = await run(['reset', '--empty', '--yes', ...place], store.env)
    expect([reset.exitCode, await withStore(store, undefined, currenciesAt)]).toEqual([0, ['JPY', 'JPY']])
    expect(await withStore(store, 'USD', currenciesAt)).toEqual(['USD', 'USD'])
  },
  TIMEOUT_MS,
)

test('an import asks for the decimal mark if no price shows it, and takes the answer', async () => {
  await using store = await newStoreDirectory('sqlite')
  const file = join(store.directory, 'pets.csv')
  writeFileSync(file, 'name,category,price\nRex,Dogs,1.250\n')
  const load = (...options: string[]) =>
    run(['import', '--pets', file, '--create-categories', '--data', store.directory, ...options], store.env)
  const asked = await load()
  expect([asked.exitCode, asked.errors]).toEqual([
    1,
    expect.stringContaining('pets.csv:2: price "1.250" may be read in two ways: say which mark'),
  ])
  expect(asked.errors).toContain('Say --decimal-mark point (12.50) or --decimal-mark comma (12,50).')
  expect((await load('--decimal-mark', 'comma')).exitCode).toBe(0)
  const prices = await run(['export', 'pets', '--columns', 'price', '--data', store.directory], store.env)
  expect(prices.output).toBe('price\n1250.00\n')
})

test('a currency that does not exist is refused with an example', async () => {
  const { exitCode, errors } = await run(['serve', '--port', '0'], { PETSTORE_CURRENCY: 'EURO' })
  expect([exitCode, errors]).toEqual([
    2,
    expect.stringContaining('PETSTORE_CURRENCY=EURO: it must be the code'),
  ])
})
