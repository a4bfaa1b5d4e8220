import { describe, expect, test } from 'bun:test'
import { clientAddress, isFromThisMachine, peerOf } from './client-address.ts'

const request = (fields: Record<string, string> = {}) => new Request('http://store/', { headers: fields })

/** Returns a server whose connected peer has this address. */
const from = (peer: string) => ({ requestIP: () => ({ address: peer }) })

describe('the client address behind trusted proxies', () => {
  const find = clientAddress(['127.0.0.1', '10.0.0.0/8', '2001:db8:1::/48'])
  const cases: [forwarded: string | undefined, peer: string, client: string][] = [
    ['203.0.113.9', '127.0.0.1', '203.0.113.9'],
    ['203.0.113.9:4711', '127.0.0.1', '203.0.113.9'],
    ['2001:db8::9', '127.0.0.1', '2001:db8::9'],
    ['[2001:db8::9]', '127.0.0.1', '2001:db8::9'],
    ['[2001:db8::9]:4711', '127.0.0.1', '2001:db8::9'],
    ['::ffff:203.0.113.9', '127.0.0.1', '203.0.113.9'],
    ['203.0.113.9', '::ffff:127.0.0.1', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9, 10.1.2.3:80', '127.0.0.1', '203.0.113.9'],
    ['203.0.113.9, [2001:db8:1::5]:80', '127.0.0.1', '203.0.113.9'],
    ['10.1.2.3', '127.0.0.1', '10.1.2.3'],
    [undefined, '127.0.0.1', '127.0.0.1'],
    ['unknown', '127.0.0.1', 'unknown'],
    ['203.0.113.9, unknown', '127.0.0.1', 'unknown'],
    ['203.0.113.9, ', '127.0.0.1', 'unknown'],
    ['', '127.0.0.1', 'unknown'],
    ['_hidden:1', '127.0.0.1', 'unknown'],
    ['203.0.113.9:port', '127.0.0.1', 'unknown'],
    ['[203.0.113.9]:80', '127.0.0.1', 'unknown'],
    ['203.0.113.9', '192.0.2.1', '192.0.2.1'],
  ]
  for (const [forwarded, peer, client] of cases) {
    const field = forwarded === undefined ? 'no X-Forwarded-For' : `X-Forwarded-For "${forwarded}"`
    test(`a request from peer ${peer} with ${field} has the client address ${client}`, () => {
      const fields = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded }
      expect(find(request(fields), from(peer))).toBe(client)
    })
  }

  test('X-Forwarded-For is read from its end, at most 64 hops', () => {
    const hops = Array.from({ length: 2000 }, () => '10.0.0.1').join(',')
    expect(find(request({ 'X-Forwarded-For': `203.0.113.9,${hops}` }), from('127.0.0.1'))).toBe('10.0.0.1')
  })
})

describe('the client address without trusted proxies', () => {
  const noServer = {
    requestIP: () => {
      throw new Error('the peer was looked up')
    },
  }

  test.each(['127.0.0.1', '::1'])('on %s, it is that address, and the peer is not looked up', host => {
    expect(clientAddress([], host)(request({ 'X-Forwarded-For': '203.0.113.9' }), noServer)).toBe(host)
  })

  test.each(['0.0.0.0', '::', '192.0.2.7', 'localhost', undefined])('on %s, it is that of the peer', host => {
    const find = clientAddress([], host)
    expect(find(request({ 'X-Forwarded-For': '203.0.113.9' }), from('192.0.2.1'))).toBe('192.0.2.1')
    expect(find(request(), from('::ffff:192.0.2.1'))).toBe('192.0.2.1')
  })

  test('on 127.0.0.1 with trusted proxies, the peer is looked up, so only those proxies are trusted', () => {
    const find = clientAddress(['127.0.0.2'], '127.0.0.1')
    expect(find(request({ 'X-Forwarded-For': '203.0.113.9' }), from('127.0.0.2'))).toBe('203.0.113.9')
    expect(find(request({ 'X-Forwarded-For': '203.0.113.9' }), from('127.0.0.3'))).toBe('127.0.0.3')
  })
})

test('the address of a peer has no IPv4 mapping, and is empty after the connection was closed', () => {
  expect(peerOf(request(), from('::ffff:192.0.2.1'))).toBe('192.0.2.1')
  expect(peerOf(request(), { requestIP: () => null })).toBe('')
})

test('a request is from this machine only if its peer is loopback and it names no proxy and no foreign host', () => {
  const isLocal = (headers: Record<string, string>, peer = '127.0.0.1') =>
    isFromThisMachine(request({ Host: '127.0.0.1:8080', ...headers }), peer, 'http://shop.example')
  for (const peer of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    expect([peer, isLocal({}, peerOf(request(), from(peer)))]).toEqual([peer, true])
  expect(isLocal({}, '192.0.2.1')).toBe(false)
  for (const name of ['Forwarded', 'X-Forwarded-For', 'X-Real-IP', 'Via', 'X-Forwarded-Proto'])
    expect([name, isLocal({ [name]: '' })]).toEqual([name, false])
  const hosts = [
    '[::1]:8080',
    'localhost',
    'LOCALHOST:1',
    'shop.localhost:8080',
    '192.0.2.7',
    'shop.example:8080',
  ]
  expect(hosts.filter(host => !isLocal({ Host: host }))).toEqual([])
  const foreign = [
    'rebound.example',
    'localhost.example:8080',
    'shop.example.rebound.example',
    '127.0.0.1.example',
    '',
  ]
  expect(foreign.filter(host => isLocal({ Host: host }))).toEqual([])
})
