import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { seriousViolations } from '../support/accessibility.ts'
import { launchBrowser } from '../support/browser.ts'
import { ROOT } from '../support/root.ts'
import { until } from '../support/until.ts'
import { call, LESSON, openClass } from './class-session.ts'

const BEHIND_MS_MAX = 2000
const browser = await launchBrowser()
afterAll(() => browser.close())

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
  await host.host.ofClasses.addStudents(ofClass.id, [{ name: 'Alan', identifier: 'a2@x.example' }])
  await page.getByText('a2@x.example').waitFor()
  expect(await seriousViolations(page)).toEqual([])
  await page.setViewportSize({ width: 400, height: 800 })
  const name = page.locator('#rows th').first()
  await page.locator('.table').evaluate(table => table.scrollBy(300, 0))
  expect((await name.boundingBox())?.x).toBeGreaterThan(0)
  await page.getByLabel('Projector').check()
  const shown = await page.locator('#board').innerText()
  for (const name of ['Ada', 'Grace', '999999', 'a2@']) expect(shown).not.toContain(name)
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
  await page.getByLabel('Key of the teacher').fill(`${ofClass.teacherKey}…`)
  await page.getByRole('button', { name: 'Open the board' }).click()
  await page.getByText('This is not a key').waitFor()
  await page.getByLabel('Key of the teacher').fill(ada?.adminKey ?? '')
  await page.getByRole('button', { name: 'Open the board' }).click()
  await page.getByText('The key is not that of the teacher of this class.').waitFor()
  await page.getByLabel('Key of the teacher').fill(ofClass.teacherKey)
  await page.getByRole('button', { name: 'Open the board' }).click()
  const questions: string[] = []
  page.on('dialog', dialog => {
    questions.push(dialog.message())
    dialog.accept()
  })
  await host.host.ofClasses.addStudents(ofClass.id, [{ name: 'Grace', identifier: 'g2@x.example' }])
  await page.getByRole('button', { name: 'New key: for Grace (g2@x.example)' }).click()
  await page.getByText('The new key of Grace (g2@x.example)').waitFor()
  await page.getByText('the list of "petstore class create" has the old one').waitFor()
  const printed = page.context().waitForEvent('page')
  await page.getByRole('link', { name: 'Card to print' }).click()
  const card = await printed
  await card.getByRole('heading', { name: 'Grace (g2@x.example)' }).waitFor()
  await card.getByRole('img', { name: 'QR code of the lesson' }).waitFor()
  await card.close()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Reset: the store of Grace (g2@x.example)' }).click()
  for (const question of questions) expect(question).toContain('Grace (g2@x.example)')
  expect(questions).toHaveLength(2)
  await page.getByRole('button', { name: 'New key: for Ada' }).click()
  const shown = page.locator('#dialog-key')
  await shown.waitFor()
  const key = await shown.innerText()
  expect((await call('GET', `${ada?.baseUrl}/store/orders`, ada?.adminKey)).status).toBe(401)
  expect((await call('GET', `${ada?.baseUrl}/store/orders`, key)).status).toBe(200)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Reset: the store of Ada' }).click()
  await until('the store was reset', () => host.host.find(ada?.id ?? '')?.generation === 2)
  const classUrl = `${host.base}/classes/${ofClass.id}`
  await page.route(classUrl, route => route.abort())
  await page.getByText('The host does not respond').waitFor()
  await page.unroute(classUrl)
  await page.getByText('The store of Ada was reset.').waitFor()
  const opened = page.context().waitForEvent('page')
  await page.getByRole('button', { name: 'Console: of Ada' }).click()
  const studentConsole = await opened
  await studentConsole.getByRole('link', { name: 'Orders' }).first().waitFor()
  expect(studentConsole.url()).not.toContain('key=')
  await studentConsole.close()
  const archive = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Archive: the store and requests of Ada' }).click()
  expect((await archive).suggestedFilename()).toBe('Ada.tar.gz')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save results (CSV)' }).click()
  const stream = await (await download).createReadStream()
  const text = Buffer.concat(await Array.fromAsync(stream)).toString()
  expect(text).toStartWith(
    '\ufeffstudent,identifier,exercise,state,when,tries\n"Ada","Ada","1. Read something",',
  )
  await page.getByRole('button', { name: 'Delete the class' }).click()
  await page.getByText('The class was deleted.').waitFor()
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
  session.host.host.ofClasses.updateClass(session.ofClass.id, { openHints: ['1-read-something'] })
  await call('GET', `${ada?.baseUrl}/pets?limit=1`, undefined)
  await page.getByText('✓ 1. Read something: done').waitFor()
  await page.getByText('Hint').click()
  expect(await page.getByText('<b onclick="x">Look</b>').isVisible()).toBe(true)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await seriousViolations(page)).toEqual([])
  expect(faults).toEqual([])
  await page.close()
})

