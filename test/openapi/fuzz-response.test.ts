import { describe, expect, test } from 'bun:test'
import { type FuzzResponse, ResponseReader } from '../../fuzz/fuzz-response.ts'

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

/** Returns the response that a reader finds in a text that arrives at once; undefined if it is incomplete. */
function readAtOnce(text: string, method = 'GET'): FuzzResponse | undefined {
  return new ResponseReader(method).take(Buffer.from(text, 'latin1'))
}

/** Returns the status and the body of a text that arrives byte by byte. They must be found at the last byte. */
function readSlowly(text: string): string | undefined {
  const reader = new ResponseReader('GET')
  const bytes = Buffer.from(text, 'latin1')
  const taken = Array.from(bytes, byte => reader.take(Uint8Array.of(byte)))
  expect(taken.slice(0, -1).filter(response => response)).toEqual([])
  return shown(taken.at(-1))
}

function shown(response: FuzzResponse | undefined): string | undefined {
  return response && `${response.status} ${response.body.toString('latin1')}`
}

const readable: readonly (readonly [title: string, text: string, response: string])[] = [
  ['with a body of known length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', '200 {}'],
  ['without a body', 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', '404 '],
  ['in chunks', `${CHUNKED}2\r\nab\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n`, '200 ab0123456789'],
  ['after an interim response', `HTTP/1.1 100 Continue\r\n\r\n${CHUNKED}1\r\na\r\n0\r\n\r\n`, '200 a'],
  [
    'after two interim responses',
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
    '204 ',
  ],
]

describe('the fuzzer reads a response', () => {
  test.each(readable)('%s', (_, text, response) => {
    expect(shown(readAtOnce(text))).toBe(response)
    expect(readSlowly(text)).toBe(response)
  })
})

const unusable: readonly (readonly [title: string, text: string, reason: string])[] = [
  ['a chunk size that is not a number', `${CHUNKED}zz\r\nab\r\n0\r\n\r\n`, 'zz'],
  ['a negative chunk size', `${CHUNKED}-1\r\nab\r\n0\r\n\r\n`, '-1'],
  ['a chunk without an end', `${CHUNKED}1\r\nabc\r\n0\r\n\r\n`, 'chunk of 1 bytes'],
  ['trailers', `${CHUNKED}0\r\nExpires: 0\r\n\r\n`, 'chunk of 0 bytes'],
  ['a Content-Length that is not a number', 'HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\n{}', 'two'],
  ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n', 'SSH-2.0-OpenSSH'],
]

describe('the fuzzer reports that it cannot use a response with', () => {
  test.each(unusable)('%s', (_, text, reason) => {
    const response = readAtOnce(text)
    expect(response?.status).toBe(0)
    expect(String(response?.body)).toContain(reason)
  })
})

describe('the fuzzer keeps surplus bytes in the body of a response', () => {
  test.each([
    ['of known length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}!', 'GET', '200 {}!'],
    ['in chunks', `${CHUNKED}2\r\n{}\r\n0\r\n\r\n!`, 'GET', '200 {}!'],
    ['to HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', 'HEAD', '200 {}'],
  ])('%s', (_, text, method, response) => {
    expect(shown(readAtOnce(text, method))).toBe(response)
  })
})
