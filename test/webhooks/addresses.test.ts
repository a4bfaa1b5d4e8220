import { expect, test } from 'bun:test'
import { isIP } from 'node:net'
import {
  AddressRefused,
  type AddressRules,
  checkAddress,
  type Destination,
  hostOf,
  type Resolve,
  resolveHost,
  resolveWithin,
} from '../../src/webhooks/address.ts'
import { attempt } from '../../src/webhooks/attempt.ts'
import { post } from '../../src/webhooks/request.ts'
import { openReceiver } from '../support/receiver.ts'
import { type HostileUrl, hostileUrls, PUBLIC } from './hostile-urls.ts'

const LOOPBACK = '127.0.0.1'

const goodUrls: readonly string[] = [
  'http://shop.example',
  'https://shop.example/',
  'HTTPS://SHOP.EXAMPLE:8443/hooks/pets?key=a%20b&at=12:30@noon',
  'http://shop.example./hook',
  'http://bücher.example/',
  'http://xn--bcher-kva.example/päckchen',
  `http://shop.example/${'a'.repeat(2048 - 20)}`,
]

/** Public addresses, most of them directly next to a special network. */
const goodAddresses = `1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
  168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0
  192.0.1.255 192.0.3.0 192.31.195.255 192.31.197.0 192.52.192.255 192.52.194.0 192.88.98.255 192.88.100.0
  192.167.255.255 192.169.0.0 192.175.47.255 192.175.49.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0
  203.0.112.255 203.0.114.0 223.255.255.255 2000:: 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:200::
  2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2003::
  2620:4f:7fff:ffff:ffff:ffff:ffff:ffff 2620:4f:8001:: 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:1000::
  3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2a00:1:2:3:5efe::1
  2a00:1:2:3:1:5efe:7f00:1 1.1.1.1 2a00:1450:4001:80e::200e`.split(/\s+/)

function publicOnly(resolve: Resolve): AddressRules {
  return { allowPrivate: false, resolve }
}

/** Returns a resolver that returns each of the answers in turn, then always the last one, and counts its lookups. */
function resolverOf(...answers: readonly (readonly string[])[]): Resolve & { lookups: number } {
  const resolve = async (): Promise<readonly string[]> => {
    const answer = answers[Math.min(resolve.lookups, answers.length - 1)]
    resolve.lookups += 1
    return answer ?? []
  }
  resolve.lookups = 0
  return resolve
}

async function refusalOf(url: string, rules: AddressRules): Promise<string> {
  const refused = await checkAddress(url, rules).catch((error: unknown) => error)
  return refused instanceof AddressRefused ? refused.message : `not refused: ${JSON.stringify(refused)}`
}

interface Outcome {
  readonly passed: readonly string[]
  readonly connects: number
}

/**
 * Sends a request to each hostile URL that passes the check. A destination outside this machine, or with https, is only
 * counted.
 */
async function attack(urls: readonly HostileUrl[], allowPrivate: boolean, port: number): Promise<Outcome> {
  const passed: string[] = []
  let connects = 0
  const connect = async (destination: Destination): Promise<void> => {
    connects += 1
    if (destination.addresses[0] !== LOOPBACK || destination.url.protocol !== 'http:') return
    await post({ destination, headers: {}, body: '{}', timeoutMs: 5000 })
  }
  for (const { url, why, answers = [PUBLIC] } of urls) {
    const rules = { allowPrivate, resolve: resolverOf(answers) }
    try {
      await connect(await checkAddress(url.replace('{port}', String(port)), rules))
      passed.push(`${url} (${why})`)
    } catch (error) {
      if (!(error instanceof AddressRefused)) throw error
    }
  }
  return { passed, connects }
}

test(`none of ${hostileUrls.length} hostile URLs passes, and no connection is made`, async () => {
  await using receiver = await openReceiver()
  expect(hostileUrls.length).toBeGreaterThanOrEqual(220)
  const outcome = await attack(hostileUrls, false, receiver.port)
  expect(outcome).toEqual({ passed: [], connects: 0 })
  expect(receiver.connections()).toBe(0)
})

test('control: if private addresses are allowed, hostile URLs reach the listener', async () => {
  await using receiver = await openReceiver()
  const { connects } = await attack(hostileUrls, true, receiver.port)
  expect(connects).toBeGreaterThan(receiver.connections())
  expect(receiver.connections()).toBeGreaterThan(20)
})

test('every refusal is a sentence, and names the host and the address if they are known', async () => {
  for (const { url, answers = [PUBLIC] } of hostileUrls) {
    const message = await refusalOf(url.replace('{port}', '8080'), publicOnly(resolverOf(answers)))
    expect(message).toMatch(/^The [^\n]+\.$/)
  }
  expect(await refusalOf('http://shop.example/', publicOnly(resolverOf([PUBLIC, '10.1.2.3'])))).toBe(
    'The host shop.example has the address 10.1.2.3, which is not on the public Internet (private use); only --allow-private-webhooks permits it.',
  )
  expect(await refusalOf('http://0x7f.1/', publicOnly(resolverOf([])))).toBe(
    'The address 127.0.0.1 is not on the public Internet (loopback); only --allow-private-webhooks permits it.',
  )
})