/** Holds back the requests of a page that have a method, at most some of them. Returns them in their order. */
async function hold(page: Page, url: string, method: string, most = 100): Promise<Route[]> {
  const held: Route[] = []
  await page.route(url, route => {
    if (route.request().method() !== method || held.length === most) return route.continue()
    held.push(route)
  })
  return held
}

test('no hint is closed by a late response, another tab, or the next click', async () => {
  const exercises = [1, 2, 3, 4].map(
    number => `\n## ${number}\n\n\`\`\`check\nlistPets\n\`\`\`\n\n\`\`\`hint\nLook\n\`\`\`\n`,
  )
  await using session = await openClass(['Ada'], {}, `# L\n${exercises.join('')}`)
  const { host, ofClass } = session
  const { page } = await open(`${host.base}/board/${ofClass.id}#key=${ofClass.teacherKey}`)
  const openHint = (number: number): Promise<void> =>
    page.getByRole('button', { name: `Open hint: the hint of ${number}` }).click()
  const openHints = (): string[] =>
    host.host.classes.board(ofClass.id).exercises.flatMap(({ id, isHintOpen }) => (isHintOpen ? [id] : []))
  await page.getByRole('button', { name: 'Open hint: the hint of 1' }).waitFor()
  const classUrl = `${host.base}/classes/${ofClass.id}`
  const late = await hold(page, classUrl, 'GET', 1)
  await until('the board is read', () => late.length > 0)
  const earlier = await late[0]?.fetch()
  host.host.ofClasses.updateClass(ofClass.id, { openHints: ['1'] })
  await openHint(2)
  await page.getByText('The hint is open for everybody.').waitFor()
  expect(openHints()).toEqual(['1', '2'])
  const next = page.waitForRequest(classUrl)
  await late[0]?.fulfill({ ...(earlier && { response: earlier }) })
  // The page has seen the late response when it asks again.
  await next
  expect(await page.getByRole('button', { name: 'Hint is open' }).count()).toBe(2)
  const changes = await hold(page, classUrl, 'PATCH', 1)
  await openHint(3)
  await until('the first change is held back', () => changes.length > 0)
  const read = page.waitForResponse(classUrl)
  await openHint(4)
  await read
  await changes[0]?.continue()
  await until('both hints are open', () => openHints().length === 4)
  await page.close()
})

test('a board waits for one response at a time, and says that none came', async () => {
  await using session = await openClass(['Ada'])
  const { host, ofClass } = session
  const { page } = await open(`${host.base}/board/${ofClass.id}#key=${ofClass.teacherKey}`)
  await page.getByRole('row', { name: /^Ada/ }).waitFor()
  const held = await hold(page, `${host.base}/classes/${ofClass.id}`, 'GET')
  await page.getByText('The host does not respond').waitFor()
  // The next one may have begun.
  expect(held.length).toBeLessThan(3)
  await page.close()
})

