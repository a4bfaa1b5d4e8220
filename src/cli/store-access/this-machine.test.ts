import { expect, test } from 'bun:test'
import { hostname, networkInterfaces } from 'node:os'
import { isThisMachine } from './this-machine.ts'

test('an address is that of this machine by its names, by 127.0.0.0/8 and by each of its interfaces', () => {
  const own = Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(({ address }) => address))
  expect(own.length).toBeGreaterThan(0)
  const hosts = [...own, 'localhost', hostname(), '127.0.0.2', '::1']
  const others = hosts.filter(
    host => !isThisMachine(`http://${host.includes(':') ? `[${host}]` : host}:8080`),
  )
  expect(others).toEqual([])
  expect(isThisMachine('http://192.0.2.1:8080')).toBe(false)
  expect(isThisMachine('http://shop.example')).toBe(false)
})
