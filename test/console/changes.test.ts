import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page, Request } from 'playwright-core'
import { operations } from '../../src/client/operations.ts'
import { hostOperations } from '../../src/client/sandbox-api.ts'
import { INSECURE_HOST } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import type { ServerProcess } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { openSandboxHost, type TestHost } from '../support/sandbox-host.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'

// Every change of the console goes this way: three lost responses, a change by somebody else, a restart, Send again,
// Stop waiting, and a double click.

const browser = consoleBrowser()
let place: StoreDirectory
let server: ServerProcess
let client: Client
let host: TestHost

beforeAll(async () => {
  place = await newStoreDirectory('sqlite')
  server = await place.start()
  client = place.client(server)
  await client.createCategory({ body: { name: 'Axolotls' } })
  host = await openSandboxHost()
})
afterAll(async () => {
  await server?.kill('SIGTERM')
  await place?.[Symbol.asyncDispose]()
  await host?.[Symbol.asyncDispose]()
})

interface Row {
  /** Returns the path of the view. Creates what the change is about before. */
  readonly path: () => Promise<string>
  /** Does everything until the change is sent. */
  readonly act: (page: Page) => Promise<unknown>
  /** Which of the requests is disturbed, if the change has several. */
  readonly disturbed?: RegExp
  /** The number of different requests that are disturbed; 1 by default. */
  readonly requests?: number
  /** The number of requests that have an effect; 1 by default. */
  readonly effects?: number
  /** Whether the store accepts no idempotency key for it, so that it cannot be sent again. */
  readonly isOnce?: true
  /** Whether a button makes the change at once. Only a dialog offers to stop waiting. */
  readonly isAtOnce?: true
  /** Whether the view is opened at a name, because the change needs an address that other machines have. */
  readonly isInsecure?: true
}

let count = 0
/** Creates a pet with 9 units, for one row. */
async function newPet(): Promise<bigint> {
  count++
  const { data: category } = await client.createCategory({ body: { name: `Kind ${count}` } })
  const { data: pet } = await client.createPet({
    body: { name: `Pet no. ${count}`, categoryId: category.id },
  })
  await client.setInventory({ petId: pet.id, body: { quantity: 9n } })
  return pet.id
}
const petView = async () => `/pets/${await newPet()}`
const orderView = (complete: boolean) => async () => {
  const { data } = await client.placeOrder({ body: { petId: await newPet(), complete } })
  return `/orders/${data.id}`
}
const webhookView = async () => {
  const { data } = await client.createWebhook({ body: { url: `http://127.0.0.1:9/${count++}` } })
  return `/webhooks/${data.id}`
}
const at = (path: string) => async () => path

/** Opens a dialog with a button of the view, fills its fields by their labels, and submits it. */
function dialogOf(open: string, fields: Readonly<Record<string, string>>, submit = open): Row['act'] {
  return async page => {
    await page.getByRole('main').getByRole('button', { name: open, exact: true }).click()
    const dialog = page.getByRole('dialog')
    for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label).fill(text)
    await dialog.getByRole('button', { name: submit, exact: true }).click()
  }
}
const button = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click()

async function createKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('till 7')
  await dialog.getByRole('button', { name: 'Till (sell and look)' }).click()
  await dialog.getByRole('button', { name: 'Create key' }).click()
}

