import { expect, test } from 'bun:test'
import { readableLine } from './readable-log.ts'

const time = new Date(2026, 10, 21, 12, 30, 1).getTime()

const request = {
  level: 30,
  time,
  requestId: 'till-2.42',
  method: 'GET',
  path: '/pets',
  status: 200,
  ms: 1.234,
  operationId: 'listPets',
  address: '127.0.0.1',
  msg: 'responded',
}

const cases: { name: string; entry: object; line: string }[] = [
  { name: 'a request', entry: request, line: '12:30:01 GET /pets 200 1.2 ms\n' },
  {
    name: 'a refused request with a key',
    entry: { ...request, status: 409, code: 'insufficient_stock', keyId: '7' },
    line: '12:30:01 GET /pets 409 1.2 ms code=insufficient_stock keyId=7\n',
  },
  {
    name: 'a request that failed, with the id under which its error is logged',
    entry: { ...request, status: 500, code: 'internal_error' },
    line: '12:30:01 GET /pets 500 1.2 ms code=internal_error requestId=till-2.42\n',
  },
  {
    name: 'a path with its control characters escaped',
    entry: { ...request, path: '/\u001b[2J\r\n12:30:02 GET /\u202egpj\u009b' },
    line: '12:30:01 GET /\\u{1b}[2J\\u{d}\\u{a}12:30:02 GET /\\u{202e}gpj\\u{9b} 200 1.2 ms\n',
  },
  {
    name: 'a value in quotes if it looks like two fields',
    entry: { ...request, traceparent: 'x" keyId=1' },
    line: '12:30:01 GET /pets 200 1.2 ms traceparent="x\\" keyId=1"\n',
  },
  {
    name: 'an entry that is not about a request, with its level, message and fields',
    entry: { level: 30, time, base: 'http://127.0.0.1:8080', engine: 'sqlite', msg: 'listening' },
    line: '12:30:01 info listening base=http://127.0.0.1:8080 engine=sqlite\n',
  },
  {
    name: 'an error with its stack indented',
    entry: { level: 50, time, requestId: 'r1', error: 'Error: x\n    at y\u0007', msg: 'failed' },
    line: '12:30:01 ERROR failed requestId=r1\n    Error: x\n        at y\\u{7}\n',
  },
]

for (const { name, entry, line } of cases) {
  test(`the readable log shows ${name}`, () => {
    expect(readableLine(`${JSON.stringify(entry)}\n`)).toBe(line)
  })
}
