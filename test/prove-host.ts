import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { CreatedClass } from '../src/sandboxes/contract/class-schema.ts'
import type { CreatedSandbox } from '../src/sandboxes/contract/schema.ts'
import { newCode } from '../src/shop/keys/key-text.ts'
import { call, inDays } from './sandboxes/class-session.ts'
import { metricsOf } from './support/metrics.ts'
import { startProcess } from './support/process.ts'
import { ROOT } from './support/root.ts'

// `npm run prove:host` measures one host with ten classes at work: the first half of the time alone, and then beside
// abusers. Each class has one address, as a school has, and so have all abusers. The abusers run in another process.

const CLASSES = 10
const STUDENTS_PER_CLASS = 30
/** The mean time between two requests of a student. */
const THINK_MS = 10_000
/** How often the lesson of a student, and the board of a teacher, ask for news. */
const PROGRESS_MS = 4000
const BOARD_MS = 1500
const HALF_BODIES = 150
const SLOW_READERS = 60
const ABUSER = '203.0.113.1'
const MIB = 1024 * 1024
const print = (name: string, text: string): void => console.log(`| ${name} | ${text} |`)

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '10' } },
  allowPositionals: true,
})
const halfMs = (Number(values.minutes) * 60_000) / 2

/** Sends a request from an address, reads the response, and counts it if it is refused. */
async function send(
  refused: Record<string, number>,
  { method = 'GET', url = '', key = '', address = ABUSER, body = '' },
): Promise<string> {
  const headers = {
    'X-Forwarded-For': address,
    ...(key !== '' && { Authorization: `Bearer ${key}` }),
    ...(body !== '' && { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() }),
  }
  const response = await fetch(url, { method, headers, ...(body !== '' && { body }) }).catch(() => undefined)
  const text = (await response?.text().catch(() => undefined)) ?? ''
  if (response?.ok) return text
  const name = response ? `${response.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}` : 'no response'
  refused[name] = (refused[name] ?? 0) + 1
  return text
}

const lessonRequests: { method?: string; url: string; body?: string }[] = [
  ...['/pets?limit=3', '/categories/2', '/categories?limit=5', '/store/orders'].map(url => ({ url })),
  { method: 'PUT', url: '/store/inventory/9', body: '{"quantity":1000}' },
  { method: 'POST', url: '/store/orders', body: '{"petId":9}' },
]

/** Repeats work at a pace of people until a time. */
async function pace(untilMs: number, meanMs: number, work: () => Promise<unknown>): Promise<void> {
  while (performance.now() < untilMs) {
    await Bun.sleep(2 * Math.random() * meanMs)
    await work()
  }
}

/** Lets classes work for some time. Prints the times of the requests of the students, and what was refused. */
async function teach(name: string, base: string, classes: readonly Taught[]): Promise<void> {
  const times: number[] = []
  const refused: Record<string, number> = {}
  const untilMs = performance.now() + halfMs
  const working = classes.flatMap(({ ofClass, students }, index) => {
    const address = `198.51.100.${index}`
    const board = { url: `${base}/classes/${ofClass.id}`, key: ofClass.teacherKey, address }
    const study = async ({ baseUrl, adminKey: key }: CreatedSandbox): Promise<void> => {
      const request = lessonRequests[Math.floor(Math.random() * lessonRequests.length)]
      const startedMs = performance.now()
      await send(refused, { ...request, url: `${baseUrl}${request?.url}`, key, address })
      times.push(performance.now() - startedMs)
    }
    const look = ({ id, adminKey: key }: CreatedSandbox): Promise<string> =>
      send(refused, { url: `${base}/sandboxes/${id}/progress`, key, address })
    return [
      pace(untilMs, BOARD_MS, () => send(refused, board)),
      ...students.map(student => pace(untilMs, PROGRESS_MS, () => look(student))),
      ...students.map(student => pace(untilMs, THINK_MS, () => study(student))),
    ]
  })
  await Promise.all(working)
  times.sort((a, b) => a - b)
  const at = (share: number): string => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1)
  print(name, `${times.length} requests; p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`)
  print('refused to them', JSON.stringify(refused))
}

/** Sends bytes and reads nothing; the connection is opened again when the host has closed it. */
async function hold(url: string, untilMs: number, text: string): Promise<void> {
  const { hostname, port } = new URL(url)
  while (performance.now() < untilMs) {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text))
    socket.pause()
    const closed = new Promise(resolve => socket.on('close', resolve).on('error', resolve))
    await Promise.race([closed, Bun.sleep(Math.max(0, untilMs - performance.now()))])
    socket.destroy()
    await Bun.sleep(100)
  }
}

