import { afterAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, startProcess } from '../support/process.ts'
import { testFolder } from '../support/test-folder.ts'

const directory = testFolder()

let count = 0
const newDirectory = (): string => join(directory, `data-${++count}`)

const failing: { name: string; args?: string[]; env?: Record<string, string>; says: string }[] = [
  {
    name: 'a bad port',
    args: ['--port', 'http'],
    says: '--port=http: the port must be a number from 0 to 65535.',
  },
  ...['https://shop.example/#top', 'https://shop.example?'].map(url => ({
    name: `a base URL with more than a path: ${url}`,
    args: ['--base-url', url],
    says: `--base-url=${url}: it must be a URL such as https://shop.example, without user, query or fragment.`,
  })),
  ...['https://admin:hunter2', 'https:admin:p@ss/word'].map(url => ({
    name: `a base URL with a password, which is not repeated: ${url}`,
    env: { PETSTORE_BASE_URL: `${url}@shop.example` },
    says: 'PETSTORE_BASE_URL=(hidden)@shop.example: it must be a URL such as',
  })),
  ...['', ' ', ':memory:', 'file:data'].map(data => ({
    name: `a data directory called "${data}"`,
    args: ['--data', data],
    says: `--data=${data}: it must name a directory: the store keeps its data in files.`,
  })),
  {
    name: 'a bad clock',
    args: ['--clock', 'tomorrow'],
    says: '--clock=tomorrow: it must be an RFC 3339 instant',
  },
  {
    name: 'a bad stability',
    args: ['--stability', 'alpha'],
    says: '--stability=alpha: it must be one of stable, beta',
  },
  {
    name: 'a bad rate limit',
    env: { PETSTORE_RATE_LIMIT: 'lots' },
    says: 'PETSTORE_RATE_LIMIT=lots: it must be requests/seconds',
  },
  {
    name: 'a rate limit of more than a day',
    env: { PETSTORE_RATE_LIMIT: '10/86401' },
    says: 'PETSTORE_RATE_LIMIT=10/86401: it must have at most 86400 seconds',
  },
  {
    name: 'a bad admin key',
    env: { PETSTORE_ADMIN_KEY: 'secret' },
    says: 'PETSTORE_ADMIN_KEY=(hidden): it must be a complete key',
  },
  {
    name: 'a bad CORS origin',
    env: { PETSTORE_CORS_ORIGINS: 'shop' },
    says: 'PETSTORE_CORS_ORIGINS=shop: each must be',
  },
  {
    name: 'a host with a port',
    args: ['--host', '127.0.0.1:8080'],
    says: '--host=127.0.0.1:8080: it must be an address or a name without scheme and port',
  },
  {
    name: 'a bad network of proxies',
    env: { PETSTORE_TRUSTED_PROXIES: '10.0.0.0/33' },
    says: 'each must be an address or a network',
  },
  {
    name: 'a bad database URL',
    env: { DATABASE_URL: 'mysql://x' },
    says: 'DATABASE_URL=(hidden): it must be a URL such as postgres',
  },
  {
    name: 'a bad log level',
    env: { PETSTORE_LOG_LEVEL: 'loud' },
    says: 'PETSTORE_LOG_LEVEL=loud: it must be one of fatal',
  },
  {
    name: 'a bad retention',
    env: { PETSTORE_EVENT_RETENTION: '90' },
    says: 'PETSTORE_EVENT_RETENTION=90: it must be a number of days (90d) or hours (36h), or forever.',
  },
  {
    name: 'a bad retry schedule',
    env: { PETSTORE_WEBHOOK_RETRIES: '1s,5' },
    says: 'PETSTORE_WEBHOOK_RETRIES=1s,5: it must be 1 to 20 delays, each from 1s to 24h, separated by commas',
  },
  {
    name: 'a bad value of PETSTORE_ALLOW_PRIVATE_WEBHOOKS',
    env: { PETSTORE_ALLOW_PRIVATE_WEBHOOKS: 'yes' },
    says: 'PETSTORE_ALLOW_PRIVATE_WEBHOOKS=yes: it must be one of true, false.',
  },
  {
    name: 'an invalid secret key',
    env: { PETSTORE_SECRET_KEY_FILE: import.meta.path },
    says: 'it must contain 32 random bytes in base64; "petstore new-secret-key FILE" creates one.',
  },
  {
    name: 'a missing secret key file',
    env: { PETSTORE_SECRET_KEY_FILE: join(import.meta.dir, 'no-such-file') },
    says: 'it must name a readable file.',
  },
  {
    name: 'PostgreSQL without a secret key',
    env: { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/x' },
    says: 'PETSTORE_SECRET_KEY_FILE must name the file of the key',
  },
  { name: 'an unknown flag', args: ['--prot', '9000'], says: "unknown option '--prot'" },
]
for (const { name, args = [], env = {}, says } of failing) {
  test(`the start reports ${name}`, async () => {
    const ended = await run(['serve', '--data', newDirectory(), ...args], { PETSTORE_PORT: '0', ...env })
    expect(ended.exitCode).toBeGreaterThan(0)
    expect(ended.errors).toContain(says)
    expect(ended.errors).not.toContain('    at ')
  })
}

test('no message repeats the address of a database, in whatever form and setting it is given', async () => {
  const addresses = [
    'host=127.0.0.1 user=shop password=hunter2 dbname=shop',
    'jdbc:postgresql://127.0.0.1/shop?user=shop&password=hunter2',
    'postgres://127.0.0.1:1/shop?user=shop&password=hunter2&sslmode=no-verify',
    'Server=127.0.0.1;User Id=shop;Password=hunter2;',
    'postgres://shop:hunter2%zz@127.0.0.1:1/shop',
    'shop:hunter2@127.0.0.1/shop',
  ]
  const copyTo = newDirectory()
  const commands = [
    ['serve', '--port', '0', '--database-url'],
    ['serve', '--port', '0', '--data'],
    ['serve', '--host'],
    ['serve'],
    ['copy', '--to', copyTo, '--from'],
    ['health', '--data'],
  ]
  for (const address of addresses) {
    const ran = await Promise.all([
      ...commands.map(args => run([...args, address])),
      ...['DATABASE_URL', 'PETSTORE_DATABASE_PASSWORD_FILE', 'PETSTORE_ADMIN_KEY_FILE', 'PETSTORE_PORT'].map(
        name => run(['serve', '--data', newDirectory()], { [name]: address }),
      ),
    ])
    expect(ran.filter(({ exitCode, errors }) => exitCode === 0 || errors.includes('hunter2'))).toEqual([])
  }
})

test('a store listens on an IPv6 address that is written in brackets', async () => {
  const args = ['serve', '--port', '0', '--no-demo', '--host', '[::1]', '--data', newDirectory()]
  await using server = await startProcess(args)
  expect(server.base).toMatch(/^http:\/\/\[::1\]:\d+$/)
  expect((await fetch(`${server.base}/livez`)).status).toBe(200)
})

test('the start reports a store that is started twice, on the same port and directory', async () => {
  const data = newDirectory()
  await using server = await startProcess(['serve', '--port', '0', '--no-demo', '--data', data])
  const ended = await run(['serve', '--port', new URL(server.base).port, '--no-demo', '--data', data])
  expect(ended.errors.trim()).toBe(
    `The data directory ${data} is in use by another petstore process. Stop it, or choose another --data.`,
  )
  expect(ended.exitCode).toBe(1)
}, 20_000)

test('the start reports a directory that cannot be written', async () => {
  const file = join(directory, 'a-file')
  writeFileSync(file, '')
  const ended = await run(['serve', '--port', '0', '--data', join(file, 'data')])
  expect(ended.errors).toContain(`The data directory ${join(file, 'data')} cannot be written`)
  expect([ended.exitCode, ended.errors.trim().split('\n').length]).toEqual([1, 1])
})

test.each([
  [['openapi', '--base-url', 'nope'], '--base-url=nope: it must be a URL such as https://shop.example'],
  [['openapi', '--base-url', ''], '--base-url=: it must be a URL such as https://shop.example'],
  [['sandboxes', '--allow-private-webhooks'], '--allow-private-webhooks requires --sandbox-webhooks.'],
])('petstore %p is refused', async (words, says) => {
  const { exitCode, output, errors } = await run(words, { PETSTORE_DATA: newDirectory(), PETSTORE_PORT: '0' })
  expect([exitCode, output, errors]).toEqual([2, '', expect.stringContaining(says)])
})

const disk = mkdtempSync(join(tmpdir(), 'petstore-small-disk-'))
// Only root may mount.
const isSmallDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk]).status === 0
afterAll(() => {
  if (isSmallDisk) spawnSync('umount', [disk])
  rmdirSync(disk)
})

test.skipIf(!isSmallDisk)('a host that was killed says at its next start that the disk is full', async () => {
  const args = ['sandboxes', '--data', join(disk, 'data'), '--port', '0', '--log-level', 'error']
  const host = await startProcess(args)
  await fetch(`${host.base}/sandboxes`, { method: 'POST' })
  await host.kill('SIGKILL')
  try {
    for (;;) appendFileSync(join(disk, 'filler'), Buffer.alloc(4096))
  } catch {
    // The disk is full.
  }
  expect(await run(args)).toMatchObject({
    exitCode: 1,
    errors: 'The store cannot start: The store has no space left to write.\n',
  })
})
