import { expect, test } from 'bun:test'
import { isDatabaseAddress, parseDatabaseUrl } from './database-url.ts'

/** Returns the hosts of an address in short form, or the message of the refusal. */
function hostsOf(url: string): string {
  try {
    return parseDatabaseUrl(url)
      .hosts.map(({ url: own, sslMode }) => `${own} ${sslMode}`)
      .join(', ')
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

test('a URL is parsed to its hosts, each with a port and a TLS mode', () => {
  const expected = {
    'postgres://u:p@localhost/shop': 'postgres://u:p@localhost:5432/shop disable',
    'postgresql://u@127.0.0.1:6000/shop': 'postgresql://u@127.0.0.1:6000/shop disable',
    'postgres://u@[::1]/shop': 'postgres://u@[::1]:5432/shop disable',
    'postgres:///shop': 'postgres://localhost:5432/shop disable',
    'postgres://u@db.example/shop': 'postgres://u@db.example:5432/shop verify-full',
    'postgres://u@10.0.0.5/shop?sslmode=require': 'postgres://u@10.0.0.5:5432/shop require',
    'postgres://u@a,b:6000/s?target_session_attrs=read-write':
      'postgres://u@a:5432/s verify-full, postgres://u@b:6000/s verify-full',
    'postgres://u:100%25@localhost/shop?application_name=till':
      'postgres://u:100%25@localhost:5432/shop?application_name=till disable',
    'postgres://u@db/s?sslrootcert=system': 'postgres://u@db:5432/s verify-full',
    'postgres://u@localhost/s?schema=shop&connection_limit=5&pool_timeout=0&pgbouncer=false':
      'postgres://u@localhost:5432/s?search_path=shop disable',
    'postgres://u@db/s?sslmode=require&channel_binding=require&supa=base-pooler.x&connect_timeout=10':
      'postgres://u@db:5432/s require',
    // A name that begins like an address of this machine is another machine.
    'postgres://u@127.0.0.1.example/shop': 'postgres://u@127.0.0.1.example:5432/shop verify-full',
  }
  expect(Object.fromEntries(Object.keys(expected).map(url => [url, hostsOf(url)]))).toEqual(expected)
})

test('an invalid address is refused with a sentence that does not contain the password', () => {
  const example = 'it must be a URL such as postgres://user:password@host:5432/name.'
  const noHost = 'it has no valid host; in a password, characters such as / and @ must be percent-encoded.'
  const expected = {
    'mysql://u:secret@localhost/shop': example,
    localhost: example,
    '"postgres://u:secret@localhost/shop"': 'it must not begin or end with a quote or a blank.',
    'postgres://u:secret@localhost/shop\n': 'it must not begin or end with a quote or a blank.',
    'postgres://u:sec#ret@localhost/shop': 'it has a #: write %23 in a password.',
    'postgres://u:se/cret@localhost/shop': noHost,
    'postgres://u:secret@localhost:99999/shop': noHost,
    'postgres://u:secret@a,,b/shop': noHost,
    'postgres://u:sec%zzret@localhost/shop':
      'its user, password, host or database has characters that must be percent-encoded, such as %25 for %.',
    'host=localhost user=u password=secret': example,
    'jdbc:postgresql://localhost/shop?password=secret': example,
    'postgres://u:secret@db/s?sslrootcert=system&sslmode=require':
      'with sslrootcert=system, sslmode must be verify-full.',
    'postgres://u:secret@db:6543/s?pgbouncer=true':
      'pgbouncer=true is for a pooler: use the address of PostgreSQL itself, often with port 5432.',
    'postgres://u:secret@localhost/shop?sslmode=on':
      'sslmode must be one of disable, prefer, require, verify-ca, verify-full.',
  }
  expect(Object.fromEntries(Object.keys(expected).map(url => [url, hostsOf(url)]))).toEqual(expected)
})

test('the name of a host contains no part of a password that is not percent-encoded', () => {
  const [host] = parseDatabaseUrl('postgres://u:p@ss@db/shop').hosts
  expect([host?.name, host?.url]).toEqual(['db:5432', 'postgres://u:p@ss@db:5432/shop'])
})

test('the root certificate and the function that returns the password are passed on', () => {
  const passwordOf = () => 'later'
  const [host] = parseDatabaseUrl('postgres://u@db/shop?sslrootcert=/etc/ca.pem', passwordOf).hosts
  expect(host).toMatchObject({ rootCertificate: '/etc/ca.pem', passwordOf, url: 'postgres://u@db:5432/shop' })
})

test('a text is recognized as the address of a database in any form, and a path is not', () => {
  const addresses = [
    'postgres:/x',
    'jdbc:postgresql:x',
    'mysql://x',
    'u:p@h/x',
    'dbname=x',
    'Server=h;Pwd=x',
    'a password = b',
  ]
  expect(addresses.filter(text => !isDatabaseAddress(text))).toEqual([])
  const paths = [
    './data',
    '/srv/shop',
    'data',
    'C:\\shop',
    '/srv/a@b',
    'my data',
    '/srv/x=1',
    '/home/me/dbname=x',
  ]
  expect(paths.filter(isDatabaseAddress)).toEqual([])
})
