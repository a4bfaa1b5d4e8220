import { expect, test } from 'bun:test'
import { parseJson } from '../../values/json.ts'
import {
  advance,
  type ExerciseProgress,
  type Happening,
  LessonProblem,
  newProgress,
  readCondition,
} from './conditions.ts'

const CALL: Happening = {
  operationId: 'placeOrder',
  method: 'POST',
  target: '/store/orders',
  atMs: 1000,
  status: 201,
  requestHeaders: new Headers({ 'Idempotency-Key': '"a"' }),
  requestBody: '{"petId":3}',
  responseHeaders: new Headers({ 'Content-Type': 'application/json', 'Retry-After': '2' }),
  responseBody: '{"id":1,"lines":[{"a/b":"x y"}]}',
}

test.each([
  ['placeOrder', true],
  ['listOrders', false],
  ['placeOrder status=201', true],
  ['placeOrder status=2xx', true],
  ['placeOrder status=4xx', false],
  ['placeOrder status=none', false],
  ['placeOrder sent:idempotency-key', true],
  ['placeOrder sent:if-match', false],
  ['placeOrder header:retry-after=2', true],
  ['placeOrder header:content-type~json', true],
  ['placeOrder header:content-type=json', false],
  ['placeOrder body:/id=1', true],
  ['placeOrder body:/lines/0/a~1b="x y"', true],
  ['placeOrder body:/lines/1', false],
  ['placeOrder sent-body:/petId=3', true],
  ['placeOrder sent-body:/petId=4', false],
  ['placeOrder query:limit', false],
])('the line "%s" is met by an order: %p', (line, isMet) => {
  const conditions = [readCondition(line)]
  expect(advance(conditions, newProgress(conditions), CALL, new Map()).doneMs !== null).toBe(isMet)
})

test.each([
  ['placeOrders', 'did you mean placeOrder?'],
  ['placeOrder status=abc', 'status must be'],
  ['placeOrder within=5', 'within must be'],
  ['placeOrder times=0', 'times must be'],
  ['placeOrder body=3', 'is none of'],
  ['state pets body:/0', 'needs a path'],
  ['state /pets', 'needs a body'],
])('the line "%s" is refused with a reason', (line, reason) => {
  expect(() => readCondition(line)).toThrow(LessonProblem)
  expect(() => readCondition(line)).toThrow(reason)
})

test.each([
  ['placeOrder status=503', 'error; code=overloaded', false],
  ['placeOrder status=503 sent:petstore-fault', 'error; code=overloaded', true],
  ['placeOrder status=503 header:Petstore-Fault~overloaded', 'error; code=overloaded', true],
  ['placeOrder status=503', 'delay; delay_ms=1', true],
  // The response is that to a fault rule.
  ['placeOrder status=503', undefined, true],
])('the line "%s" is met by a response with 503 after the fault %p: %p', (line, fault, isMet) => {
  const conditions = [readCondition(line)]
  const responseHeaders = new Headers({ 'Petstore-Fault': fault ?? 'error; code=overloaded; rule="busy"' })
  const requestHeaders = new Headers(fault === undefined ? {} : { 'Petstore-Fault': fault })
  const call = { ...CALL, status: 503, requestHeaders, responseHeaders }
  expect(advance(conditions, newProgress(conditions), call, new Map()).doneMs !== null).toBe(isMet)
})

/** Returns the progress after calls, each of an operation at a second. */
function after(
  lines: readonly string[],
  calls: readonly [operationId: string, second: number][],
): ExerciseProgress {
  const conditions = lines.map(readCondition)
  return calls.reduce(
    (progress, [operationId, second]) =>
      advance(conditions, progress, { ...CALL, operationId, atMs: second * 1000 }, new Map()),
    newProgress(conditions),
  )
}

test('"then" needs an earlier call, and one call never counts twice', () => {
  const lines = ['placeOrder', 'then placeOrder']
  expect(after(lines, [['placeOrder', 1]]).doneMs).toBeNull()
  expect(
    after(lines, [
      ['placeOrder', 1],
      ['placeOrder', 2],
    ]).doneMs,
  ).toBe(2000)
  const order = ['listPets', 'then placeOrder']
  expect(
    after(order, [
      ['placeOrder', 1],
      ['listPets', 2],
    ]).doneMs,
  ).toBeNull()
})

test('"within" counts from the line before, and a student who is too late can begin again', () => {
  const lines = ['listPets', 'then placeOrder within=5s']
  const late: [string, number][] = [
    ['listPets', 1],
    ['placeOrder', 7],
  ]
  expect(after(lines, late).doneMs).toBeNull()
  expect(after(lines, [...late, ['listPets', 8], ['placeOrder', 13]]).doneMs).toBe(13_000)
})

test('"times" with "within" needs that number of calls within that time', () => {
  const lines = ['placeOrder times=3 within=10s']
  const slow = [0, 8, 16].map((second): [string, number] => ['placeOrder', second])
  expect(after(lines, slow).doneMs).toBeNull()
  expect(after(lines, [...slow, ['placeOrder', 18]]).doneMs).toBe(18_000)
})

test('a state counts only if it was read, and a read of another exercise is no try', () => {
  const conditions = ['setFaults', 'state /store/inventory/3 body:/quantity=10'].map(readCondition)
  const before = newProgress(conditions)
  const states = new Map([['/store/inventory/3', parseJson('{"quantity":10}')]])
  expect(advance(conditions, before, CALL, new Map())).toBe(before)
  expect(advance(conditions, before, CALL, states)).toMatchObject({ tries: 0, metAt: [null, 1000] })
  const reading = ['listPets query:limit'].map(readCondition)
  const read = { ...CALL, method: 'GET', operationId: 'listPets' }
  expect(advance(reading, newProgress(reading), read, new Map()).tries).toBe(0)
})