test('the new keys of several students, given at one moment, are all shown', async () => {
  await using session = await openClass(['Ada', 'Bob', 'Cleo'])
  const { host, ofClass, students } = session
  const { page } = await open(`${host.base}/board/${ofClass.id}#key=${ofClass.teacherKey}`)
  page.on('dialog', dialog => dialog.accept())
  const held = await hold(page, `${host.base}/sandboxes/*/key`, 'POST')
  for (const { label } of students) await page.getByRole('button', { name: `New key: for ${label}` }).click()
  await until('all have been asked for', () => held.length === 3)
  await Promise.all(held.map(route => route.continue()))
  const heading = page.getByRole('heading', { name: 'The new key of' })
  const shown = new Set<string>()
  for (const _ of students) {
    await until('another key is shown', async () => !shown.has(await heading.innerText()))
    const title = await heading.innerText()
    shown.add(title)
    const student = students.find(({ label }) => title === `The new key of ${label}`)
    const key = await page.locator('#dialog-key').innerText()
    expect((await call('GET', `${student?.baseUrl}/store/orders`, key)).status).toBe(200)
    await page.getByRole('button', { name: 'Close' }).click()
  }
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
  const showMs = await page.locator('#filter').evaluate(filter => {
    const from = performance.now()
    filter.dispatchEvent(new Event('input'))
    return performance.now() - from
  })
  expect(showMs).toBeLessThan(100)
  await page.close()
})

test('a late response shows no older progress, and a removed student learns that the store is gone', async () => {
  await using session = await openClass(['Ada'])
  const { host, ofClass, students } = session
  const [ada] = students
  const { page } = await open(`${ada?.baseUrl}/docs/guide/lesson#key=${ada?.adminKey}`)
  const progressUrl = `${host.base}/sandboxes/${ada?.id}/progress`
  await page.getByText('1. Read something: not started').waitFor()
  const late = await hold(page, progressUrl, 'GET', 1)
  await until('the progress is read', () => late.length > 0)
  const earlier = await late[0]?.fetch()
  await call('GET', `${ada?.baseUrl}/pets?limit=1`, undefined)
  await page.getByText('✓ 1. Read something: done').waitFor()
  const seen = page.waitForResponse(progressUrl)
  await late[0]?.fulfill({ ...(earlier && { response: earlier }) })
  await seen
  await page.evaluate(`fetch('/livez').then(response => response.text())`)
  expect(await page.getByText('✓ 1. Read something: done').isVisible()).toBe(true)
  await call('DELETE', `${host.base}/classes/${ofClass.id}/students/${ada?.id}`, ofClass.teacherKey)
  await page.getByText('Your store was deleted').waitFor()
  await page.close()
})

