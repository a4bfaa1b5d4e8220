import { describe, expect, test } from 'bun:test'
import { clientAddress, isFromThisMachine, rateGroup } from './client-address.ts'

const request = (fields: Record<string, string> = {}) => new Request('http://store/', { headers: fields })

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
      expect(find(request(fields), peer)).toBe(client)
    })
  }

  test('X-Forwarded-For is read from its end, at most 64 hops', () => {
    const hops = Array.from({ length: 2000 }, () => '10.0.0.1').join(',')
    expect(find(request({ 'X-Forwarded-For': `203.0.113.9,${hops}` }), '127.0.0.1')).toBe('10.0.0.1')
  })
})

test('a request is from this machine only if its peer is loopback and it has no forwarding header', () => {
  for (const peer of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
    expect([peer, isFromThisMachine(request(), peer)]).toEqual([peer, true])
  }
  expect(isFromThisMachine(request(), '192.0.2.1')).toBe(false)
  for (const name of ['Forwarded', 'X-Forwarded-For', 'X-Real-IP', 'Via', 'X-Forwarded-Proto']) {
    expect([name, isFromThisMachine(request({ [name]: '' }), '127.0.0.1')]).toEqual([name, false])
  }
})

test('the IPv6 addresses of one /64 share a rate limit, and every other address has its own', () => {
  expect(rateGroup('203.0.113.9')).toBe('203.0.113.9')
  expect(rateGroup('unknown')).toBe('unknown')
  for (const address of ['2001:db8:1:2::1', '2001:0DB8:1:2:ffff::', '2001:db8:1:2:3:4:5:6']) {
    expect(rateGroup(address)).toBe('2001:db8:1:2::/64')
  }
  expect(rateGroup('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(rateGroup('::1')).toBe('0:0:0:0::/64')
  expect(rateGroup('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
})
