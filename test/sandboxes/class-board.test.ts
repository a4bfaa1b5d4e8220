import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Exercise, readLesson } from '../../src/sandboxes/classes/lesson.ts'
import { runSolution, type SolutionRequest } from '../../src/sandboxes/classes/solution.ts'
import type { CreatedSandbox } from '../../src/sandboxes/contract/schema.ts'
import { openReceiver, reply } from '../support/receiver.ts'
import { ROOT } from '../support/root.ts'
import { seeded } from '../support/seeded.ts'
import { until } from '../support/until.ts'
import { call, openClass } from './class-session.ts'

const STUDENTS = 30
const SEED = 20_261_128
const lesson = readFileSync(join(ROOT, 'docs/lesson.md'), 'utf8')

/** What a student does with one exercise: one of the mistakes that people make, or the solution. */
const ways: Readonly<
  Record<string, { readonly isDone: boolean; change(sent: readonly SolutionRequest[]): SolutionRequest[] }>
> = {
  solution: { isDone: true, change: sent => [...sent] },
  'the solution after a mistyped address': {
    isDone: true,
    change: sent => [{ method: 'GET', target: '/petz', headers: {}, body: '' }, ...sent],
  },
  'the solution twice': { isDone: true, change: sent => [...sent, ...sent] },
  'nothing at all': { isDone: false, change: () => [] },
  'a body that is no JSON': {
    isDone: false,
    change: sent => sent.filter(({ method }) => method !== 'GET').map(one => ({ ...one, body: '{"petId":' })),
  },
  'only the first request': { isDone: false, change: sent => sent.slice(0, 1) },
  'the requests backwards, without what they read': {
    isDone: false,
    change: sent => sent.toReversed().filter(({ target }) => !target.includes('{{')),
  },
  'another key': {
    isDone: false,
    change: sent =>
      sent.map(one => ({ ...one, headers: { ...one.headers, authorization: 'Bearer pst_wrong' } })),
  },
}

/** Does some exercises in their order, and returns the titles of those that were done, by a plain model. */
async function work(
  { id, baseUrl, adminKey }: CreatedSandbox,
  base: string,
  exercises: readonly Exercise[],
  draw: (count: number) => number,
): Promise<Set<string>> {
  const done = new Set<string>()
  const place = { baseUrl, controlUrl: `${base}/sandboxes/${id}`, key: adminKey }
  for (const { title, solution } of exercises) {
    const way = ways[Object.keys(ways)[draw(Object.keys(ways).length)] ?? '']
    if (!way) throw new Error('there is no such way')
    const sent = way.change(solution)
    await runSolution(sent, place)
    // Faults and clocks that a mistake left behind would disturb the next exercise.
    await call('DELETE', `${place.controlUrl}/faults`, adminKey)
    await call('PUT', `${place.controlUrl}/clock`, adminKey, { now: null })
    // Some mistakes leave a solution of one request as it is.
    if (way.isDone || isDeepStrictEqual(sent, solution)) done.add(title)
  }
  return done
}

test(`the board of ${STUDENTS} students, who make mistakes at the same time, agrees with a plain model`, async () => {
  const names = Array.from({ length: STUDENTS }, (_, index) => `Student ${String(index).padStart(2, '0')}`)
  await using session = await openClass(names, {}, lesson)
  const { exercises } = readLesson(lesson)
  const random = seeded(SEED)
  const draws = names.map(() =>
    Array.from({ length: exercises.length }, () => random.below(Object.keys(ways).length)),
  )
  const expected = await Promise.all(
    session.students.map((student, index) => {
      const rest = [...(draws[index] ?? [])]
      return work(student, session.host.base, exercises, () => rest.shift() ?? 0)
    }),
  )
  const states = (): string[][] =>
    session.host.host.classes
      .board(session.ofClass.id)
      .students.map(student => [
        student.name,
        ...student.exercises.flatMap(({ state }, index) =>
          state === 'done' ? [exercises[index]?.title ?? ''] : [],
        ),
      ])
  const model = names.map((name, index) => [name, ...(expected[index] ?? [])])
  expect(states()).toEqual(model)
  expect(model.flat().length).toBeGreaterThan(STUDENTS * 2)
  await session.restart()
  expect(states()).toEqual(model)
  expect(session.host.errors).toEqual([])
}, 60_000)

