import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { readLesson } from '../src/sandboxes/classes/lesson.ts'
import { runSolution } from '../src/sandboxes/classes/solution.ts'
import { DAY_MS } from '../src/values/time-zone.ts'
import { launchBrowser } from './support/browser.ts'
import type { Client } from './support/client.ts'
import { openDemo } from './support/demo-store.ts'
import { ROOT } from './support/root.ts'
import { openSandboxHost } from './support/sandbox-host.ts'
import { seeded } from './support/seeded.ts'
import { ADMIN_KEY } from './support/store.ts'

// Takes the pictures of README.md from running programs, in both themes of a browser, and writes them to docs/.

const DAYS = 30
const SIZE = { width: 1280, height: 800 }
const STUDENTS = [
  'Ada',
  'Barbara',
  'Edsger',
  'Frances',
  'Grace',
  'Hedy',
  'Katherine',
  'Linus',
  'Margaret',
  'Radia',
]

/** Sells on each of the last days: more on some than on others. */
async function sellForDays(client: Client, setClock: (ms: number) => void): Promise<void> {
  const random = seeded(7)
  const { data } = await client.listPets({ status: ['available'], limit: 100 })
  const pets = data.items.filter((_, index) => index % 4 === 0)
  for (const [index, { id: petId }] of pets.entries())
    await client.setInventory({ petId, body: { quantity: 100n, ...(index < 8 && { reorderAt: 97n }) } })
  const now = Date.now()
  for (let day = DAYS; day >= 0; day--) {
    for (let sale = 0; sale < 2 + random.below(7); sale++) {
      setClock(now - day * DAY_MS - (8 - sale) * 60_000)
      const lines = [{ petId: random.pick(pets).id, quantity: 1n }]
      await client.recordSale({ body: { lines } })
    }
  }
  setClock(now)
}

async function take(browser: Browser, name: string, url: string, isReady: (page: Page) => Promise<unknown>) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      viewport: SIZE,
      colorScheme,
      locale: 'en-GB',
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    await page.goto(url)
    await isReady(page)
    await page.screenshot({ path: join(ROOT, 'docs', `${name}-${colorScheme}.png`) })
    await context.close()
  }
}

async function takeShop(browser: Browser): Promise<void> {
  let nowMs = Date.now() - (DAYS + 1) * DAY_MS
  await using store = await openDemo({ clock: () => nowMs, timeZone: 'Europe/Vienna' })
  await sellForDays(store.client, ms => {
    nowMs = ms
  })
  await take(browser, 'dashboard', `${store.base}/console#key=${ADMIN_KEY}`, async page => {
    await page.getByRole('heading', { name: 'Takings per day' }).waitFor()
    await page.waitForTimeout(1000)
  })
}

async function takeBoard(browser: Browser): Promise<void> {
  await using session = await openSandboxHost()
  const { host, base } = session
  const lesson = readFileSync(join(ROOT, 'docs/lesson.md'), 'utf8')
  const endsAt = new Date(Date.now() + 60 * DAY_MS).toISOString()
  const ofClass = host.ofClasses.createClass({ name: '10b', lesson, endsAt, places: BigInt(STUDENTS.length) })
  const named = STUDENTS.map(name => ({ name, identifier: name }))
  const students = await host.ofClasses.addStudents(ofClass.id, named)
  const { exercises } = readLesson(lesson)
  for (const [index, { id, baseUrl, adminKey: key }] of students.entries())
    for (const { solution } of exercises.slice(0, 1 + ((index * 3) % exercises.length)))
      await runSolution(solution, { baseUrl, controlUrl: `${base}/sandboxes/${id}`, key })
  const [stuck] = students
  await fetch(`${stuck?.baseUrl}/pets/999`, { headers: { Authorization: `Bearer ${stuck?.adminKey}` } })
  await take(browser, 'class-board', `${base}/board/${ofClass.id}#key=${ofClass.teacherKey}`, async page => {
    await page.getByText('Radia').first().waitFor()
    await page.waitForTimeout(1000)
  })
}

const browser = await launchBrowser()
await takeShop(browser)
await takeBoard(browser)
await browser.close()
