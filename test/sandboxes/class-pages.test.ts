import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { seriousViolations } from '../support/accessibility.ts'
import { launchBrowser } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { call, LESSON, openClass } from './class-session.ts'

const BEHIND_MS_MAX = 2000
let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
})

/** Opens a page, and collects its errors and warnings, such as violations of its policy. */
async function open(url: string, width = 1280): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 800 } })
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  page.on('console', message => {
    if (message.type() === 'warning' || message.type() === 'error') faults.push(message.text())
  })
  await page.goto(url)
  return { page, faults }
}

test('the board shows a met check within two seconds, and the address does not keep the key', async () => {
  await using session = await openClass(['Ada', 'Grace'])
  const { host, ofClass, students } = session
  const { page, faults } = await open(`${host.base}/board/${ofClass.id}#key=${ofClass.teacherKey}`)
  const ada = page.getByRole('row', { name: /^Ada/ })
  await ada.waitFor()
  expect(page.url()).toBe(`${host.base}/board/${ofClass.id}`)
  await call('GET', `${students[0]?.baseUrl}/pets?limit=1`, undefined)
  await ada.getByText('✓ done').waitFor({ timeout: BEHIND_MS_MAX })
  await call('GET', `${students[1]?.baseUrl}/pets/999999`, undefined)
  await page.getByText('GET /pets/999999 got 404 pet_not_found').waitFor({ timeout: BEHIND_MS_MAX })
  await page.getByLabel('Show').selectOption('stuck')
  expect([await ada.isVisible(), await page.getByRole('row', { name: /^Grace/ }).isVisible()]).toEqual([
    false,
    true,
  ])
  await page.getByLabel('Show').selectOption('all')
  await page.getByLabel('Find a student').fill('ad')
  expect(await page.locator('#rows tr:visible').count()).toBe(1)
  await page.getByLabel('Find a student').fill('')
  expect(await seriousViolations(page)).toEqual([])
  await page.getByLabel('Projector').check()
  const shown = await page.locator('#board').innerText()
  for (const name of ['Ada', 'Grace', '999999']) expect(shown).not.toContain(name)
  await page.reload()
  await ada.waitFor()
  expect(faults).toEqual([])
  await page.close()
})

test('the teacher gives a new key and resets a store on the board, and a wrong key shows nothing', async () => {
  await using session = await openClass(['Ada'])
  const { host, ofClass, students } = session
  const [ada] = students
  const { page } = await open(`${host.base}/board/${ofClass.id}`)
  await page.getByLabel('Key of the teacher').fill(ada?.adminKey ?? '')
  await page.getByRole('button', { name: 'Open the board' }).click()
  await page.getByText('The key is not that of the teacher of this class.').waitFor()
  await page.getByLabel('Key of the teacher').fill(ofClass.teacherKey)
  await page.getByRole('button', { name: 'Open the board' }).click()
  page.on('dialog', dialog => dialog.accept())
  await page.getByRole('button', { name: 'New key: for Ada' }).click()
  const shown = page.locator('#dialog-key')
  await shown.waitFor()
  const key = await shown.innerText()
  expect((await call('GET', `${ada?.baseUrl}/store/orders`, ada?.adminKey)).status).toBe(401)
  expect((await call('GET', `${ada?.baseUrl}/store/orders`, key)).status).toBe(200)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Reset: the store of Ada' }).click()
  await until('the store was reset', () => host.host.find(ada?.id ?? '')?.generation === 2)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save results (CSV)' }).click()
  const stream = await (await download).createReadStream()
  const text = Buffer.concat(await Array.fromAsync(stream)).toString()
  expect(text).toStartWith('student,identifier,exercise,state,when,tries\n"Ada","Ada","1. Read something",')
  await page.close()
})

test('a student sees the lesson, progress and what the teacher sees, and a hostile lesson runs nothing', async () => {
  const hostile = `${LESSON}
<script>document.title = 'owned'</script> <img src=x onerror="document.title = 'owned'">
[a link](javascript:document.title='owned') [another](https://pets.example/)

\`\`\`hint
<b onclick="x">Look</b>
\`\`\`
`
  await using session = await openClass(['Ada'], {}, hostile)
  const [ada] = session.students
  const { page, faults } = await open(`${ada?.baseUrl}/docs/guide/lesson#key=${ada?.adminKey}`, 390)
  await page.getByText('1. Read something: not started').waitFor()
  expect(page.url()).toBe(`${ada?.baseUrl}/docs/guide/lesson`)
  expect(await page.locator('main script, main img, main b, a[href^="javascript"]').count()).toBe(0)
  expect(await page.getByRole('link', { name: 'another' }).getAttribute('href')).toBe('https://pets.example/')
  expect(await page.title()).toBe('HTTP - Petstore')
  await page.getByText('Your teacher sees').waitFor()
  session.host.host.classes.update(session.ofClass.id, { openHints: ['1-read-something'] })
  await call('GET', `${ada?.baseUrl}/pets?limit=1`, undefined)
  await page.getByText('✓ 1. Read something: done').waitFor()
  await page.getByText('Hint').click()
  expect(await page.getByText('<b onclick="x">Look</b>').isVisible()).toBe(true)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await seriousViolations(page)).toEqual([])
  expect(faults).toEqual([])
  await page.close()
})

test('a board of 200 students takes little time to refresh', async () => {
  const names = Array.from({ length: 200 }, (_, index) => `Student ${index}`)
  await using session = await openClass(names)
  const { host, ofClass, students } = session
  const { page } = await open(`${host.base}/board/${ofClass.id}#key=${ofClass.teacherKey}`)
  await page.getByRole('row', { name: /^Student 199/ }).waitFor()
  await page.locator('tr', { hasText: 'Student 199' }).evaluate(row => row.setAttribute('data-kept', 'yes'))
  await call('GET', `${students[0]?.baseUrl}/pets?limit=1`, undefined)
  await page.getByText('✓ done').waitFor({ timeout: BEHIND_MS_MAX })
  expect(await page.locator('[data-kept=yes]').count()).toBe(1)
  expect(
    await page.evaluate<number>(
      '(() => { const from = performance.now(); show(); return performance.now() - from })()',
    ),
  ).toBeLessThan(100)
  await page.close()
})