test('the last error of a student is a sentence without keys, until an exercise is done', async () => {
  await using session = await openClass(['Ada'])
  const [ada] = session.students
  const lastError = (): string | undefined =>
    session.host.host.classes.board(session.ofClass.id).students[0]?.lastError
  await call('GET', `${ada?.baseUrl}/pets/999999?key=${ada?.adminKey}`, ada?.adminKey)
  expect(lastError()).toStartWith('GET /pets/999999?key=pst_*** got 400 unknown_parameter: ')
  await call('GET', `${ada?.baseUrl}/pets?limit=1`, undefined)
  expect(lastError()).toBeUndefined()
})

test('a refusal that an exercise asks for is no error of the student', async () => {
  const text = '# L\n\n## 1. Fail\n\n```check\nlistOrders status=401\nlistOrders status=200\n```\n'
  await using session = await openClass(['Ada'], {}, text)
  const [ada] = session.students
  const board = (): object | undefined => session.host.host.classes.board(session.ofClass.id).students[0]
  await call('GET', `${ada?.baseUrl}/store/orders`, undefined)
  expect(board()).toMatchObject({ exercises: [{ state: 'tried', met: 1n }] })
  expect(board()).not.toHaveProperty('lastError')
})

test('a check sees the whole of a body up to 64 KiB, before it is masked', async () => {
  const check = 'createPet status=422 sent-body:/secret="pst_abcdefgh" sent-body:/last=1'
  const text = `# L\n\n## 1. Send\n\n\`\`\`check\n${check}\n\`\`\`\n`
  await using session = await openClass(['Ada', 'Grace'], {}, text)
  for (const [index, size] of [60_000, 70_000].entries()) {
    const student = session.students[index]
    const body = { secret: 'pst_abcdefgh', filler: 'x'.repeat(size), last: 1 }
    expect((await call('POST', `${student?.baseUrl}/pets`, student?.adminKey, body)).status).toBe(422)
  }
  const { students } = session.host.host.classes.board(session.ofClass.id)
  expect(students.map(({ exercises }) => exercises[0]?.state)).toEqual(['done', 'tried'])
})

test('a check sees the requests of tools, deliveries of webhooks, and refused control calls', async () => {
  await using receiver = await openReceiver((_, index) => reply(index === 0 ? 500 : 204))
  const checks = [
    'createPet status=201 sent:idempotency-key body:/name=Owls',
    'deliverWebhook status=500 sent:webhook-id\nthen deliverWebhook status=204 sent-body:/data/name=Newts',
    'deliverWebhook status=204 times=2',
    'setFaults status=422 body:/code=validation_failed',
    'resetSandbox status=404',
    'setClock',
  ]
  const text = checks.map((check, index) => `\n## ${index}\n\n\`\`\`check\n${check}\n\`\`\`\n`)
  await using session = await openClass(['Ada'], { retryDelaysMs: [100] }, `# L\n${text.join('')}`)
  const [ada] = session.students
  const key = ada?.adminKey
  const control = `${session.host.base}/sandboxes/${ada?.id}`
  const student = () => session.host.host.classes.board(session.ofClass.id).students[0]
  const done = (): (string | undefined)[] =>
    student()
      ?.exercises.filter(({ state }) => state === 'done')
      .map(({ id }) => id) ?? []
  const tool = (name: string, given: object): Promise<unknown> =>
    call('POST', `${ada?.baseUrl}/mcp`, key, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    })
  await tool('add_pet', { name: 'Owls', categoryId: 1 })
  expect(done()).toEqual(['0'])
  await tool('add_pet', { name: '', categoryId: 1 })
  expect(student()?.lastError).toStartWith('POST /pets got 422 validation_failed')
  await call('PUT', `${control}/faults`, key, { rules: [{}] })
  await call('PUT', `${control}/clock`, key, { now: 'soon' })
  await call('POST', `${control}/reset`, key, { snapshot: 'none' })
  expect(done()).toEqual(['0', '3', '4'])
  const body = { url: receiver.base, types: ['petstore.pet.created'] }
  expect((await call('POST', `${ada?.baseUrl}/webhooks`, key, body)).status).toBe(201)
  await call('POST', `${ada?.baseUrl}/pets`, key, { name: 'Newts', categoryId: 1 })
  const lastActivityAt = student()?.lastActivityAt
  await until('the delivery has arrived at its second attempt', () => done().includes('1'), 10_000)
  // A delivery is no request of the student.
  expect(student()).toMatchObject({ lastActivityAt, exercises: { 1: { tries: 0n } } })
  await call('POST', `${ada?.baseUrl}/pets`, key, { name: 'Toads', categoryId: 1 })
  await until('two deliveries have arrived', () => done().includes('2'), 10_000)
  await call('PUT', `${control}/clock`, key, { now: null })
  expect(done()).toEqual(['0', '1', '2', '3', '4', '5'])
})
