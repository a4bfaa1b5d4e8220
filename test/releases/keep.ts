import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packClient } from '../../build/pack-client.ts'
import { version } from '../../src/files/version.ts'
import { useShop } from '../support/busy-shop.ts'
import type { Client } from '../support/client.ts'
import { run } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { scratch } from '../support/tool.ts'
import { DESCRIPTIONS, RELEASES, readLists, scriptHashes } from './release.ts'

/** Does what an owner does in a first week, so that every table has rows. */
async function useEverything(client: Client): Promise<void> {
  await useShop(client, 2, 120, 1)
  const { data: category } = await client.createCategory({
    body: { name: 'Schildkröten', description: 'カメ' },
  })
  const { data: pet } = await client.createPet({
    body: { name: 'Frau Müller 🐢', categoryId: category.id, price: 129_900n, barcode: '4006381333931' },
  })
  const petId = pet.id
  await client.setInventory({ petId, body: { quantity: 2n ** 29n } })
  await client.recordSale({
    body: { lines: [{ petId, quantity: 2n, unitPrice: 99_900n }], reference: 'R-1' },
  })
  await client.createKey({ body: { name: 'The counter', scopes: ['orders:write'] } })
  await client.createWebhook({ body: { url: 'http://127.0.0.1:9/', description: 'Nobody listens' } })
}

function write(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, `${name}.gz`), gzipSync(text, { level: 9 }))
}

/** Keeps a backup of a used store of this version, with the lists that it serves after a restore. */
async function keepStore(folder: string): Promise<void> {
  using files = scratch()
  await using place = await newStoreDirectory('sqlite')
  const backup = join(files.path, 'backup')
  {
    await using server = await place.start()
    await useEverything(place.client(server))
    await server.kill('SIGTERM')
  }
  const { exitCode, errors } = await run([
    'backup',
    '--to',
    backup,
    '--with-secret-key',
    ...place.args.slice(0, 2),
  ])
  if (exitCode !== 0) throw new Error(errors)
  Bun.spawnSync(['tar', 'czf', join(folder, 'backup.tar.gz'), '-C', backup, '.'])
  await using server = await place.start()
  write(folder, 'lists.json', JSON.stringify(await readLists(server.base, ADMIN_KEY)))
}

/** Keeps the types of the client, by the names of their files. */
async function keepClientTypes(folder: string): Promise<void> {
  using files = scratch()
  packClient(files.path)
  const types: Record<string, string> = {}
  for (const name of new Bun.Glob('{client,values}/*.d.ts').scanSync(join(files.path, 'client')))
    types[name] = await Bun.file(join(files.path, 'client', name)).text()
  write(folder, 'client-types.json', JSON.stringify(types))
}

const folder = join(RELEASES, version)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const name of DESCRIPTIONS) write(folder, name, await Bun.file(join(ROOT, name)).text())
writeFileSync(join(folder, 'scripts.json'), `${JSON.stringify(scriptHashes(), null, 2)}\n`)
await keepClientTypes(folder)
await keepStore(folder)
process.stdout.write(`${basename(folder)} is kept in test/releases: later versions are tested with it.\n`)
