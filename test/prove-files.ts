import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeClient } from './support/client.ts'
import { run, startProcess } from './support/process.ts'
import { ADMIN_KEY } from './support/store.ts'

// `npm run prove:files` runs a store, its backup and its keys on file systems without hard links, modes and owners. It
// needs root, loop devices, and the programs of each file system; it says what it skipped.

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
console.log(`${fileSystems.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped`)
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
  if (existsSync(join(directory, `backup-4.${process.pid}.partial`))) throw new Error('a draft is left')
  return `${orders} orders over 5 starts, 3 of them after kill -9; 5 backups, one restored; a key is never replaced`
}
