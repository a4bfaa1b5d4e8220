import { expect, test } from 'bun:test'
import { readFindings, UnreadableFindings } from './findings.ts'

const place = { baseUrl: 'http://127.0.0.1:8081/s/abc' }
const junit = (...cases: string[]): string =>
  `<?xml version="1.0"?><testsuites><testsuite name="a">${cases.join('')}</testsuite></testsuites>`

test('a failed test case of JUnit XML says where and what, a passed one nothing', () => {
  const report = junit(
    '<testcase name="ok"/>',
    '<testcase classname="api" name="POST /categories"><failure message="no &lt;Location&gt;">[201] Created</failure></testcase>',
    '<testcase name="t"><error><![CDATA[getPet returned status 500 for GET http://127.0.0.1:8081/s/abc/pets/1?x=1]]></error></testcase>',
    '<testcase name="GET (200) /pets/3?limit=1"><failure>status 200, but got 500. X-Request-Id:\nAccept: x' +
      '</failure></testcase>',
    '<testcase name="a"><failure message="no header">Test: [POST]::/pets/:petId - Location.</failure></testcase>',
    '<testcase name="listOrders"><failure message="wrong">X-Request-Id: own-7, received 202</failure></testcase>',
  )
  expect(readFindings(report, place)).toEqual([
    { message: 'no <Location> [201] Created', method: 'POST', path: '/categories' },
    {
      message: 'getPet returned status 500 for GET http://127.0.0.1:8081/s/abc/pets/1?x=1',
      operation: 'getPet',
      method: 'GET',
      path: '/pets/1',
      status: 500n,
    },
    {
      message: 'status 200, but got 500. X-Request-Id:\nAccept: x',
      method: 'GET',
      path: '/pets/3',
      status: 500n,
    },
    { message: 'no header Test: [POST]::/pets/:petId - Location.', method: 'POST', path: '/pets/:petId' },
    {
      message: 'wrong X-Request-Id: own-7, received 202',
      operation: 'listOrders',
      status: 202n,
      requestId: 'own-7',
    },
  ])
})

test('a result of SARIF is read like a failed test case', () => {
  const result = { ruleId: 'schema', message: { text: 'updatePet: status 202 is not described' } }
  expect(readFindings(JSON.stringify({ version: '2.1.0', runs: [{ results: [result] }] }), place)).toEqual([
    { message: 'updatePet: status 202 is not described', operation: 'updatePet', status: 202n },
  ])
  expect(readFindings('{"runs":[{"results":[{"ruleId":"no-text","message":{"id":"a"}}]}]}', place)).toEqual([
    { message: expect.stringMatching(/^no-text /) },
  ])
})

test('findings in JSON are read as they are, and equal ones once', () => {
  const finding = { message: 'm', operation: 'getPet', path: `${place.baseUrl}/pets/1`, status: 200, more: 1 }
  expect(readFindings(JSON.stringify([finding, finding]), place)).toEqual([
    { message: 'm', operation: 'getPet', path: '/pets/1', status: 200n },
  ])
  expect(readFindings(JSON.stringify({ findings: [] }), place)).toEqual([])
  expect(readFindings(' ', place)).toEqual([])
})

test('a message is cut between two characters, and has no character that the host refuses', () => {
  const [finding] = readFindings(JSON.stringify([{ message: `\0${'x'.repeat(299)}😀` }]), place)
  expect(finding?.message).toBe(`${'x'.repeat(299)}\uFFFD`)
  expect(readFindings('[{"message":" "}]', place)).toEqual([{ message: 'a finding without a message' }])
})

test.each([
  ['hello', 'is neither JSON, SARIF nor JUnit XML'],
  ['{"a":1}', 'has no list of findings'],
  ['<testsuite><testcase', 'is no XML'],
  ['<html></html>', 'is XML, but no JUnit XML'],
])('the report %j is refused: it %s', (report, reason) => {
  expect(() => readFindings(report, place)).toThrow(UnreadableFindings)
  expect(() => readFindings(report, place)).toThrow(reason)
})
