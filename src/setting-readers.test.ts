import { afterEach, expect, test } from 'bun:test'
import { readConfig, settings, unknownVariables } from './config.ts'
import {
  readHost,
  readIdleSeconds,
  readNetwork,
  readOrigin,
  readRetryDelays,
  readSecurityContact,
  readShopName,
} from './setting-readers.ts'
import { RETRY_DELAYS_MS } from './webhooks/retry.ts'

const { PETSTORE_PORT } = process.env
afterEach(() => {
  if (PETSTORE_PORT === undefined) delete process.env.PETSTORE_PORT
  else process.env.PETSTORE_PORT = PETSTORE_PORT
})

test('the delays between attempts are read in seconds, minutes and hours', () => {
  expect(readRetryDelays('1s,5s,1m')).toEqual([1000, 5000, 60_000])
  expect(readRetryDelays(' 1s, 2h ')).toEqual([1000, 7_200_000])
  expect(readRetryDelays('86400s,1440m,24h')).toEqual([86_400_000, 86_400_000, 86_400_000])
  expect(readRetryDelays(Array.from({ length: 20 }, () => '1s').join())).toHaveLength(20)
})

test('invalid delays between attempts are refused', () => {
  const tooMany = Array.from({ length: 21 }, () => '1s').join()
  const texts = [
    '',
    ',',
    '1s,',
    '1s,,2s',
    '0s',
    '01s',
    '-1s',
    '1.5s',
    '1',
    '1d',
    '500ms',
    '25h',
    '86401s',
    tooMany,
  ]
  const refused = texts.filter(text => {
    try {
      readRetryDelays(text)
      return false
    } catch (error) {
      return String(error).includes('it must be 1 to 20 delays, each from 1s to 24h')
    }
  })
  expect(refused).toEqual(texts)
})

test('the description of the delays between attempts names the default schedule', () => {
  const [, schedule = ''] = /\(default: (.*)\)/.exec(settings.webhookRetries.description) ?? []
  expect(readRetryDelays(schedule)).toEqual([...RETRY_DELAYS_MS])
})

