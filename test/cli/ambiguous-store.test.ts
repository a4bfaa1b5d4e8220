import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../support/process.ts'
import { deadPort } from '../support/receiver.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'

let place: StoreDirectory
let env: Record<string, string>

beforeAll(async () => {
  place = await newStoreDirectory('sqlite')
  const server = await place.start()
  await server.kill('SIGTERM')
  env = { DATABASE_URL: `postgres://u@127.0.0.1:${await deadPort()}/shop` }
})
afterAll(() => place[Symbol.asyncDispose]())

const commands = [
  'reset --empty --yes',
  'audit verify',
  'audit export',
  'doctor',
  'backup --to backup',
  'export pets',
  'keys list',
  'keys reset-admin',
  'migrate --check',
  'import --pets demo/pets.csv',
]

test.each(commands)('"%s --data" is refused if DATABASE_URL names another store', async command => {
  const { exitCode, output, errors } = await run([...command.split(' '), '--data', place.directory], env)
  expect([exitCode, output, errors.trim()]).toEqual([
    2,
    '',
    `--data names the store in ${place.directory}, and the variable DATABASE_URL names another store. ` +
      'To choose --data, unset DATABASE_URL. To choose DATABASE_URL, use PETSTORE_DATA in place of --data.',
  ])
})

test('--data with a directory that does not exist is refused if DATABASE_URL is set', async () => {
  const directory = join(place.directory, 'none')
  const { exitCode, errors } = await run(['reset', '--empty', '--yes', '--data', directory], env)
  expect([exitCode, errors]).toEqual([
    2,
    expect.stringContaining(`--data names the directory ${directory}, which does not exist, and`),
  ])
})

test('with DATABASE_URL set, --data is accepted if --database-url is given or the directory has no store', async () => {
  const empty = join(place.directory, 'empty')
  mkdirSync(empty)
  const byOption = ['doctor', '--data', place.directory, '--database-url', env.DATABASE_URL ?? '']
  const byDirectory = ['doctor', '--data', empty]
  for (const args of [byOption, byDirectory]) {
    const { exitCode, output, errors } = await run(args, env)
    expect([exitCode, output + errors]).toEqual([1, expect.stringContaining('cannot be reached')])
  }
})
