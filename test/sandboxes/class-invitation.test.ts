import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Route } from 'playwright-core'
import type { CreatedClass, Invitation } from '../../src/sandboxes/contract/class-schema.ts'
import type { CreatedSandbox } from '../../src/sandboxes/contract/schema.ts'
import { newCode } from '../../src/shop/keys/key-text.ts'
import { seriousViolations } from '../support/accessibility.ts'
import { launchBrowser } from '../support/browser.ts'
import { startProcess } from '../support/process.ts'
import type { CallResult, TestHost, TestHostOptions } from '../support/sandbox-host.ts'
import { until } from '../support/until.ts'
import { call, inDays, LESSON, openClass, refuseWrites } from './class-session.ts'

const STUDENTS = 200
const browser = await launchBrowser()
afterAll(() => browser.close())

function codeOf({ link }: Pick<Invitation, 'link'>): string {
  return link.replace(/.*#code=/, '')
}

/** Returns functions of somebody with the link of a class, which is opened anew. */
function invite(
  { host, base }: TestHost,
  { id }: CreatedClass,
  code = codeOf(host.ofClasses.openInvitation(id)),
) {
  const url = `${base}/classes/${id}/join`
  return {
    code,
    read: () => call('GET', url, code),
    join: (name: string, identifier?: string, ticket?: string) =>
      call('POST', url, code, { name, ...(identifier && { identifier }), ...(ticket && { ticket }) }),
  }
}

/** Serves a host with a class of some places, without names. */
async function openPlaces(places: bigint, options: TestHostOptions = {}) {
  const session = await openClass([], options)
  const ofClass = session.host.host.ofClasses.createClass({
    name: '10c',
    lesson: LESSON,
    endsAt: inDays(1),
    places,
  })
  return { ...session, ofClass, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() }
}

/** Returns the sandbox of a student who has joined. */
function joined({ status, data }: CallResult): CreatedSandbox {
  expect(status).toBe(200)
  // Safe: the body of a 200 is a sandbox.
  return data as CreatedSandbox
}

function codesOf(results: readonly CallResult[]): string[] {
  return results
    .map(({ status, data }) => `${status} ${(data as { code?: string }).code ?? ''}`.trim())
    .sort()
}

test('a student joins with the link once, gets the only key that works, and the teacher gives a new card', async () => {
  await using session = await openClass(['Grace', 'Ada'])
  const { host, ofClass } = session
  const { read, join } = invite(host, ofClass)
  expect((await read()).data).toEqual({
    name: '10b',
    students: [{ name: 'Ada' }, { name: 'Grace' }],
    hasRoom: false,
  })
  const ada = joined(await join('Ada'))
  const first = session.students.find(({ label }) => label === 'Ada')
  expect(ada).toMatchObject({ id: first?.id, label: 'Ada', baseUrl: first?.baseUrl })
  const orders = `${ada.baseUrl}/store/orders`
  expect((await call('GET', orders, first?.adminKey)).status).toBe(401)
  expect((await call('GET', orders, ada.adminKey)).status).toBe(200)
  expect((await read()).data).toMatchObject({ students: [{ name: 'Grace' }] })
  expect((await join('Ada')).text).toContain('\\"Ada\\" is taken. If it is your name, ask your teacher')
  await call('POST', `${host.base}/sandboxes/${ada.id}/key`, ofClass.teacherKey)
  expect(codesOf([await join('Ada'), await join('Alan')])).toEqual([
    '409 name_taken',
    '409 sandbox_limit_reached',
  ])
})

test('a name whose card is in use cannot be taken, but the teacher may list and reset the stores', async () => {
  await using session = await openClass(['Ada', 'Grace', 'Alan', 'Edsger'])
  const { host, ofClass } = session
  const { read } = invite(host, ofClass)
  const [ada, grace, alan] = session.students
  for (const { id, adminKey } of session.students) {
    await call('GET', `${host.base}/sandboxes/${id}`, adminKey)
    await call('POST', `${host.base}/sandboxes/${id}/reset`, adminKey)
    await call('GET', `${host.base}/sandboxes/${id}/progress`, ofClass.teacherKey)
    await call('GET', `${host.base}/s/${id}/store/orders`, newCode())
  }
  await call('GET', `${ada?.baseUrl}/store/orders`, ada?.adminKey)
  await call('GET', `${host.base}/sandboxes/${grace?.id}/progress`, grace?.adminKey)
  await call('POST', `${host.base}/sandboxes/${alan?.id}/key`, ofClass.teacherKey)
  expect((await read()).data).toMatchObject({ students: [{ name: 'Edsger' }] })
  await session.restart()
  expect((await read()).data).toMatchObject({ students: [{ name: 'Edsger' }] })
})

test('a student whose response was lost joins again with the same ticket, and gets a key that works', async () => {
  for (const open of [() => openClass(['Ada']), () => openPlaces(1n)]) {
    await using session = await open()
    const { join } = invite(session.host, session.ofClass)
    const ticket = 'a'.repeat(32)
    const lost = joined(await join('Ada', undefined, ticket))
    await session.restart()
    expect(codesOf([await join('Ada'), await join('Ada', undefined, 'b'.repeat(32))])).toEqual([
      '409 name_taken',
      '409 name_taken',
    ])
    const ada = joined(await join('Ada', undefined, ticket))
    expect([ada.id, ada.adminKey === lost.adminKey]).toEqual([lost.id, false])
    expect((await call('GET', `${ada.baseUrl}/store/orders`, lost.adminKey)).status).toBe(401)
    expect((await call('GET', `${ada.baseUrl}/store/orders`, ada.adminKey)).status).toBe(200)
    // The wrong student had the ticket: a new card of the teacher ends it.
    const keyUrl = `${session.host.base}/sandboxes/${ada.id}/key`
    expect((await call('POST', keyUrl, session.ofClass.teacherKey)).status).toBe(200)
    expect(codesOf([await join('Ada', undefined, ticket)])).toEqual(['409 name_taken'])
  }
})

test('a name stays taken if a repeated request for it fails', async () => {
  await using session = await openClass(['Ada'])
  const { join } = invite(session.host, session.ofClass)
  const ticket = 'a'.repeat(32)
  const { id } = joined(await join('Ada', undefined, ticket))
  const allowWrites = refuseWrites(session.host, id)
  expect((await join('Ada', undefined, ticket)).status).toBe(500)
  allowWrites()
  expect(codesOf([await join('Ada', undefined, 'b'.repeat(32))])).toEqual(['409 name_taken'])
  expect(joined(await join('Ada', undefined, ticket)).id).toBe(id)
})

test('a typed name that differs in case or accents takes the free name of the list, unless two are alike', async () => {
  await using session = await openClass(['ANNA', 'José', 'Zoë', 'Zoe'])
  const { join, read } = invite(session.host, session.ofClass)
  expect(joined(await join('anna')).label).toBe('ANNA')
  expect(joined(await join('Jose')).label).toBe('José')
  expect((await join('zoe')).text).toContain('choose yours in the list')
  expect(joined(await join('Zoë')).label).toBe('Zoë')
  expect((await read()).data).toMatchObject({ students: [{ name: 'Zoe' }] })
})

test('the teacher removes a student, whose name and place are free, and adds places', async () => {
  await using session = await openPlaces(1n)
  const { host, ofClass } = session
  const { join } = invite(host, ofClass)
  const rude = joined(await join('Rude'))
  const classUrl = `${host.base}/classes/${ofClass.id}`
  const remove = (key: string) => call('DELETE', `${classUrl}/students/${rude.id}`, key)
  expect((await remove(rude.adminKey)).status).toBe(401)
  expect([(await remove(ofClass.teacherKey)).status, (await remove(ofClass.teacherKey)).status]).toEqual([
    204, 404,
  ])
  expect((await call('GET', `${rude.baseUrl}/pets`, rude.adminKey)).status).toBe(404)
  await session.restart()
  joined(await join('Lea'))
  const board = await call('GET', classUrl, ofClass.teacherKey)
  expect(board.data).toMatchObject({ students: [{ name: 'Lea', takenAt: expect.any(String) }] })
  const changePlaces = async (places: number) =>
    (await call('PATCH', classUrl, ofClass.teacherKey, { places })).status
  expect([await changePlaces(0), await changePlaces(1000), await changePlaces(2)]).toEqual([422, 422, 200])
  joined(await join('Tim'))
  expect(await changePlaces(1)).toBe(422)
})

test('the name of a student whose sandbox the teacher deleted is free, and what was done stays', async () => {
  await using session = await openClass(['Grace', 'Ada'])
  const { host, ofClass } = session
  const { read, join } = invite(host, ofClass)
  const ada = joined(await join('Ada'))
  await call('GET', `${ada.baseUrl}/pets?limit=1`, ada.adminKey)
  await call('DELETE', `${host.base}/sandboxes/${ada.id}`, ofClass.teacherKey)
  expect((await read()).data).toMatchObject({ students: [{ name: 'Ada' }, { name: 'Grace' }] })
  const results = await Promise.all(['Ada', 'ada', 'Ada'].map(name => join(name)))
  expect(codesOf(results)).toEqual(['200', '409 name_taken', '409 name_taken'])
  expect(host.host.classes.board(ofClass.id)).toMatchObject({
    places: 2n,
    students: [{ name: 'Ada', exercises: [{ state: 'done' }] }, { name: 'Grace' }],
  })
})

test('of students who take one name at the same moment, exactly one gets it', async () => {
  await using listed = await openClass(['Ada', 'Grace'])
  const { join } = invite(listed.host, listed.ofClass)
  const results = await Promise.all(['Ada', 'Ada', 'Ada', 'Grace'].map(name => join(name)))
  expect(codesOf(results)).toEqual(['200', '200', '409 name_taken', '409 name_taken'])
  await using typed = await openPlaces(3n)
  const guest = invite(typed.host, typed.ofClass)
  const names = ['José', 'jose', ' JOSE\u200b ', 'Ada', 'Grace', 'Alan']
  const typedResults = await Promise.all(names.map(name => guest.join(name)))
  expect(codesOf(typedResults)).toEqual([
    ...['200', '200', '200'],
    ...['409 name_taken', '409 name_taken', '409 sandbox_limit_reached'],
  ])
  expect((await guest.read()).data).toEqual({ name: '10c', students: [], hasRoom: false })
  expect(codesOf([await guest.join('x'.repeat(101)), await guest.join('\u202e')])).toEqual([
    ...['422 validation_failed', '422 validation_failed'],
  ])
  expect(typed.host.host.counts.sandboxes).toBe(3)
})

test('two students with one name are told apart by what makes them unique', async () => {
  await using session = await openClass([])
  const { host, ofClass } = session
  const students = ['a1@x.example', 'a2@x.example'].map(identifier => ({ name: 'Anna', identifier }))
  await host.host.ofClasses.addStudents(ofClass.id, students)
  const { read, join } = invite(host, ofClass)
  expect((await read()).data).toMatchObject({ students })
  const second = joined(await join('Anna', 'a2@x.example'))
  expect(
    host.host.classes.board(ofClass.id).students.find(({ sandboxId }) => sandboxId === second.id),
  ).toMatchObject({
    identifier: 'a2@x.example',
  })
  expect((await read()).data).toMatchObject({ students: [students[0]] })
})

test('a code of a closed link, an earlier link, or an ended or deleted class gets one same refusal', async () => {
  let aheadMs = 0
  await using session = await openClass(['Ada'], { clock: () => Date.now() + aheadMs })
  const { host, ofClass } = session
  const url = `${host.base}/classes/${ofClass.id}`
  const refusals: string[] = []
  const expectRefused = async ({ read, join }: ReturnType<typeof invite>): Promise<void> => {
    for (const { status, text } of [await read(), await join('Ada')]) {
      expect(status).toBe(401)
      refusals.push(text.replace(/"requestId":"[^"]*"/, ''))
    }
  }
  const earlier = invite(host, ofClass)
  const other = invite(
    host,
    host.host.ofClasses.createClass({ name: 'x', lesson: LESSON, endsAt: inDays(1), places: 1n }),
  )
  const current = invite(host, ofClass)
  expect((await current.read()).status).toBe(200)
  await expectRefused(earlier)
  await expectRefused(invite(host, ofClass, other.code))
  await expectRefused(invite(host, ofClass, session.hostKey))
  await expectRefused(invite(host, ofClass, ofClass.teacherKey))
  await expectRefused(invite(host, { ...ofClass, id: '2'.repeat(26) }, current.code))
  aheadMs = 11 * 86_400_000
  await expectRefused(current)
  aheadMs = 0
  expect((await call('DELETE', `${url}/invitation`, ofClass.teacherKey)).status).toBe(204)
  await expectRefused(current)
  const last = invite(host, ofClass)
  await call('DELETE', url, ofClass.teacherKey)
  await expectRefused(last)
  expect(new Set(refusals).size).toBe(1)
})

test(`${STUDENTS} students join within a minute, beside a flood of random codes of their address`, async () => {
  await using session = await openPlaces(BigInt(STUDENTS))
  const { host, ofClass } = session
  const { read, join } = invite(host, ofClass)
  const wrong = invite(host, ofClass, newCode())
  let isFlooded = true
  const statuses = new Map<number, number>()
  const flood = Array.from({ length: 4 }, async () => {
    while (isFlooded || (statuses.get(429) ?? 0) < 6000) {
      const { status } = await wrong.read()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  })
  const startedMs = performance.now()
  await Promise.all(
    Array.from({ length: STUDENTS }, async (_, index) => {
      expect((await read()).status).toBe(200)
      joined(await join(`Student ${index}`))
    }),
  )
  expect(performance.now() - startedMs).toBeLessThan(60_000)
  isFlooded = false
  await Promise.all(flood)
  expect([...statuses.keys()].toSorted()).toEqual([401, 429])
  expect(statuses.get(401)).toBe(60)
  expect((await read()).status).toBe(200)
}, 90_000)

test('those with the code have a limit by class, which other classes do not feel', async () => {
  await using session = await openClass(['Ada'])
  const { host, ofClass } = session
  const other = invite(
    host,
    host.host.ofClasses.createClass({ name: 'x', lesson: LESSON, endsAt: inDays(1), places: 1n }),
  )
  const { read } = invite(host, ofClass)
  const statuses = await Promise.all(Array.from({ length: 1201 }, async () => (await read()).status))
  expect(statuses.filter(status => status === 429)).toHaveLength(1)
  expect((await other.read()).status).toBe(200)
})

test('after kill -9, a name whose card was received is taken, and the code is in no log or file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-join-'))
  const start = (port: number) => startProcess(['sandboxes', '--data', directory, '--port', String(port)])
  let host = await start(0)
  const { base } = host
  const hostKey = readFileSync(join(directory, 'host-key'), 'utf8').trim()
  const body = { name: '10b', lesson: LESSON, endsAt: inDays(1), places: 4 }
  // Safe: the body of a 201 is a new class.
  const { id, teacherKey } = (await call('POST', `${base}/classes`, hostKey, body)).data as CreatedClass
  const students = ['Ada', 'Grace'].map(name => ({ name, identifier: name }))
  await call('POST', `${base}/classes/${id}/students`, teacherKey, { students })
  const opened = await call('POST', `${base}/classes/${id}/invitation`, teacherKey)
  // Safe: the body of a 200 is an invitation.
  const code = codeOf(opened.data as Invitation)
  const cards: CreatedSandbox[] = []
  for (const name of ['Ada', 'Alan', 'Grace', 'Edsger']) {
    cards.push(joined(await call('POST', `${base}/classes/${id}/join`, code, { name })))
    await host.kill('SIGKILL')
    host = await start(Number(new URL(base).port))
    const again = await call('POST', `${base}/classes/${id}/join`, code, { name })
    expect([again.status, (again.data as { code: string }).code]).toEqual([409, 'name_taken'])
    for (const { baseUrl, adminKey } of cards)
      expect((await call('GET', `${baseUrl}/store/orders`, adminKey)).status).toBe(200)
  }
  for (const path of [`/${code}`, `?code=${code}`]) await call('GET', `${base}/join${path}`, undefined)
  await host.kill('SIGTERM')
  expect(host.logged()).toContain('/join/psc_***')
  expect(host.logged()).not.toContain(code)
  for (const file of ['sandboxes.db', 'sandboxes.db-wal'])
    if (await Bun.file(join(directory, file)).exists())
      expect(readFileSync(join(directory, file)).includes(code)).toBe(false)
  rmSync(directory, { recursive: true, force: true })
}, 60_000)

