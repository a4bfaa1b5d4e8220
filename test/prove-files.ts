import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeClient } from './support/client.ts'
import { run, startProcess } from './support/process.ts'
import { ADMIN_KEY } from './support/store.ts'

// `npm run prove:files` runs a store, its backup and its keys on other file systems. It needs root and loop devices,
// and says what it skipped.

const IMAGE_BYTES = 128 * 1024 * 1024

const fileSystems = [
  { name: 'exFAT', make: 'mkfs.exfat', mount: [['mount.exfat-fuse'], ['mount', '-t', 'exfat']] },
  { name: 'FAT', make: 'mkfs.vfat', mount: [['mount', '-t', 'vfat']] },
]

let failed = 0
let skipped = 0
for (const { name, make, mount } of fileSystems) {
  const root = mkdtempSync(join(tmpdir(), 'petstore-files-'))
  const mounted = mountImage(root, make, mount)
  if (typeof mounted === 'string') {
    skipped++
    console.log(`SKIPPED ${name}: ${mounted}`)
  } else {
    try {
      console.log(`ok      ${name}: ${await prove(mounted.directory)}`)
    } catch (error) {
      failed++
      console.log(`FAILED  ${name}: ${error instanceof Error ? error.message : error}`)
    } finally {
      mounted.unmount()
    }
  }
  rmSync(root, { recursive: true, force: true })
}
const full = process.getuid?.() === 0 ? await proveFullDisk() : 'it needs root'
if (full === undefined)
  console.log('ok      full disk: a failed import frees what it took, and the store starts and serves reads')
else if (full.startsWith('it ')) console.log(`SKIPPED full disk: ${full}`)
else console.log(`FAILED  full disk: ${full}`)
if (full !== undefined) full.startsWith('it ') ? skipped++ : failed++
console.log(`${fileSystems.length + 1 - failed - skipped} passed, ${failed} failed, ${skipped} skipped`)
process.exit(failed === 0 ? 0 : 1)

/** Makes a file system in a file, and mounts it. Returns the reason if that is not possible here. */
function mountImage(
  root: string,
  make: string,
  mounts: readonly string[][],
): string | { directory: string; unmount(): void } {
  if (process.getuid?.() !== 0) return 'it needs root'
  const image = join(root, 'image')
  const directory = join(root, 'mounted')
  mkdirSync(directory)
  writeFileSync(image, '')
  truncateSync(image, IMAGE_BYTES)
  if (spawnSync(make, [image]).status !== 0) return `${make} is missing or failed`
  const device = spawnSync('losetup', ['-f', '--show', image]).stdout?.toString().trim() ?? ''
  if (device === '') return 'there is no loop device'
  const unmount = (): void => {
    spawnSync('umount', [directory])
    spawnSync('losetup', ['-d', device])
  }
  for (const [program = '', ...args] of mounts)
    if (spawnSync(program, [...args, device, directory]).status === 0) return { directory, unmount }
  unmount()
  return 'it cannot be mounted'
}

/** Runs a store in a directory of a file system. Returns what held; throws what did not. */
async function prove(directory: string): Promise<string> {
  const data = join(directory, 'shop')
  const env = { PETSTORE_ADMIN_KEY: ADMIN_KEY, PETSTORE_LOG_LEVEL: 'error' }
  const start = () => startProcess(['serve', '--data', data, '--port', '0'], env)
  const isRun = async (...args: string[]): Promise<void> => {
    const { exitCode, errors } = await run(args, env)
    if (exitCode !== 0) throw new Error(`petstore ${args[0]}: ${errors}`)
  }
  let orders = 0
  for (let round = 0; round < 5; round++) {
    await using server = await start()
    const client = makeClient({ base: server.base, key: ADMIN_KEY })
    const found = (await client.listOrders({ limit: 100 })).data.items.length
    if (found !== orders) throw new Error(`${orders} orders were acknowledged, and ${found} are there`)
    if (round === 0) await client.setInventory({ petId: 1n, body: { quantity: 1000n } })
    for (; orders < (round + 1) * 10; orders++) await client.placeOrder({ body: { petId: 1n } })
    await isRun('backup', '--data', data, '--to', join(directory, `backup-${round}`), '--with-secret-key')
    await server.kill(round % 2 === 0 ? 'SIGKILL' : 'SIGTERM')
  }
  const key = join(directory, 'key')
  await isRun('new-secret-key', key)
  const content = readFileSync(key, 'utf8')
  if ((await run(['new-secret-key', key])).exitCode === 0 || readFileSync(key, 'utf8') !== content)
    throw new Error('a key was replaced')
  await isRun('restore', '--from', join(directory, 'backup-4'), '--to', join(directory, 'restored'))
  await isRun('doctor', '--data', join(directory, 'restored'))
  if (readdirSync(directory).some(name => name.endsWith('.petstore-draft')))
    throw new Error('a draft is left')
  return `${orders} orders over 5 starts, 3 of them after kill -9; 5 backups, one restored; a key is never replaced`
}

/**
 * Fills a small disk by an import that fails. Returns undefined if the import frees what it took and the store starts
 * again; otherwise what is wrong.
 */
async function proveFullDisk(): Promise<string | undefined> {
  const root = mkdtempSync(join(tmpdir(), 'petstore-files-'))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', root]).status !== 0)
    return 'it cannot be mounted'
  try {
    const data = join(root, 'shop')
    const env = { PETSTORE_ADMIN_KEY: ADMIN_KEY, PETSTORE_LOG_LEVEL: 'error' }
    const start = () => startProcess(['serve', '--data', data, '--port', '0'], env)
    await (await start()).kill('SIGTERM')
    const free = (): number => statfsSync(root).bavail
    const before = free()
    const file = join(tmpdir(), `petstore-rows-${process.pid}.csv`)
    const rows = Array.from({ length: 20_000 }, (_, index) => `Category ${index},${'x'.repeat(900)}`)
    writeFileSync(file, `name,description\n${rows.join('\n')}\n`)
    const { exitCode, errors } = await run(['import', '--data', data, '--categories', file], env)
    rmSync(file)
    if (exitCode !== 1 || !errors.includes('Nothing was loaded.'))
      return `the import ended with ${exitCode}: ${errors}`
    if (free() < before - 64) return `${before - free()} blocks are still used`
    // The rest of the disk is filled by something else.
    writeFileSync(join(root, 'other'), Buffer.alloc(free() * 4096 - 64 * 1024))
    await using server = await start()
    const { status } = await fetch(`${server.base}/pets`)
    return status === 200 ? undefined : `GET /pets is ${status}`
  } catch (error) {
    return String(error)
  } finally {
    spawnSync('umount', [root])
    rmSync(root, { recursive: true, force: true })
  }
}
