import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startProcess } from '../support/process.ts'
import { until } from '../support/until.ts'
import { call, inDays } from './class-session.ts'

const KILLS = 4
const STUDENTS = 8
const RESPONSES_PER_KILL = 25
const EXERCISES = 40
const ids = ['3', '4', '5', '6', '9', '10', '12', '13']
/** Each exercise needs a search of its own, so a student meets one after the other. */
const lesson = Array.from(
  { length: EXERCISES },
  (_, index) => `## ${index}\n\n\`\`\`check\nlistPets status=200 query:name=n${index}\n\`\`\`\n`,
).join('\n')

interface Student {
  readonly id: string
  readonly baseUrl: string
  readonly adminKey: string
}

/** Sends one request after the other until the host is gone. Counts those whose response arrived. */
async function workUntilKilled(
  { baseUrl, adminKey }: Student,
  from: number,
  onReceived: () => void,
): Promise<number> {
  for (let index = from; ; index++) {
    if (index === EXERCISES) return index
    try {
      const { status } = await call('GET', `${baseUrl}/pets?name=n${index}`, adminKey)
      if (status !== 200) throw new Error(`status ${status}`)
      onReceived()
    } catch {
      return index
    }
  }
}

async function doneOf(base: string, { id, adminKey }: Student): Promise<number> {
  const { data } = await call('GET', `${base}/sandboxes/${id}/progress`, adminKey)
  return (data as { exercises: { state: string }[] }).exercises.filter(({ state }) => state === 'done').length
}

test(`after kill -9 at ${KILLS} instants, no check is missing whose response a student received`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-class-'))
  const start = (port: number): Promise<ServerProcess> =>
    startProcess(['sandboxes', '--data', directory, '--port', String(port), '--log-level', 'error'])
  let host = await start(0)
  const { base } = host
  const hostKey = readFileSync(join(directory, 'host-key'), 'utf8').trim()
  const body = { name: '10b', lesson, endsAt: inDays(1), places: STUDENTS }
  const created = await call('POST', `${base}/classes`, hostKey, body)
  // Safe: the body of a 201 is a new class.
  const { id, teacherKey } = created.data as { id: string; teacherKey: string }
  const names = ids.map(name => ({ name, identifier: name }))
  const added = await call('POST', `${base}/classes/${id}/students`, teacherKey, { students: names })
  // Safe: the body of a 200 is a list of sandboxes.
  const students = added.data as Student[]
  let received = students.map(() => 0)
  for (let kill = 0; kill < KILLS; kill++) {
    let responses = 0
    const onReceived = (): void => {
      responses++
    }
    const working = Promise.all(
      students.map((student, index) => workUntilKilled(student, received[index] ?? 0, onReceived)),
    )
    await until('enough responses arrived', () => responses >= RESPONSES_PER_KILL + kill, 20_000)
    await host.kill('SIGKILL')
    received = await working
    host = await start(Number(new URL(base).port))
    const done = await Promise.all(students.map(student => doneOf(base, student)))
    for (const [index, count] of done.entries()) expect(count).toBeGreaterThanOrEqual(received[index] ?? 0)
  }
  expect(received.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(KILLS * RESPONSES_PER_KILL)
  await host.kill('SIGTERM')
  rmSync(directory, { recursive: true, force: true })
}, 60_000)