test('the teacher opens the link on the board, and a student joins on a phone and is in the lesson', async () => {
  await using session = await openClass(['Ada', 'Grace'])
  const { host, ofClass } = session
  const board = await browser.newPage()
  await board.goto(`${host.base}/board/${ofClass.id}#key=${ofClass.teacherKey}`)
  await board.getByRole('button', { name: 'Invite students' }).click()
  await board.getByText('There is no open link.').waitFor()
  expect(await board.getByRole('button', { name: 'Close the link' }).isVisible()).toBe(false)
  await board.route('**/invitation', route => route.abort())
  await board.getByRole('button', { name: 'Open a new link' }).click()
  await board.getByRole('alert').waitFor()
  await board.unroute('**/invitation')
  await board.getByRole('button', { name: 'Invite students' }).click()
  await board.getByRole('button', { name: 'Open a new link' }).click()
  await board.getByText('Whoever has the link can take a free name').waitFor()
  expect(
    await board.evaluate<number>(`document.querySelector('#invite-qr').decode().then(() => document
      .querySelector('#invite-qr').naturalWidth)`),
  ).toBeGreaterThan(0)
  expect(await seriousViolations(board)).toEqual([])
  const link = await board.locator('#invite-link').innerText()

  const context = await browser.newContext({ viewport: { width: 390, height: 800 } })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  page.on('console', message => faults.push(message.text()))
  page.on('dialog', dialog => dialog.accept())
  await page.goto(link)
  await page.getByRole('heading', { name: 'Join 10b' }).waitFor()
  await page.getByLabel('Choose your name').selectOption('Ada')
  expect(await page.getByLabel('Type your name').isVisible()).toBe(false)
  expect(await seriousViolations(page)).toEqual([])
  await invite(host, ofClass, codeOf({ link })).join('Ada')
  const lateNames: Route[] = []
  await page.route('**/join', route => {
    if (route.request().method() !== 'GET') return route.continue()
    lateNames.push(route)
  })
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByText('"Ada" is taken.').waitFor()
  await until('the names are read again', () => lateNames.length > 0)
  const earlier = await lateNames[0]?.fetch()
  await page.getByLabel('Choose your name').selectOption('Grace')
  // A proxy loses the response: the name is taken, and the page gets it with its ticket.
  const loseResponse = async (route: Route): Promise<void> => {
    await route.fetch()
    await route.fulfill({ status: 502, body: 'Bad gateway' })
  }
  await page.route('**/join', loseResponse, { times: 1 })
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByText('The host responded with status 502.').waitFor()
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('heading', { name: 'The card of Grace' }).waitFor()
  await page.getByText('Keep this card').waitFor()
  const isAnswered = page.waitForResponse('**/join')
  await lateNames[0]?.fulfill({ ...(earlier && { response: earlier }) })
  await isAnswered
  await page.evaluate(`fetch('/livez').then(response => response.text())`)
  expect(await page.getByRole('button', { name: 'Join' }).isVisible()).toBe(false)
  await page.unroute('**/join')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await seriousViolations(page)).toEqual([])
  const key = await page.locator('#key').innerText()
  expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Print or save the card' }).click()
  await (await opened).getByText(key, { exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Go on to the lesson' }).click()
  await page.getByText('1. Read something: not started').waitFor()
  await page.reload()
  await page.getByText('1. Read something: not started').waitFor()
  expect(page.url()).not.toContain('key=')
  // A browser logs the refused request as an error.
  expect(faults.filter(text => !/ (409|502) /.test(text))).toEqual([])

  await board.getByRole('button', { name: 'Close the link' }).click()
  await board.getByText('There is no open link.').waitFor()
  await page.goto(link)
  await page.getByText('This link to a class does not work any more.').waitFor()
  await Promise.all([board.close(), context.close()])
})

test('a student of a class without a list types a name on a phone', async () => {
  await using session = await openPlaces(1n)
  const { host, ofClass } = session
  const page = await browser.newPage({ viewport: { width: 390, height: 800 } })
  page.on('dialog', dialog => dialog.accept())
  const { link } = host.host.ofClasses.openInvitation(ofClass.id)
  await page.route('**/join', route => route.abort(), { times: 1 })
  await page.goto(link)
  await page.getByText('The host cannot be reached.').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByLabel('Type your name').fill('  Ada Lovelace ')
  expect(await page.getByLabel('Choose your name').isVisible()).toBe(false)
  let isLost = true
  await page.route('**/join', async route => {
    const isJoining = route.request().method() === 'POST'
    if (!isJoining || !isLost) return route.continue()
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByText('The host does not respond. Check your network, and try again').waitFor()
  // The page is loaded again, and knows for which name it waited.
  await page.reload()
  await page.getByLabel('Choose your name').selectOption('Ada Lovelace')
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByText('The host does not respond. Check your network, and try again').waitFor()
  isLost = false
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('heading', { name: 'The card of Ada Lovelace' }).waitFor()
  expect(host.host.counts.sandboxes).toBe(1)
  await page.goto('about:blank')
  await page.goto(link)
  await page.getByText('All names of this class are taken.').waitFor()
  await page.close()
})