/** Sends a request of the lesson with the keyboard, with another text if one is given. Returns what the page shows. */
async function sendInLesson(page: Page, number: number, text?: string): Promise<string> {
  const area = page.getByLabel(`Request ${number}`, { exact: true })
  if (text !== undefined) await area.fill(text)
  await area.focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const form = page.locator('form.request').nth(number - 1)
  await form
    .getByRole('status')
    .getByText(/^(Status \d+|No |The |")/)
    .waitFor()
  return (await form.getByRole('status').innerText()) + (await form.locator('pre').first().innerText())
}

test('a student does the first two exercises of the guide on a phone without a terminal', async () => {
  const lesson = readFileSync(join(ROOT, 'docs', 'lesson.md'), 'utf8')
  await using session = await openClass(['Ada'], {}, lesson)
  const { host, ofClass } = session
  const [ada] = session.students
  const url = `${ada?.baseUrl}/docs/guide/lesson`
  const { page, faults } = await open(`${url}#key=${ada?.adminKey}`, 390)
  expect(await sendInLesson(page, 1)).toContain('"name":"Biscuit (Beagle)"')
  expect(await sendInLesson(page, 2)).toStartWith('Status 401')
  expect(await sendInLesson(page, 3)).toStartWith('Status 200')
  await page.getByText('✓ 1. Read something: done').waitFor()
  const nextOf = (shown: string): string => /<([^>]+)>; rel="next"/.exec(shown)?.[1] ?? ''
  const second = nextOf(await sendInLesson(page, 4))
  await sendInLesson(page, 4, `GET ${nextOf(await sendInLesson(page, 4, `GET ${second}`))}`)
  await page.getByText('✓ 2. Follow the pages: done').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await seriousViolations(page)).toEqual([])
  // A browser logs each refused request as an error.
  expect(faults.filter(text => !text.includes('401'))).toEqual([])
  await page.reload()
  expect(await page.getByLabel('Request 4', { exact: true }).inputValue()).toContain('cursor=')
  const board = await open(`${host.base}/board/${ofClass.id}#key=${ofClass.teacherKey}`)
  await board.page.getByRole('row', { name: /^Ada/ }).waitFor()
  expect(await board.page.getByText('✓ done').count()).toBe(2)
  await Promise.all([page.close(), board.page.close()])
})

test('a mistake, a lost response and a large body get a sentence, and the key goes nowhere else', async () => {
  const lesson = `${LESSON}\n\`\`\`http\nGET /pets\n\`\`\`\n`
  await using session = await openClass(['Ada'], {}, lesson)
  const [ada] = session.students
  const { page } = await open(`${ada?.baseUrl}/docs/guide/lesson`)
  const elsewhere: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(session.host.base)) elsewhere.push(request.url())
  })
  for (const after of ['\u200b', '…', '']) {
    await page.getByLabel('Key on your card').fill(ada?.adminKey + after)
    await page.getByRole('button', { name: 'Use this key' }).click()
    if (after !== '') await page.getByText('This is not a key').waitFor()
  }
  const shown: [text: string, sentence: string][] = [
    ['pets', 'The first line must be a method and a path'],
    ['GET https://pets.example/pets', 'is no path of your store'],
    ['GET javascript:alert(1)', 'is no path of your store'],
    ['POST /pets\n{"name":"Rex"}', 'is no header'],
    ['GET /pets\nX-Name: „', 'The browser cannot send this request'],
    [
      'POST /store/orders\nPetstore-Fault: drop_after_commit\n\n{"petId":3}',
      'No response: the connection was lost',
    ],
    ['GET /openapi.json', 'The page shows only the start of the body'],
    ['GET /events/stream?after=0', 'Status 200 OK'],
    ['GET $CONTROL', '"label":"Ada"'],
  ]
  for (const [text, sentence] of shown) expect(await sendInLesson(page, 1, text)).toContain(sentence)
  expect(elsewhere).toEqual([])
  await page.close()
})

test('the code of a request does the same as the request', async () => {
  const text = 'POST /categories\nX-Quote: it\'s "so"\n\n{"name":"Owls \'and\' \\"more\\" é"}'
  await using session = await openClass(['Ada'], {}, `${LESSON}\n\`\`\`http\n${text}\n\`\`\`\n`)
  const [ada] = session.students
  const { page } = await open(`${ada?.baseUrl}/docs/guide/lesson#key=${ada?.adminKey}`)
  await page.getByText('Code of the request').click()
  await page.getByRole('region', { name: 'curl of request 1' }).waitFor()
  const programs: [string, string[]][] = [
    ['curl', ['bash', '-c']],
    ['JavaScript', [process.execPath, '-e']],
    ...(Bun.which('python3') ? [['Python', ['python3', '-c']] satisfies [string, string[]]] : []),
  ]
  for (const [index, [language, program]] of programs.entries()) {
    if (index > 0)
      await page.getByLabel('Request 1', { exact: true }).fill(text.replace('Owls', `Owls ${index}`))
    const code = await page.getByRole('region', { name: `${language} of request 1` }).innerText()
    const child = Bun.spawn([...program, code], { stdout: 'pipe' })
    const output = await new Response(child.stdout).text()
    expect([language, await child.exited, output]).toEqual([
      language,
      0,
      expect.stringContaining(`Owls ${index > 0 ? `${index} ` : ''}'and' \\"more\\" é"`),
    ])
  }
  await page.getByLabel('Request 1', { exact: true }).fill('GET /store/orders\n\n{"petId":3}')
  const code = await page.getByRole('region', { name: 'curl of request 1' }).innerText()
  expect(await Bun.spawn(['bash', '-c', code], { stdout: 'ignore', stderr: 'ignore' }).exited).toBe(0)
  expect((await call('GET', `${ada?.baseUrl}/store/orders`, ada?.adminKey)).data).toEqual([])
  await page.close()
})
