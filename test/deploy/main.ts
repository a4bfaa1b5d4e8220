import type { Browser } from 'playwright-core'
import { createClient } from '../../src/client/petstore-client.ts'
import { launchBrowser } from '../support/browser.ts'
import { makeClient } from '../support/client.ts'
import { freePort } from '../support/free-port.ts'
import { openStream } from '../support/open-stream.ts'
import { makePet } from '../support/shop.ts'
import { ADMIN_KEY, openTestStore, type TestStore } from '../support/store.ts'
import { checkAlerts } from './alerts.ts'
import { checkLitestream } from './litestream.ts'
import { checkPgBackRest } from './pgbackrest.ts'
import { configurations, type ProxyConfiguration, startProxy } from './proxy-process.ts'
import { checkRestarts } from './restarts.ts'

// `npm run check:deploy` runs this program: it uses a store through each proxy that docs/reverse-proxy.md configures,
// with exactly these configurations, except their addresses and TLS.

/** Far below the 15 seconds after which a stream sends a byte by itself. */
const AT_ONCE_MS = 5000

/** A store behind a proxy. */
interface Deployed {
  readonly store: TestStore
  /** The address of the proxy. */
  readonly base: string
  readonly browser: Browser
  readonly program: ProxyConfiguration['program']
}

type Check = (deployed: Deployed) => Promise<void>

function assert(isTrue: boolean, message: string): void {
  if (!isTrue) throw new Error(message)
}

const checks: Readonly<Record<string, Check>> = {
  'a resource is changed with its ETag, which is weak if it was compressed': async ({
    store,
    base,
    program,
  }) => {
    const { categoryId } = await makePet(store.client)
    const headers = { Authorization: `Bearer ${ADMIN_KEY}`, 'Content-Type': 'application/json' }
    const url = `${base}/categories/${categoryId}`
    const read = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' }, decompress: false })
    const isCompressed = program !== 'caddy'
    assert((read.headers.get('content-encoding') === 'gzip') === isCompressed, 'it is compressed, or is not')
    const etag = read.headers.get('etag') ?? ''
    assert(etag.startsWith('W/') === isCompressed, `the ETag is ${etag}`)
    const body = '{"name":"Changed"}'
    const write = (name: string) =>
      fetch(url, { method: 'PATCH', headers: { ...headers, [name]: etag }, body })
    assert((await write('If-Match')).status === 200, 'the change was refused')
    assert((await write('If-Match')).status === 412, 'a change with the ETag of before was not refused')
    const client = createClient({ baseUrl: base, key: ADMIN_KEY })
    const seen = await client.getCategory({ categoryId })
    await client.updateCategory({ categoryId, body: { name: 'Again' } }, { ifMatch: seen.etag })
  },
  'a pet is edited in the browser, and its event is shown live': async ({ store, base, browser }) => {
    const { petId } = await makePet(store.client)
    const context = await browser.newContext()
    const page = await context.newPage()
    // Without audit:read, the page shows only what the stream brings.
    const { data } = await store.client.createKey({ body: { name: 'follower', scopes: ['events:read'] } })
    await page.goto(`${base}/console#key=${data.key}`)
    const feed = page.getByRole('region', { name: 'Live events' })
    await feed.getByText('Changes appear here from now on.').waitFor()
    const tab = await context.newPage()
    await tab.goto(`${base}/console/pets/${petId}#key=${ADMIN_KEY}`)
    await tab.getByRole('button', { name: 'Edit' }).click()
    await tab.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Edited behind a proxy')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Edited behind a proxy was saved.').waitFor()
    await feed.getByText('Edited behind a proxy').first().waitFor({ timeout: AT_ONCE_MS })
    await context.close()
  },
  'an event of a stream arrives at once': async ({ store, base }) => {
    await using stream = await openStream(base)
    const startMs = performance.now()
    await store.client.createCategory({ body: { name: 'Streamed' } })
    const block = await stream.event()
    assert(block?.data?.includes('Streamed') === true, 'another event arrived')
    assert(performance.now() - startMs < AT_ONCE_MS, 'the event was late')
  },
  'a long poll responds at once when an event arrives, and otherwise after its time': async ({
    store,
    base,
  }) => {
    const client = createClient({ baseUrl: base, key: ADMIN_KEY, retriesMax: 0 })
    let after = '0'
    for await (const page of client.listEvents({ limit: 100 }).pages()) after = page.next ?? after
    const startMs = performance.now()
    assert((await client.listEvents({ after, wait: 1 })).data.items.length === 0, 'there is an event')
    const polled = client.listEvents({ after, wait: 25 })
    const first = polled.then(({ data }) => data.items[0])
    await store.client.createCategory({ body: { name: 'Polled' } })
    assert((await first)?.type === 'petstore.category.created', 'another event arrived')
    assert(performance.now() - startMs < AT_ONCE_MS + 1000, 'the event was late')
  },
  'an import is uploaded': async ({ store, base }) => {
    const client = makeClient({ base, key: ADMIN_KEY })
    const importId = BigInt(Date.now())
    const names = Array.from({ length: 500 }, (_, index) => `${'A long name '.repeat(15)}${index}`)
    const categories = names.map((name, index) => ({ line: BigInt(index + 2), name }))
    await client.stageImport({ importId, body: { categories, pets: [] } })
    await client.loadImportSlice({ importId, body: { begins: true, rows: 500n } })
    const { data } = await store.client.listCategories({ name: 'A long name', limit: 1 })
    assert(data.items.length === 1, 'the import loaded nothing')
  },
  'every link has the address of the proxy': async ({ base }) => {
    const { headers } = await fetch(`${base}/pets?limit=1`)
    assert(headers.get('link')?.startsWith(`<${base}/pets`) === true, `Link is ${headers.get('link')}`)
  },
}

/** Runs all checks behind one proxy. Returns the number of those that failed. */
async function checkBehind(configuration: ProxyConfiguration, browser: Browser): Promise<number> {
  const [port, storePort] = [freePort(), freePort()]
  const base = `http://127.0.0.1:${port}${configuration.path}`
  const options = { baseUrl: base, port: storePort, trustedProxies: ['127.0.0.1'] }
  await using store = await openTestStore('sqlite', options)
  await using _ = await startProxy(configuration, port, storePort)
  let failed = 0
  for (const [title, check] of Object.entries(checks)) {
    try {
      await check({ store, base, browser, program: configuration.program })
      process.stdout.write(`${configuration.name}: ${title}\n`)
    } catch (error) {
      failed++
      const text = error instanceof Error ? error.message : String(error)
      process.stdout.write(`${configuration.name}: FAILED: ${title}: ${text}\n`)
    }
  }
  return failed
}

const browser = await launchBrowser()
let failedCount = 0
for (const configuration of configurations) {
  if (Bun.which(configuration.program)) failedCount += await checkBehind(configuration, browser)
  else process.stdout.write(`${configuration.name}: SKIPPED: ${configuration.program} is not installed\n`)
}
await browser.close()
failedCount += await checkAlerts()
failedCount += await checkLitestream()
failedCount += await checkRestarts()
failedCount += await checkPgBackRest()
process.exit(failedCount === 0 ? 0 : 1)