test('a trusted proxy is an address or a network, with at most one prefix length', () => {
  for (const good of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8']) expect(readNetwork(good)).toBe(good)
  for (const bad of ['', 'proxy', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/8/9', '10.0.0.0/-1']) {
    expect(() => readNetwork(bad)).toThrow('each must be an address or a network')
  }
})

test('the contact for vulnerabilities is a mail address or a page with https', () => {
  for (const good of ['mailto:security@shop.example', 'https://shop.example/security?a=b#c'])
    expect(readSecurityContact(good)).toBe(good)
  for (const bad of [
    '',
    'security@shop.example',
    'mailto:shop',
    'mailto:a@b\nExpires: x',
    'http://shop.example',
    'https://x/ y',
  ])
    expect(() => readSecurityContact(bad)).toThrow('such as mailto:security@shop.example')
})

test('a host is an address or a name, and the brackets of an IPv6 address are removed', () => {
  for (const good of ['127.0.0.1', '::', '0.0.0.0', 'localhost', 'till-2.shop.example', 'fe80::1%eth0']) {
    expect(readHost(good)).toBe(good)
  }
  expect([readHost('[::1]'), readHost('[::]')]).toEqual(['::1', '::'])
  for (const bad of [
    '',
    ' ',
    '*',
    '[::1]:8080',
    '127.0.0.1:80',
    'http://localhost',
    'localhost/',
    '[localhost',
  ]) {
    expect(() => readHost(bad)).toThrow('it must be an address or a name without scheme and port')
  }
})

test('the brackets of an IPv6 address of a trusted proxy are removed', () => {
  expect([readNetwork('[::1]'), readNetwork('[fd00::]/8')]).toEqual(['::1', 'fd00::/8'])
})

test('an origin that no browser sends is refused, with the origin that browsers send if there is one', () => {
  for (const good of ['*', 'https://shop.example', 'http://localhost:3000', 'http://[::1]:3000']) {
    expect(readOrigin(good)).toBe(good)
  }
  const written = {
    'https://SHOP.example': 'https://shop.example',
    'https://shop.example/': 'https://shop.example',
    'https://shop.example:443': 'https://shop.example',
    'http://shop.example:80/pets': 'http://shop.example',
    'https://b\u00fccher.example': 'https://xn--bcher-kva.example',
    'https://user:hunter2@shop.example': 'https://shop.example',
  }
  for (const [entry, origin] of Object.entries(written)) {
    expect(() => readOrigin(entry)).toThrow(`browsers send ${origin}: write it exactly like this.`)
  }
  for (const bad of [
    'https://*.shop.example',
    'https://*',
    'null',
    'shop.example',
    'ftp://shop.example',
    '',
  ]) {
    expect(() => readOrigin(bad)).toThrow('each must be * or an origin such as https://shop.example')
  }
})

test('a setting is that of its option, its variable, the command or the table, and an empty variable is none', () => {
  const portOf = (variable: string, option?: string): number => {
    process.env.PETSTORE_PORT = variable
    return readConfig({ port: option }, { port: '8081' }).port
  }
  expect([portOf('9000', '7000'), portOf('9000'), portOf('')]).toEqual([7000, 9000, 8081])
  expect(readConfig({}).port).toBe(8080)
  // Kubernetes injects this for a Service named petstore.
  expect(portOf('tcp://10.96.0.7:80')).toBe(8081)
  expect(() => portOf('udp://10.96.0.7:80')).toThrow('PETSTORE_PORT=udp://10.96.0.7:80:')
  expect(() => portOf('http')).toThrow('PETSTORE_PORT=http: the port must be a number from 0 to 65535.')
  expect(() => portOf('9000', '70000')).toThrow('--port=70000: the port must be a number from 0 to 65535.')
})

test('a variable that looks like a setting and is none is found, but not those of Kubernetes', () => {
  const others = [
    'PATH',
    'PETSTORE_DATA',
    'PETSTORE_DATABASE_PASSWORD_FILE',
    'PETSTORE_KEY',
    'PETSTORE_SANDBOXES',
  ]
  const injected = ['SERVICE_HOST', 'SERVICE_PORT_HTTP', 'PORT_8080_TCP_ADDR', 'DB_PORT', 'DB_PORT_5432_TCP']
  const misspelled = ['PETSTORE_DATABASE_URL', 'PETSTORE_TIMEZONE', 'PETSTORE_DATA_DIR']
  const names = [...others, ...injected.map(name => `PETSTORE_${name}`), ...misspelled]
  expect(unknownVariables(names)).toEqual(misspelled)
})

test('an option without a value sets its setting only if the user gave it', () => {
  const given = readConfig({ demo: false, allowPrivateWebhooks: true })
  expect([given.demo, given.allowPrivateWebhooks]).toEqual([false, true])
  // This is what commander reports for `--no-demo` that was not given.
  expect(readConfig({ demo: true }).demo).toBe(true)
})

test('an idle connection can be kept for 20 to 255 seconds', () => {
  expect(['20', '255'].map(readIdleSeconds)).toEqual([20, 255])
  for (const bad of ['19', '256', '20s', ''])
    expect(() => readIdleSeconds(bad)).toThrow('it must be a number of seconds from 20 to 255.')
})

test('a message shows a value that is refused, but never a password in it', () => {
  const shownAs = (baseUrl: string): string => {
    try {
      readConfig({ baseUrl })
    } catch (error) {
      return String(error).split(': it must')[0] ?? ''
    }
    return 'accepted'
  }
  const shown = [
    '"https://shop.example"',
    "'https://shop.example/#top'",
    'ftp://shop.example/?a=1&token=p@ss;x',
    'https://admin:hun/ter=2@shop.example',
    '//u:p@x //v:q@y?password=z w',
  ].map(shownAs)
  expect(shown).toEqual([
    'Error: --base-url="https://shop.example"',
    "Error: --base-url='https://shop.example/#top'",
    'Error: --base-url=(hidden)@ss;x',
    'Error: --base-url=(hidden)@shop.example',
    'Error: --base-url=(hidden)@y?password=(hidden) w',
  ])
})

test('the name of a shop has 1 to 80 characters, and is printed as one line', () => {
  const longest = '\u{1f436}'.repeat(80)
  expect([' Käthe & Söhne ', longest].map(readShopName)).toEqual(['Käthe & Söhne', longest])
  expect(readConfig({ shopName: 'Ida' }).shopName).toBe('Ida')
  expect(readConfig({}).shopName).toBe('Petstore')
  for (const text of [' ', `${longest}x`, 'two\nlines', 'a\u202eb'])
    expect(() => readShopName(text)).toThrow('it must have 1 to 80 characters')
})
