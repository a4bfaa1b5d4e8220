import { expect, test } from 'bun:test'
import { ipv6Groups, networkCheck, rateGroup } from './ip-address.ts'

test('the IPv6 addresses of one /64 share a rate limit, and every other address has its own', () => {
  expect(rateGroup('203.0.113.9')).toBe('203.0.113.9')
  expect(rateGroup('unknown')).toBe('unknown')
  for (const address of ['2001:db8:1:2::1', '2001:0DB8:1:2:ffff::', '2001:db8:1:2:3:4:5:6']) {
    expect(rateGroup(address)).toBe('2001:db8:1:2::/64')
  }
  expect(rateGroup('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(rateGroup('::1')).toBe('0:0:0:0::/64')
  expect(rateGroup('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
  expect(rateGroup('2001:db8::1:203.0.113.9%eth0.100')).toBe('2001:db8:0:0::/64')
})

test('an IPv6 address has eight groups, also with an IPv4 address at its end', () => {
  expect(ipv6Groups('::').join(':')).toBe('0:0:0:0:0:0:0:0')
  expect(ipv6Groups('2001:db8::5efe:127.0.0.1').join(':')).toBe('2001:db8:0:0:0:5efe:7f00:1')
})

test('a list of networks contains their addresses, and no text that is not an address', () => {
  const contains = networkCheck(['10.0.0.0/8', '192.0.2.1', 'fd00::/8'])
  for (const address of ['10.255.255.255', '192.0.2.1', 'fd12::1'])
    expect([address, contains(address)]).toEqual([address, true])
  for (const other of ['11.0.0.0', '192.0.2.2', 'fe00::', '10.0.0.1:80', ''])
    expect([other, contains(other)]).toEqual([other, false])
})