/** Opens streams of events one after the other, and breaks each off. */
async function abandon(url: string, key: string, untilMs: number): Promise<void> {
  const headers = { 'X-Forwarded-For': ABUSER, Authorization: `Bearer ${key}` }
  while (performance.now() < untilMs) {
    const signal = AbortSignal.timeout(50 + Math.random() * 500)
    await fetch(url, { headers, signal })
      .then(response => response.text())
      .catch(() => {})
  }
}

/** Abuses a host with the key of one student. Prints what was refused. */
async function abuse(base: string, baseUrl: string, key: string, classId: string): Promise<void> {
  const untilMs = performance.now() + halfMs
  const refused: Record<string, number> = {}
  const head = (line: string): string =>
    `${line} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${ABUSER}\r\nAuthorization: Bearer ${key}\r\n`
  const { pathname } = new URL(baseUrl)
  const ofBody = `Content-Type: application/json\r\nContent-Length: ${MIB}\r\n\r\n`
  const halfBody = `${head(`POST ${pathname}/categories`)}${ofBody}{"name":"`
  const slow = `${head(`GET ${pathname}/openapi.json`)}\r\n`.repeat(20)
  const repeat = async (requests: () => Parameters<typeof send>[1]): Promise<void> => {
    while (performance.now() < untilMs) await send(refused, requests())
  }
  const times = (length: number, work: () => Promise<void>) => Array.from({ length }, work)
  await Promise.all([
    ...times(4, () => repeat(() => ({ url: `${baseUrl}/pets?limit=100`, key }))),
    ...times(8, () => repeat(() => ({ url: `${baseUrl}/store/orders` }))),
    ...times(4, () => repeat(() => ({ url: `${base}/classes/${classId}/join`, key: newCode() }))),
    ...times(4, () => repeat(() => ({ method: 'POST', url: `${base}/sandboxes` }))),
    ...times(HALF_BODIES, () => hold(base, untilMs, halfBody)),
    ...times(SLOW_READERS, () => hold(base, untilMs, slow)),
    ...times(20, () => abandon(`${baseUrl}/events/stream?after=0`, key, untilMs)),
  ])
  process.stdout.write(JSON.stringify(refused))
}

interface Taught {
  readonly ofClass: CreatedClass
  readonly students: CreatedSandbox[]
}

async function createClasses(base: string, hostKey: string): Promise<Taught[]> {
  const lesson = readFileSync(join(ROOT, 'docs/lesson.md'), 'utf8')
  const names = Array.from({ length: STUDENTS_PER_CLASS }, (_, student) => `Student ${student}`)
  const students = names.map(name => ({ name, identifier: name }))
  const classes: Taught[] = []
  for (let index = 0; index < CLASSES; index++) {
    const body = { name: `Class ${index}`, lesson, endsAt: inDays(1), places: STUDENTS_PER_CLASS }
    // Safe: the contract says what a host responds; without an id, the next request gets no list.
    const ofClass = (await call('POST', `${base}/classes`, hostKey, body)).data as CreatedClass
    const url = `${base}/classes/${ofClass.id}/students`
    const { data: added } = await call('POST', url, ofClass.teacherKey, { students })
    if (!Array.isArray(added)) throw new Error(`the class was not created: ${JSON.stringify(added)}`)
    classes.push({ ofClass, students: added })
  }
  return classes
}

async function printState(name: string, host: { readonly base: string }): Promise<void> {
  const { process_resident_memory_bytes: bytes = 0, ...metrics } = await metricsOf(host, 'process_')
  print(name, `${Math.round(bytes / MIB)} MiB, ${metrics.process_open_fds} files`)
}

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-host-'))
  const args = ['sandboxes', '--data', directory, '--port', '0', '--log-level', 'error']
  await using host = await startProcess(args, { PETSTORE_TRUSTED_PROXIES: '127.0.0.1' })
  const { base } = host
  const classes = await createClasses(base, readFileSync(join(directory, 'host-key'), 'utf8').trim())
  await printState('at the start', host)
  await teach('students alone', base, classes)
  await printState('in the middle', host)
  const abuser = classes[0]?.students.pop()
  const script = [process.execPath, import.meta.path, '--minutes', values.minutes]
  const given = [base, abuser?.baseUrl ?? '', abuser?.adminKey ?? '', classes[0]?.ofClass.id ?? '']
  const abusing = Bun.spawn([...script, ...given], { stdout: 'pipe', stderr: 'inherit' })
  // On a machine with few cores, the abusers would otherwise take the time that the host needs.
  setPriority(abusing.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  await teach('students beside abusers', base, classes)
  await printState('at the end', host)
  print('refused to abusers', await new Response(abusing.stdout).text())
  await Bun.sleep(15_000)
  await printState('15 seconds later', host)
  await host.kill('SIGTERM')
  rmSync(directory, { recursive: true, force: true })
}

const [base, baseUrl, key, classId] = positionals
if (base && baseUrl && key && classId) await abuse(base, baseUrl, key, classId)
else await main()
