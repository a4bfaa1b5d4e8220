import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeClient } from '../support/client.ts'
import { run, startProcess } from '../support/process.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'

const folder = testFolder()
const env = { PETSTORE_ADMIN_KEY: ADMIN_KEY }

function path(name: string, content: string): string {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

/** Runs `petstore import` in a data directory, and returns the exit code and the messages. */
async function importInto(data: string, ...args: string[]): Promise<[number, string]> {
  const { exitCode, errors } = await run(['import', '--data', data, ...args], env)
  return [exitCode, errors]
}

const numberIn = (messages: string): string => /--take-back (\d+)/.exec(messages)?.[1] ?? ''

test('a delivery updates a running store, and is taken back, except for what was sold since', async () => {
  const data = join(folder, 'running')
  const first = path('first.csv', 'name,category,quantity,price\nRex,Dogs,2,10\nTom,Cats,1,5\n')
  await importInto(data, '--pets', first, '--create-categories')
  await using server = await startProcess(['serve', '--port', '0', '--no-demo', '--data', data], env)
  const client = makeClient({ base: server.base, key: ADMIN_KEY })
  const lacking = path('lacking.csv', 'name,category,price\nRex,Dogs,12\n')
  const [refused, why] = await importInto(data, '--pets', lacking, '--update', 'add')
  expect([refused, why]).toEqual([1, expect.stringContaining('the column "quantity" is missing')])
  const empty = path('empty.csv', 'name,category,quantity\nRex,Dogs,\n')
  expect((await importInto(data, '--pets', empty, '--update', 'set'))[1]).toContain(
    'quantity must be given, because it changes the stock',
  )
  const delivery = path(
    'delivery.csv',
    'name,category,quantity,price\nRex,Dogs,6,\nTom,Cats,4,7.50\nIda,Dogs,1,\n',
  )
  const dry = (await importInto(data, '--pets', delivery, '--update', 'add', '--dry-run'))[1]
  expect(dry).toContain('Would load 0 categories and 1 pet; 2 that existed would be updated.')
  const [exitCode, messages] = await importInto(data, '--pets', delivery, '--update', 'add')
  expect([exitCode, messages]).toEqual([
    0,
    expect.stringContaining('Loaded 0 categories and 1 pet; 2 that existed were updated.'),
  ])
  const stock = async () =>
    (await client.listPets({ include: 'stock' })).data.items.map(
      ({ name, quantity, price }) => `${name} ${quantity} ${price}`,
    )
  expect(await stock()).toEqual(['Rex 8 1000', 'Tom 5 750', 'Ida 1 undefined'])
  const [{ id: tom } = { id: 0n }] = (await client.listPets({ search: 'Tom' })).data.items
  await client.placeOrder({ body: { petId: tom, complete: true } })
  const id = numberIn(messages)
  const { data: reading } = await client.createKey({ body: { name: 'Reads', scopes: ['orders:read'] } })
  expect(await importInto(data, '--take-back', id, '--key', reading.key)).toEqual([
    1,
    expect.stringMatching(
      /The running store refused to take the import back: .*pets:write.*--take-back \d+\.\n$/,
    ),
  ])
  const look = await importInto(data, '--take-back', id, '--dry-run')
  expect(look[1]).toContain('Would take back 2 changes; 1 stay')
  expect(await stock()).toHaveLength(3)
  const [code, said] = await importInto(data, '--take-back', id)
  expect([code, said.split('\n').slice(1)]).toEqual([
    0,
    [`The pet ${tom} stays: Tom was sold or changed since.`, 'Took back 2 changes; 1 stay.', ''],
  ])
  expect(await stock()).toEqual(['Rex 2 1000', 'Tom 4 750'])
})

test('an import into a stopped store is taken back; a wrong number or another option is refused', async () => {
  const data = join(folder, 'stopped')
  const file = path('stopped.csv', 'name,category\nRex,Dogs\n')
  const id = numberIn((await importInto(data, '--pets', file, '--create-categories'))[1])
  expect((await importInto(data, '--take-back', id))[1]).toContain('Took back 2 changes; nothing stays.')
  expect((await importInto(data, '--take-back', '7'))[1]).toContain('The store has no import 7 to take back')
  const refusals = await Promise.all([
    importInto(data, '--take-back', 'x'),
    importInto(data, '--take-back', id, '--pets', file),
    importInto(data, '--pets', file, '--update', 'add', '--skip-existing'),
    importInto(data, '--pets', file, '--update', 'more'),
  ])
  expect(refusals.map(([exitCode]) => exitCode)).toEqual([2, 2, 2, 2])
})