const rows: Readonly<Record<string, Row>> = {
  'add-category': {
    path: at('/categories'),
    act: dialogOf('Add category', { Name: 'Newts', Description: 'Wet' }),
  },
  'edit-category': {
    path: async () => {
      await client.createCategory({ body: { name: 'Edited category' } })
      return '/categories?name=Edited'
    },
    act: dialogOf('Edit Edited category', { Description: 'Dry' }, 'Save'),
  },
  'delete-category': {
    path: async () => {
      await client.createCategory({ body: { name: 'Doomed category' } })
      return '/categories?name=Doomed'
    },
    act: dialogOf('Delete Doomed category', {}, 'Delete'),
  },
  'add-pet': {
    path: async () => {
      const { data } = await client.getPet({ petId: await newPet() })
      return `/pets?categoryId=${data.categoryId}`
    },
    act: async page => {
      await page.getByRole('button', { name: 'Add pet' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Added with units')
      await dialog.getByRole('combobox', { name: 'Category' }).fill('Axo')
      await page.getByRole('option').first().waitFor()
      await dialog.getByRole('combobox', { name: 'Category' }).press('Enter')
      await dialog.getByLabel('Units').fill('9')
      await dialog.getByRole('button', { name: 'Add pet' }).click()
    },
    disturbed: /adjustments$/,
    effects: 2,
  },
  'change-pets': {
    path: async () => {
      const { data } = await client.getPet({ petId: await newPet() })
      await client.createPet({
        body: { name: `Other no. ${count}`, categoryId: data.categoryId, price: 900n },
      })
      return `/pets?categoryId=${data.categoryId}`
    },
    act: async page => {
      await page
        .getByRole('checkbox', { name: /^Choose / })
        .first()
        .check()
      await page.getByRole('button', { name: 'Choose all that match' }).click()
      await page.getByText('2 pets are chosen').waitFor()
      await page.getByRole('button', { name: 'Change them' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('combobox', { name: 'What to change' }).click()
      await page.getByRole('option', { name: 'Put on hold' }).click()
      await dialog.getByRole('button', { name: 'Change them' }).click()
    },
    requests: 2,
    effects: 2,
  },
  'merge-category': {
    path: async () => {
      const { data } = await client.createCategory({ body: { name: 'Merged category' } })
      await client.createPet({ body: { name: 'Moved', categoryId: data.id } })
      return '/categories?name=Merged'
    },
    act: async page => {
      await page.getByRole('button', { name: 'Merge Merged category' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('combobox', { name: 'Category' }).fill('Axo')
      await page.getByRole('option').first().waitFor()
      await dialog.getByRole('combobox', { name: 'Category' }).press('Enter')
      await dialog.getByRole('button', { name: 'Merge' }).click()
    },
    // The move of the pet comes before.
    disturbed: /categories\/\d+$/,
    effects: 2,
  },
  'edit-pet': { path: petView, act: dialogOf('Edit', { Name: 'Edited pet' }, 'Save') },
  'delete-pet': { path: petView, act: dialogOf('Delete', {}) },
  hold: { path: petView, act: button('Put on hold'), isAtOnce: true },
  'mark-sold': { path: petView, act: dialogOf('Mark as sold', {}) },
  'adjust-stock': { path: petView, act: dialogOf('Adjust', { Change: '-3', Note: 'Died' }) },
  'set-stock': { path: petView, act: dialogOf('Set stock', { 'In stock': '7' }) },
  'set-level': { path: petView, act: dialogOf('Reorder at', { 'Reorder at': '3' }, 'Save') },
  'book-stock': {
    path: async () => {
      const { data } = await client.getPet({ petId: await newPet() })
      const body = { name: `Other no. ${count}`, categoryId: data.categoryId }
      await client.createPet({ body })
      return `/inventory/count?categoryId=${data.categoryId}`
    },
    act: async page => {
      const fields = page.getByRole('textbox', { name: /^Counted units/ })
      await fields.first().fill('4')
      await fields.last().fill('5')
      await fields.last().press('Enter')
      await page.getByRole('button', { name: 'Book 2 articles' }).click()
    },
    requests: 2,
    effects: 2,
    isAtOnce: true,
  },
  sell: {
    path: petView,
    act: async page => {
      // The next reference is proposed, and the live events of the other rows change it.
      await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.locator('input[value^="R-"]').waitFor()
      await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
    },
  },
  'sell basket': {
    path: petView,
    act: async page => {
      await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.locator('input[value^="R-"]').waitFor()
      await dialog.getByRole('button', { name: 'Add another article' }).click()
      await dialog.getByText('1 article,').waitFor()
      await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
    },
    disturbed: /sales$/,
  },
  reserve: { path: petView, act: dialogOf('Reserve', { 'For whom': 'Ms Novak', Until: '2999-12-31' }) },
  'undo-sale': {
    path: petView,
    act: async page => {
      await dialogOf('Sell', {})(page)
      await page.getByRole('button', { name: 'Undo' }).click()
    },
    disturbed: /returns$/,
    effects: 2,
    isAtOnce: true,
  },
  'edit-order': { path: orderView(false), act: dialogOf('Edit', { Units: '3' }, 'Save') },
  'complete-order': { path: orderView(false), act: dialogOf('Complete', {}) },
  'return-order': { path: orderView(true), act: dialogOf('Return', { Note: 'Too small' }) },
  'cancel-order': { path: orderView(false), act: dialogOf('Cancel order', {}) },
  'create-key': {
    path: at('/keys'),
    act: createKey,
    isOnce: true,
  },
  'hand-over': {
    path: at('/keys'),
    act: createKey,
    disturbed: /handovers$/,
    isOnce: true,
    isAtOnce: true,
    isInsecure: true,
  },
  'revoke-key': {
    path: async () => {
      await client.createKey({ body: { name: 'till 8', scopes: ['orders:read'] } })
      return '/keys'
    },
    act: dialogOf('Revoke till 8', {}, 'Revoke'),
  },
  'add-webhook': {
    path: at('/webhooks'),
    act: dialogOf('Add webhook', { Address: 'http://127.0.0.1:9/added' }),
    isOnce: true,
  },
  'delete-webhook': { path: webhookView, act: dialogOf('Delete', {}) },
  'rotate-secret': {
    path: webhookView,
    act: dialogOf('New secret', {}, 'Create a new secret'),
    isOnce: true,
  },
  'test-webhook': { path: webhookView, act: button('Send test event'), isAtOnce: true },
  'switch-webhook': { path: webhookView, act: button('Disable'), isAtOnce: true },
  redeliver: {
    path: async () => {
      const path = await webhookView()
      await client.sendTestEvent({ webhookId: BigInt(path.split('/')[2] ?? '') })
      return path
    },
    act: page => page.getByRole('button', { name: 'Deliver again' }).first().click(),
    isAtOnce: true,
  },
  import: {
    path: at('/import'),
    act: async page => {
      const buffer = Buffer.from('name,category\nImported once,Axolotls\n')
      const file = { name: 'pets.csv', mimeType: 'text/csv', buffer }
      await page.locator('input[type=file]').nth(1).setInputFiles(file)
      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByRole('main').getByRole('button', { name: 'Import', exact: true }).click()
    },
    disturbed: /slices$/,
    isAtOnce: true,
  },
  'take-back': {
    path: async () => {
      const importId = BigInt(++count)
      const pets = [{ line: 2n, name: 'Taken back', category: 'Axolotls', quantity: 1n, hold: false }]
      await client.stageImport({ importId, body: { categories: [], pets } })
      await client.loadImportSlice({ importId, body: { begins: true, rows: 500n } })
      return '/import'
    },
    act: async page => {
      await page.getByRole('button', { name: 'Take back' }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
    },
  },
  // It changes nothing that the audit log has.
  'save-backup': {
    path: at(''),
    act: dialogOf('Save a backup now', {}, 'Save backup'),
    disturbed: /backups\/[\w-]+$/,
    effects: 0,
  },
}

const sandboxRows: Readonly<Record<string, Row>> = {
  'reset-sandbox': { path: at('/sandbox'), act: dialogOf('Reset', {}), isOnce: true },
  snapshot: { path: at('/sandbox'), act: button('Take a snapshot'), isAtOnce: true },
  clock: { path: at('/sandbox'), act: button('Return to the real time'), isAtOnce: true },
  'plant-faults': { path: at('/failures'), act: dialogOf('Plant faults', {}, 'Save') },
  'remove-failure': { path: at('/failures'), act: button('Remove late'), isAtOnce: true },
  'clear-requests': { path: at('/requests'), act: button('Clear'), isAtOnce: true },
  // The last one, because its failure disturbs the others.
  'add-failure': { path: at('/failures'), act: dialogOf('Add a failure', {}, 'Add') },
}

/** The page of a row, and how its requests are disturbed. */
interface Course {
  readonly row: Row
  readonly page: Page
  readonly alert: Locator
  /** Loses the responses, never sends them, or passes them on, or refuses the requests before they reach the store. */
  setMode(mode: 'lose' | 'hold' | 'pass' | 'refuse'): void
  /** The number of requests that were refused. */
  readonly refusals: () => number
  /** The disturbed requests, each with everything that it sends. */
  readonly sent: ReadonlySet<string>
  /** The ids of all requests that change something. */
  readonly requestIds: ReadonlySet<string>
}

async function begin(row: Row, base: string, key = ADMIN_KEY, tabOf?: Page): Promise<Course> {
  const { isInsecure = false } = row
  const page = await browser.open({ base }, await row.path(), { key, isInsecure, ...(tabOf && { tabOf }) })
  let mode = 'lose'
  let refusals = 0
  const sent = new Set<string>()
  const requestIds = new Set<string>()
  await page.route('**/*', async route => {
    const request = route.request()
    if (request.method() === 'GET') return await route.continue()
    if (mode === 'refuse') {
      refusals++
      return await route.fulfill({
        status: 429,
        json: { code: 'rate_limited', message: 'Too many.', status: 429 },
      })
    }
    // Only the browser knows the name of an insecure page.
    const response = await route.fetch({ url: request.url().replace(INSECURE_HOST, '127.0.0.1') })
    requestIds.add(response.headers()['x-request-id'] ?? '')
    const isDisturbed = row.disturbed?.test(request.url()) ?? true
    if (isDisturbed) sent.add(bytesOf(request))
    if (isDisturbed && mode === 'lose') await route.abort('connectionreset')
    else if (!isDisturbed || mode === 'pass') await route.fulfill({ response })
  })
  const alert = page.getByRole('alert', { name: 'It is not known whether the change was made' })
  return { row, page, alert, sent, requestIds, setMode: next => (mode = next), refusals: () => refusals }
}

function bytesOf(request: Request): string {
  const { 'idempotency-key': key, 'if-match': condition } = request.headers()
  return [request.method(), request.url(), request.postData(), key, condition].join(' ')
}

async function loseResponse({ page, row, alert }: Course): Promise<void> {
  await row.act(page)
  await alert.waitFor()
  const again = alert.getByRole('button', { name: 'Send again' })
  expect(await again.count()).toBe(row.isOnce ? 0 : 1)
  if (row.isAtOnce) return
  // What was sent cannot be altered.
  expect(await page.getByRole('dialog').locator('fieldset :enabled').count()).toBe(0)
}

/** `attempts` is how often the client itself sends a request that is refused. */
async function sendAgain({ page, row, alert, setMode, refusals }: Course, attempts = 3): Promise<void> {
  const again = alert.getByRole('button', { name: 'Send again' })
  if (row.isOnce) return
  if (!row.isAtOnce) {
    setMode('hold')
    await again.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop waiting' }).click()
    await alert.waitFor()
  }
  // A refusal that comes before the store looks for the key says nothing of the attempt whose response was lost.
  setMode('refuse')
  await again.click()
  // Before the last attempt, the next click could meet a change that was made meanwhile.
  await until('the repetition is refused', () => refusals() === attempts)
  await alert.waitFor()
  setMode('pass')
  await again.dblclick()
  await alert.waitFor({ state: 'detached' })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

const sources = [...new Bun.Glob('src/console/**/*.{ts,tsx}').scanSync(ROOT)].map(file => ({
  file,
  text: readFileSync(join(ROOT, file), 'utf8'),
}))

test('the table below has every dialog and every button of the console that changes something', () => {
  const uses =
    /<FormDialog\s+name="([^"]+)"|\buse(?:Change|ActAtOnce|ControlChange)(?:<[\w<>]*>)?\(\s*'([^']+)'/g
  const names = sources.flatMap(({ text }) => [...text.matchAll(uses)].map(([, form, hook]) => form ?? hook))
  // A row may have a second word: another course of the same dialog.
  const tested = new Set(Object.keys({ ...rows, ...sandboxRows }).map(row => row.split(' ')[0]))
  expect(names.toSorted()).toEqual([...tested].toSorted())
})

test('only the change module sends changes, so that none can be made from anything but its value', () => {
  const commands = Object.entries({ ...operations, ...hostOperations }).filter(
    ([, { method }]) => method !== 'GET',
  )
  const call = new RegExp(`\\.(${commands.map(([id]) => id).join('|')})\\(`)
  expect(commands.length).toBeGreaterThan(20)
  expect(sources.filter(({ text }) => call.test(text)).map(({ file }) => file)).toEqual([])
})

async function placeOrder(reference: string): Promise<void> {
  await client.placeOrder({ body: { petId: await newPet(), complete: true, reference } })
}

/** Returns the ids of the requests that changed something. */
async function effectiveRequests(): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const { data } = await client.listAudit({ limit: 100, cursor })
    for (const { requestId } of data.items) ids.add(requestId)
    cursor = data.next
  }
  return ids
}

/** The names of the rows in groups: more tabs than these would wait for the six connections of the browser. */
const names = Object.keys(rows)
const groups = Array.from({ length: Math.ceil(names.length / 7) }, (_, group) => [
  names.slice(group * 7, group * 7 + 7),
])

test.each(groups)(
  'each change is made once if its response is lost, however the user repeats it: %j',
  async group => {
    await placeOrder('R-0052')
    const orders = await browser.open(server, '/orders')
    await orders.getByText('R-0052').first().waitFor()
    const groupRows = Object.entries(rows).filter(([name]) => group.includes(name))
    const courses = await Promise.all(groupRows.map(([, row]) => begin(row, server.base, ADMIN_KEY, orders)))
    await Promise.all(courses.map(loseResponse))
    // Somebody else changes something: live events reach all tabs, and propose another reference.
    const reference = `R-99${count}`
    await placeOrder(reference)
    await orders.getByText(reference).waitFor()
    await server.kill('SIGTERM')
    server = await place.start()
    await Promise.all(courses.map(course => sendAgain(course)))
    const made = await effectiveRequests()
    const seen = courses.map(({ sent, requestIds }, index) => {
      const effects = [...requestIds].filter(id => made.has(id)).length
      return { name: group[index], requests: sent.size, effects }
    })
    expect(seen).toEqual(
      groupRows.map(([name, { requests = 1, effects = 1 }]) => ({ name, requests, effects })),
    )
    await orders.context().close()
  },
)

test('a change of a sandbox is sent again unaltered, except a reset', async () => {
  const { created, callHost } = await host.create({ label: 'Ada' })
  const rule = { name: 'late', operation: 'deletePet', effect: { type: 'error', code: 'overloaded' } }
  await callHost('PUT', '/faults', { rules: [rule] })
  for (const row of Object.values(sandboxRows)) {
    const course = await begin(row, created.baseUrl, created.adminKey)
    await loseResponse(course)
    // The client of a host repeats nothing.
    await sendAgain(course, 1)
    expect(course.sent.size).toBe(1)
    await course.page.close()
  }
})

test('a change is not sent again after a day, because the store has forgotten its key by then', async () => {
  const row = rows.sell
  if (!row) throw new Error('no row sells')
  await placeOrder('R-0052')
  const course = await begin(row, server.base)
  await loseResponse(course)
  const { page, alert, sent, setMode } = course
  setMode('pass')
  await page.clock.setSystemTime(Date.now() + 23.5 * 3_600_000)
  await alert.getByRole('button', { name: 'Send again' }).click()
  await alert.getByText('another one would be made too').waitFor()
  expect(await alert.getByRole('button').allTextContents()).toEqual(['Start a new change'])
  expect(sent.size).toBe(1)
})