test('a URL of a public host passes, and its destination has the first four addresses of the host', async () => {
  const many = [PUBLIC, '2a00:1450:4001:80e::200e', '8.8.8.8', '1.1.1.1', '9.9.9.9']
  for (const url of goodUrls) {
    const destination = await checkAddress(url, publicOnly(resolverOf(many)))
    expect(destination.url).toEqual(new URL(url))
    const host = hostOf(destination.url)
    expect(destination.addresses).toEqual(isIP(host) === 0 ? many.slice(0, 4) : [host])
  }
})

test('a URL with a backslash is refused, although the parser of URLs would accept it', async () => {
  const refusal = await refusalOf('http://shop.example\\hook', publicOnly(resolverOf(['93.184.215.14'])))
  expect(refusal).toBe('The URL contains whitespace, a control character or a backslash.')
})

test('a URL whose host cannot exist is refused: with an empty or a long label, or too long', async () => {
  const never = async (): Promise<never> => {
    throw new Error('the name must not be looked up')
  }
  const long = 'a'.repeat(64)
  for (const host of ['.', '..', 'a..b.example', `${long}.example`, `${'a.'.repeat(130)}example`])
    expect([host, await refusalOf(`http://${host}/`, publicOnly(never))]).toEqual([
      host,
      'The URL has no valid host and port.',
    ])
})

test('addresses next to the special networks pass, as literals and as resolved addresses', async () => {
  for (const address of goodAddresses) {
    const family = address.includes(':') ? 6 : 4
    const resolve = resolverOf([address])
    const url = `http://${family === 6 ? `[${address}]` : address}/`
    expect(await checkAddress(url, publicOnly(resolve))).toEqual({ url: new URL(url), addresses: [address] })
    expect(resolve.lookups).toBe(0)
    expect(await checkAddress('http://a.example/', publicOnly(resolve))).toMatchObject({
      addresses: [address],
    })
  }
})

test('private addresses pass if they are allowed, but the rules of the URL text still apply', async () => {
  const rules = { allowPrivate: true, resolve: resolverOf([LOOPBACK]) }
  expect(await checkAddress('http://localhost:8080/', rules)).toMatchObject({ addresses: [LOOPBACK] })
  expect(await checkAddress('http://[::1]:8080/', rules)).toMatchObject({ addresses: ['::1'] })
  for (const url of ['http://user@localhost/', 'http://localhost/#', 'ftp://localhost/', 'http://']) {
    expect(await refusalOf(url, rules)).toStartWith('The URL ')
  }
})

test('a URL is refused if the lookup of its host fails or takes too long', async () => {
  const failing: Resolve = async () => {
    throw new Error('ENOTFOUND')
  }
  expect(await refusalOf('http://shop.example/', publicOnly(failing))).toBe(
    'The host shop.example could not be resolved.',
  )
  const stuck = resolveWithin(20, () => Promise.withResolvers<readonly string[]>().promise)
  expect(await refusalOf('http://shop.example/', publicOnly(stuck))).toBe(
    'The host shop.example could not be resolved within 20 ms.',
  )
})

test('the system resolves localhost to the loopback address, which is refused', async () => {
  expect(await resolveHost('localhost')).toContain(LOOPBACK)
  expect(await refusalOf('http://localhost/', publicOnly(resolveHost))).toContain('loopback')
})

/** Makes one delivery to a URL. Returns the status, or why there is none. */
async function deliver(url: string, rules: AddressRules): Promise<number | string> {
  const receiver = {
    url,
    types: null,
    secret: 'secret',
    previousSecret: null,
    previousUntil: null,
    failures: 0n,
  }
  const event = { id: 1n, position: 1n, subject: 'pets/1', data: '{}', at: '2026-01-01T00:00:00.000Z' }
  const decrypt = (): string => `whsec_${btoa('x'.repeat(32))}`
  const delivery = { base: 'http://store.example', rules, decrypt, clock: Date.now }
  const { status, error } = await attempt(delivery, receiver, {
    ...event,
    type: 'petstore.pet.created',
    traceparent: null,
  })
  return status ?? error ?? 'nothing'
}

test('no connection is made to a name that moves to a private address after its registration', async () => {
  await using receiver = await openReceiver()
  const rules = publicOnly(resolverOf([PUBLIC], [LOOPBACK]))
  const url = `http://shop.example:${receiver.port}/hook`
  await checkAddress(url, rules)
  for (let attempts = 0; attempts < 3; attempts++)
    expect(await deliver(url, rules)).toContain('not on the public Internet')
  expect(receiver.connections()).toBe(0)
  expect(await deliver(url, { ...rules, allowPrivate: true })).toBe(204)
})

test('a host name is not resolved again between the check and the connection', async () => {
  await using receiver = await openReceiver()
  const resolve = resolverOf([LOOPBACK], [])
  const url = `http://shop.example:${receiver.port}/hook`
  const destination = await checkAddress(url, { allowPrivate: true, resolve })
  await post({ destination, headers: {}, body: '{}', timeoutMs: 5000 })
  expect(resolve.lookups).toBe(1)
  expect(receiver.connections()).toBe(1)
})
