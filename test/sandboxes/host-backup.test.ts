import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreatedClass } from '../../src/sandboxes/contract/class-schema.ts'
import type { CreatedSandbox } from '../../src/sandboxes/contract/schema.ts'
import { command, run, type ServerProcess, startProcess } from '../support/process.ts'
import { call, inDays, LESSON } from './class-session.ts'

/** How often a command that must be killed in the middle is begun, if it ends before it is killed. */
const KILLS_MAX = 10
let home: string
let data: string
let backup: string
let host: ServerProcess
let hostKey: string
let ofClass: CreatedClass
let students: CreatedSandbox[]

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'petstore-host-backup-'))
  data = join(home, 'data')
  backup = join(home, 'backup')
  host = await start(data)
  hostKey = readFileSync(join(data, 'host-key'), 'utf8').trim()
  const body = { name: '10b', lesson: LESSON, endsAt: inDays(1), places: 2 }
  // Safe: the bodies of these successes are a new class, and the sandboxes of its students.
  ofClass = (await call('POST', `${host.base}/classes`, hostKey, body)).data as CreatedClass
  const named = ['Ada', 'Grace'].map(name => ({ name, identifier: name }))
  const url = `${host.base}/classes/${ofClass.id}/students`
  students = (await call('POST', url, ofClass.teacherKey, { students: named })).data as CreatedSandbox[]
}, 30_000)

afterAll(async () => {
  await host[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

function start(directory: string, port = '0'): Promise<ServerProcess> {
  return startProcess(['sandboxes', '--data', directory, '--port', port, '--log-level', 'error'])
}

/** Begins a command, and kills it while it makes the directory `target`. Throws if it always ends before. */
async function killInTheMiddle(args: readonly string[], target: string): Promise<void> {
  for (let attempt = 0; attempt < KILLS_MAX; attempt++) {
    const { line, env } = command(args)
    const child = Bun.spawn(line, { env, stdout: 'ignore', stderr: 'ignore' })
    while (child.exitCode === null && !readdirSync(home).some(name => name.includes('petstore-draft')))
      await Bun.sleep(1)
    child.kill('SIGKILL')
    await child.exited
    if (!existsSync(target)) return
    rmSync(target, { recursive: true })
  }
  throw new Error('the command was never killed in the middle')
}

/** Returns what the teacher and the students see on a host. */
async function seen({ base }: ServerProcess): Promise<[number, string][]> {
  const [ada, grace] = students
  const reads: [string, string | undefined][] = [
    [`/classes/${ofClass.id}`, ofClass.teacherKey],
    ['/classes', hostKey],
    [`/sandboxes/${ada?.id}/snapshots`, ada?.adminKey],
    [`/sandboxes/${ada?.id}/progress`, ada?.adminKey],
    [`/sandboxes/${ada?.id}/requests?before=4`, ada?.adminKey],
    [`/s/${ada?.id}/store/orders`, ada?.adminKey],
    [`/s/${grace?.id}/store/orders`, grace?.adminKey],
  ]
  const found: [number, string][] = []
  for (const [path, key] of reads) {
    const { status, text } = await call('GET', base + path, key)
    // The activity is written a second later, or lost at a kill, and the requests of a minute are in memory.
    const lost = /"(?:lastActivityAt":"[^"]*"|requestsPerMinute":\d+),/g
    found.push([status, text.replaceAll(lost, '')])
  }
  return found
}

test('a backup of a killed host is whole after a kill of the command, and the restored host is the same', async () => {
  const [ada] = students
  await call('GET', `${ada?.baseUrl}/pets?limit=1`, undefined)
  for (const name of ['one', 'two', 'three'])
    await call('PUT', `${host.base}/sandboxes/${ada?.id}/snapshots/${name}`, ada?.adminKey)
  await call('POST', `${ada?.baseUrl}/store/orders`, ada?.adminKey, { petId: 3 })
  const [board, , , , , orders] = await seen(host)
  expect([board?.[1], orders?.[1]]).toEqual([
    expect.stringContaining('"done"'),
    expect.stringContaining('"petId":3'),
  ])
  const running = await run(['sandboxes', 'backup', '--data', data, '--to', backup])
  expect([running.exitCode, running.errors]).toEqual([1, expect.stringContaining('Stop the host')])
  const before = await seen(host)
  await host.kill('SIGKILL')
  await killInTheMiddle(['sandboxes', 'backup', '--data', data, '--to', backup], backup)
  const made = await run(['sandboxes', 'backup', '--data', data, '--to', backup])
  expect([made.exitCode, made.errors]).toEqual([
    0,
    expect.stringContaining('1 class, 2 students and 2 sandboxes'),
  ])
  expect(statSync(join(backup, 'host-key')).mode & 0o077).toBe(0)
  expect((await run(['sandboxes', 'backup', '--data', data, '--to', backup])).errors).toContain(
    'is not empty',
  )
  const restored = join(home, 'restored')
  const args = ['sandboxes', 'restore', '--from', backup, '--to', restored]
  await killInTheMiddle(args, restored)
  expect((await run(args)).exitCode).toBe(0)
  expect((await run(args)).errors).toContain('is not empty')
  expect(readdirSync(home).sort()).toEqual(['backup', 'data', 'restored'])
  host = await start(restored, new URL(host.base).port)
  expect(await seen(host)).toEqual(before)
}, 120_000)

test.each([
  ['sandboxes.db', 'sandboxes.db is not the file that was backed up'],
  ['sandboxes.json', 'sandboxes.json of'],
])('a backup whose %s was changed is refused, and nothing is restored', async (file, reason) => {
  const changed = join(home, 'changed')
  const to = join(home, 'refused')
  cpSync(backup, changed, { recursive: true })
  appendFileSync(join(changed, file), 'x')
  const { exitCode, errors } = await run(['sandboxes', 'restore', '--from', changed, '--to', to])
  expect([exitCode, errors]).toEqual([1, expect.stringContaining(reason)])
  expect(existsSync(to)).toBe(false)
  rmSync(changed, { recursive: true })
})

test('a manifest cannot name a file outside the directory of a host', async () => {
  const changed = join(home, 'changed')
  cpSync(backup, changed, { recursive: true })
  const manifest = join(changed, 'sandboxes.json')
  const text = readFileSync(manifest, 'utf8').replace('"host-key"', '"../host-key"')
  rmSync(manifest)
  appendFileSync(manifest, text)
  const { errors } = await run(['sandboxes', 'restore', '--from', changed, '--to', join(home, 'refused')])
  expect(errors).toContain('is damaged')
  expect(existsSync(join(home, 'host-key'))).toBe(false)
})
