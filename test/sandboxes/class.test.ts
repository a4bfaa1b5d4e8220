import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteConnection } from '../../src/database/sqlite/connection.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { call, inDays, LESSON, openClass, refuseWrites } from './class-session.ts'

test('the host key is private, stays after a restart, and creates classes; no other key does', async () => {
  await using session = await openClass(['Ada'])
  const { host, hostKey, ofClass, students } = session
  expect(statSync(join(host.directory, 'host-key')).mode & 0o777).toBe(0o600)
  const body = { name: '10b', lesson: LESSON, endsAt: inDays(10), places: 1 }
  for (const key of [ofClass.teacherKey, students[0]?.adminKey])
    expect((await call('POST', `${host.base}/classes`, key, body)).status).toBe(401)
  expect((await call('POST', `${host.base}/classes`, undefined, body)).status).toBe(401)
  expect((await call('POST', `${host.base}/classes`, hostKey, body)).status).toBe(201)
  await session.restart()
  expect(readFileSync(join(host.directory, 'host-key'), 'utf8').trim()).toBe(hostKey)
  const { data } = await call('GET', `${session.host.base}/classes`, hostKey)
  expect(data).toMatchObject([{ name: '10b' }, { name: '10b' }])
})

test('the key of a student cannot delete the sandbox, change it, clear its log, or reach the class', async () => {
  await using session = await openClass(['Ada', 'Grace'])
  const { host, ofClass } = session
  const [ada, grace] = session.students
  const control = `${host.base}/sandboxes/${ada?.id}`
  const forbidden: [string, string, unknown?][] = [
    ['DELETE', control],
    ['PATCH', control, { lifetimeSeconds: 60 }],
    ['PATCH', control, { label: 'Nobody' }],
    ['DELETE', `${control}/requests`],
    ['POST', `${control}/key`],
    ['GET', `${control}/archive`],
  ]
  for (const [method, url, body] of forbidden)
    expect(await call(method, url, ada?.adminKey, body)).toMatchObject({
      status: 403,
      data: { code: 'insufficient_scope' },
    })
  const ofTeacher: [string, string][] = [
    ['GET', `${host.base}/classes/${ofClass.id}`],
    ['DELETE', `${host.base}/classes/${ofClass.id}`],
    ['POST', `${host.base}/classes/${ofClass.id}/invitation`],
    ['DELETE', `${host.base}/classes/${ofClass.id}/invitation`],
    ['GET', `${host.base}/classes/${ofClass.id}/join`],
    ['POST', `${host.base}/classes/${ofClass.id}/join`],
    ['GET', `${host.base}/sandboxes/${grace?.id}/progress`],
    ['GET', `${host.base}/sandboxes/${grace?.id}/requests`],
    ['GET', `${host.base}/sandboxes/${grace?.id}/archive`],
  ]
  for (const [method, url] of ofTeacher) expect((await call(method, url, ada?.adminKey)).status).toBe(401)
  expect((await call('GET', control, ada?.adminKey)).data).toMatchObject({ label: 'Ada' })
  expect((await call('POST', `${control}/reset`, ada?.adminKey)).status).toBe(200)
  expect((await call('DELETE', `${control}/requests`, ofClass.teacherKey)).status).toBe(204)
})

test('a teacher of another class has no power, and the host key has that of each teacher', async () => {
  await using session = await openClass(['Ada'])
  const { host, hostKey, ofClass } = session
  const other = host.host.ofClasses.createClass({
    name: '10c',
    lesson: LESSON,
    endsAt: inDays(1),
    places: 1n,
  })
  const control = `${host.base}/sandboxes/${session.students[0]?.id}`
  for (const path of [`${host.base}/classes/${ofClass.id}`, `${control}/requests`, `${control}/archive`])
    expect((await call('GET', path, other.teacherKey)).status).toBe(401)
  const invitation = `${host.base}/classes/${ofClass.id}/invitation`
  for (const method of ['POST', 'DELETE'])
    expect((await call(method, invitation, other.teacherKey)).status).toBe(401)
  expect(host.host.classes.board(ofClass.id)).not.toHaveProperty('invitationOpenedAt')
  for (const key of [hostKey, ofClass.teacherKey])
    for (const path of [`${host.base}/classes/${ofClass.id}`, `${control}/requests`])
      expect((await call('GET', path, key)).status).toBe(200)
})

test('a new key revokes the old one and all keys of the shop, also after a reset and a restart', async () => {
  await using session = await openClass(['Ada'])
  const [ada] = session.students
  if (!ada) throw new Error('there is no student')
  const control = `${session.host.base}/sandboxes/${ada.id}`
  const made = await call('POST', `${ada.baseUrl}/keys`, ada.adminKey, { name: 'spare', scopes: ['admin'] })
  const { key: spare } = made.data as { key: string }
  expect((await call('PUT', `${control}/snapshots/spare`, ada.adminKey)).status).toBe(200)
  const replaced = await call('POST', `${control}/key`, session.ofClass.teacherKey)
  const { adminKey, baseUrl } = replaced.data as { adminKey: string; baseUrl: string }
  expect(baseUrl).toBe(ada.baseUrl)
  const expectOnlyNewKey = async (): Promise<void> => {
    const statuses = [ada.adminKey, spare, adminKey].map(async key => [
      (await call('GET', `${ada.baseUrl}/store/orders`, key)).status,
      (await call('GET', control, key)).status,
    ])
    expect(await Promise.all(statuses)).toEqual([
      [401, 401],
      [401, 401],
      [200, 200],
    ])
  }
  await expectOnlyNewKey()
  await call('POST', `${control}/reset`, adminKey, { snapshot: 'spare' })
  await expectOnlyNewKey()
  await session.restart()
  await expectOnlyNewKey()
  await call('POST', `${control}/reset`, adminKey, {})
  await expectOnlyNewKey()
  // A key that the student makes now works.
  const next = await call('POST', `${ada.baseUrl}/keys`, adminKey, { name: 'next', scopes: ['orders:read'] })
  expect((await call('GET', `${ada.baseUrl}/store/orders`, (next.data as { key: string }).key)).status).toBe(
    200,
  )
})

test('students with equal names are two, and adding a list again adds only the missing ones', async () => {
  await using session = await openClass([])
  const { host, ofClass } = session
  const add = async (...emails: string[]): Promise<unknown> =>
    (
      await call('POST', `${host.base}/classes/${ofClass.id}/students`, ofClass.teacherKey, {
        students: emails.map(identifier => ({ name: 'Anna Müller', identifier })),
      })
    ).data
  expect(await add('a1@x.example', 'a2@x.example')).toHaveLength(2)
  expect(await add('A1@x.example', 'a2@x.example')).toHaveLength(0)
  expect(await add('a1@x.example', 'a3@x.example', 'a3@x.example')).toHaveLength(1)
  await Promise.all([add('a4@x.example'), add('a4@x.example'), add('a4@x.example')])
  expect(host.host.classes.board(ofClass.id).students).toHaveLength(4)
})

test('a student whose sandbox the teacher deleted gets another one, and keeps what was done', async () => {
  await using session = await openClass(['Ada', 'Grace'])
  const { host, ofClass } = session
  const [ada] = session.students
  await call('GET', `${ada?.baseUrl}/pets?limit=1`, ada?.adminKey)
  await call('DELETE', `${host.base}/sandboxes/${ada?.id}`, ofClass.teacherKey)
  const students = ['Ada', 'Grace'].map(name => ({ name, identifier: name.toLowerCase() }))
  const url = `${host.base}/classes/${ofClass.id}/students`
  const { data } = await call('POST', url, ofClass.teacherKey, { students })
  expect(data).toMatchObject([{ label: 'Ada' }])
  const [again] = data as { baseUrl: string; adminKey: string }[]
  await session.restart()
  expect((await call('GET', `${again?.baseUrl}/store/orders`, again?.adminKey)).status).toBe(200)
  expect(session.host.host.classes.board(ofClass.id)).toMatchObject({
    places: 2n,
    students: [{ name: 'Ada', exercises: [{ state: 'done' }] }, { name: 'Grace' }],
  })
})

test('a class reserves its places, and a host without room for them refuses it', async () => {
  const MIB = 1024 ** 2
  await using session = await openClass([], {
    limits: { sandboxes: 5, bytes: MIB, bytesTotal: 8 * MIB, open: 4 },
  })
  const { host } = session
  const create = (places: bigint): unknown =>
    host.host.ofClasses.createClass({ name: '10c', lesson: LESSON, endsAt: inDays(1), places })
  expect(() => create(5n)).toThrow('limit of 5 sandboxes')
  expect(() => create(4n)).not.toThrow()
  expect(() => create(1n)).toThrow('limit of 5 sandboxes')
  expect(await host.host.create({}).catch(error => error.message)).toContain('limit of 5 sandboxes')
  await using wide = await openClass([], { limits: { open: 3, bytes: 3 * MIB, bytesTotal: 8 * MIB } })
  const widely = (places: bigint): unknown =>
    wide.host.host.ofClasses.createClass({ name: '10c', lesson: LESSON, endsAt: inDays(1), places })
  expect(() => widely(4n)).toThrow('3 open sandboxes')
  expect(() => widely(2n)).toThrow('8 MiB on its disk')
})

test('a class that has ended is extended only if the host still has room for its places', async () => {
  let aheadMs = 0
  const clock = (): number => Date.now() + aheadMs
  await using session = await openClass([], { limits: { sandboxes: 3 }, clock })
  const { ofClasses } = session.host.host
  const end = (days: number): string => new Date(clock() + days * 86_400_000).toISOString()
  const input = { name: '10c', lesson: LESSON, endsAt: end(1), places: 2n }
  const { id } = ofClasses.createClass(input)
  aheadMs = 2 * 86_400_000
  const other = ofClasses.createClass({ ...input, endsAt: end(1) })
  const extend = () => ofClasses.updateClass(id, { endsAt: end(1) })
  expect(await extend().catch(({ message }) => message)).toContain('limit of 3 sandboxes')
  await ofClasses.deleteClass(other.id)
  expect((await extend()).places).toBe(2n)
})

test('students who are being added get the new end of their class, and leave no place if one fails', async () => {
  await using session = await openClass([])
  const { host, ofClass } = session
  const { ofClasses } = host.host
  const listOf = (...names: string[]) => names.map(name => ({ name, identifier: name }))
  const endsAt = inDays(20)
  const adding = ofClasses.addStudents(ofClass.id, listOf('Ada', 'Grace'))
  await Promise.all([adding, ofClasses.updateClass(ofClass.id, { endsAt })])
  const board = () => host.host.classes.board(ofClass.id)
  const ends = board().students.map(({ sandboxId }) => host.host.find(sandboxId)?.expiresAtMs)
  expect([ends, board().places]).toEqual([[Date.parse(endsAt), Date.parse(endsAt)], 2n])
  using registry = new Database(join(host.directory, 'sandboxes.db'))
  registry.run(`CREATE TRIGGER refuse BEFORE INSERT ON sandbox BEGIN SELECT RAISE(ABORT, 'full'); END`)
  await expect(ofClasses.addStudents(ofClass.id, listOf('Alan', 'Edsger'))).rejects.toThrow()
  registry.run('DROP TRIGGER refuse')
  expect(board().places).toBe(2n)
})

test('a class is extended together, and a deleted one leaves nothing', async () => {
  await using session = await openClass(['Ada', 'Grace'])
  const { host, ofClass, students } = session
  const url = `${host.base}/classes/${ofClass.id}`
  const endsAt = inDays(190)
  expect((await call('PATCH', url, ofClass.teacherKey, { endsAt })).status).toBe(200)
  for (const { id } of students) expect(host.host.find(id)?.expiresAtMs).toBe(Date.parse(endsAt))
  for (const refused of [{ endsAt: inDays(201) }, { lesson: '# Nothing' }]) {
    const patch = { places: 9, endsAt: inDays(180), ...refused }
    expect((await call('PATCH', url, ofClass.teacherKey, patch)).status).toBe(422)
  }
  expect((await call('GET', url, ofClass.teacherKey)).data).toMatchObject({ places: 2n, endsAt })
  expect((await call('DELETE', url, ofClass.teacherKey)).status).toBe(204)
  expect((await call('GET', url, ofClass.teacherKey)).status).toBe(404)
  expect(host.host.counts.sandboxes).toBe(0)
  await session.restart()
  expect(session.host.host.classes.list()).toEqual([])
})

test('a class whose end cannot be written for one student is not extended for any', async () => {
  await using session = await openClass(['Ada', 'Grace', 'Edsger'])
  const { host, ofClass, students } = session
  const ends = (): (string | number | undefined)[] => [
    host.host.classes.board(ofClass.id).endsAt,
    ...students.map(({ id }) => host.host.find(id)?.expiresAtMs),
  ]
  const before = ends()
  refuseWrites(host, students[1]?.id)
  const patch = { endsAt: inDays(190), places: 9 }
  const refused = await call('PATCH', `${host.base}/classes/${ofClass.id}`, ofClass.teacherKey, patch)
  expect([refused.status, ends()]).toEqual([500, before])
  await session.restart()
  const board = session.host.host.classes.board(ofClass.id)
  const kept = students.map(({ id }) => session.host.host.find(id)?.expiresAtMs)
  expect([board.endsAt, ...kept, board.places]).toEqual([...before, 3n])
})

test('a class that is deleted while students join leaves no sandbox', async () => {
  await using host = await openSandboxHost()
  const { ofClasses } = host.host
  for (let round = 0; round < 20; round++) {
    const { id } = ofClasses.createClass({ name: '10c', lesson: LESSON, endsAt: inDays(1), places: 4n })
    await ofClasses.addStudents(id, [{ name: 'Ada', identifier: 'ada' }])
    const joining = ['Grace', 'Edsger'].map(name => ofClasses.joinClass(id, { name }).catch(() => undefined))
    await Bun.sleep(round % 4)
    await Promise.all([ofClasses.deleteClass(id), ...joining])
    expect([round, host.host.counts.sandboxes]).toEqual([round, 0])
  }
})

test('students who cannot all be added have no sandbox, so the request can be repeated', async () => {
  await using session = await openClass(['Ada'])
  const { host, ofClass } = session
  const students = ['Grace', 'Edsger', 'Barbara'].map(name => ({ name, identifier: name }))
  const add = () =>
    call('POST', `${host.base}/classes/${ofClass.id}/students`, ofClass.teacherKey, { students })
  const registry = new Database(join(host.directory, 'sandboxes.db'))
  registry.run(`CREATE TRIGGER refuse BEFORE INSERT ON student WHEN NEW.record LIKE '%Edsger%'
    BEGIN SELECT RAISE(ABORT, 'refused'); END`)
  expect([(await add()).status, host.host.counts.sandboxes]).toEqual([500, 1])
  registry.run('DROP TRIGGER refuse')
  registry.close()
  expect(await add()).toMatchObject({ status: 200, data: students.map(({ name }) => ({ label: name })) })
})

test('an exercise that comes back with other lines is not done by what was done before', async () => {
  await using session = await openClass(['Ada'])
  const { host, ofClass, students } = session
  const lines = (count: number): string => 'listPets status=200\n'.repeat(count)
  const lesson = (...exercises: string[]): string => `# HTTP\n${exercises.join('')}`
  const exercise = (title: string, count: number): string =>
    `\n## ${title}\n\n\`\`\`check\n${lines(count)}\`\`\`\n`
  const update = (text: string) => host.host.ofClasses.updateClass(ofClass.id, { lesson: text })
  await update(lesson(exercise('1. One', 3), exercise('2. Two', 1)))
  await call('GET', `${students[0]?.baseUrl}/pets`, undefined)
  await update(lesson(exercise('2. Two', 1)))
  const board = await update(lesson(exercise('1. One', 2), exercise('2. Two', 1)))
  expect(board.students[0]?.exercises).toMatchObject([
    { state: 'open', met: 0n, of: 2n },
    { state: 'done', met: 1n, of: 1n },
  ])
})

test('results outlive the sandboxes of a class by 30 days, and are deleted then', async () => {
  let aheadMs = 0
  const options = { clock: () => Date.now() + aheadMs, sweepMs: 20, graceMs: 0 }
  await using session = await openClass(['Ada'], options)
  const [ada] = session.students
  await call('GET', `${ada?.baseUrl}/pets?limit=1`, undefined)
  aheadMs = 11 * 86_400_000
  expect((await call('GET', `${ada?.baseUrl}/pets`, undefined)).status).toBe(404)
  expect(session.host.host.classes.board(session.ofClass.id).students[0]?.exercises[0]?.state).toBe('done')
  aheadMs = 41 * 86_400_000
  while (session.host.host.classes.list().length > 0) await Bun.sleep(20)
  expect(session.host.errors).toEqual([])
})

test('no address of the host shows a student a check, a solution, a closed hint or an answer', async () => {
  const secrets = [
    'x-secret-check',
    'secret-hint',
    'secret-solution',
    'secret-answer',
    'If-None-Match: {{etag}}',
    'Show Grace the new name',
    'finds its name there',
    '"url":"$BASE',
  ]
  const block = (kind: string, text: string): string => `\n\`\`\`${kind}\n${text}\n\`\`\`\n`
  const lesson =
    LESSON +
    block('check', 'listPets sent:x-secret-check') +
    block('hint', 'secret-hint') +
    block('solution', 'GET /secret-solution') +
    block('answer', 'secret-answer')
  await using session = await openClass(['Ada'], {}, lesson)
  const { host, ofClass } = session
  const [ada] = session.students
  const key = ada?.adminKey ?? ''
  await call('GET', `${ada?.baseUrl}/pets?limit=1`, key)
  const seen = new Set<string>()
  const waiting = [
    ...[
      '/',
      `/board/${ofClass.id}`,
      `/join/${ofClass.id}`,
      `/sandboxes/${ada?.id}/print`,
      ...['', '/join', '/invitation'].map(path => `/classes/${ofClass.id}${path}`),
      '/errors',
      '/readyz',
    ],
    ...['', '/progress', '/requests', '/snapshots', '/clock', '/faults', '/archive'].map(
      path => `/sandboxes/${ada?.id}${path}`,
    ),
    ...[
      '',
      '/docs',
      '/docs/guide',
      '/docs/guide/lesson',
      '/docs/guide/teaching',
      '/console',
      '/llms.txt',
    ].map(path => `/s/${ada?.id}${path}`),
    '/openapi-sandboxes.json',
  ].map(path => host.base + path)
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    if (seen.has(url)) continue
    seen.add(url)
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}`, Accept: '*/*' } })
    if (response.headers.get('content-type') === 'text/event-stream') continue
    const text = await response.text()
    for (const secret of secrets) expect([url, text.includes(secret)]).toEqual([url, false])
    for (const [, link = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const next = URL.canParse(link, url) ? new URL(link, url) : undefined
      if (next?.href.startsWith(host.base)) waiting.push(next.href.replace(/#.*/, ''))
    }
  }
  expect(seen.size).toBeGreaterThan(40)
  await call('PATCH', `${host.base}/classes/${ofClass.id}`, ofClass.teacherKey, {
    openHints: ['1-read-something'],
  })
  const progress = await call('GET', `${host.base}/sandboxes/${ada?.id}/progress`, key)
  expect(progress.text).toContain('secret-hint')
})

test('a hint opens an hour after the first request of its exercise', async () => {
  let aheadMs = 0
  const lesson = `${LESSON}\n\`\`\`hint\nLook.\n\`\`\`\n`
  await using session = await openClass(['Ada'], { clock: () => Date.now() + aheadMs }, lesson)
  const [ada] = session.students
  const hint = async (): Promise<unknown> => {
    const url = `${session.host.base}/sandboxes/${ada?.id}/progress`
    return ((await call('GET', url, ada?.adminKey)).data as { exercises: { hint?: string }[] }).exercises[0]
      ?.hint
  }
  await call('GET', `${ada?.baseUrl}/pets?limit=1`, undefined)
  aheadMs = 3_590_000
  expect(await hint()).toBeUndefined()
  aheadMs = 3_610_000
  expect(await hint()).toBe('Look.')
})

test('a state is read without a fault, a log entry or a waking store', async () => {
  const lesson = '# L\n\n## 1. Stock\n\n```check\nstate /store/inventory/3 body:/quantity=10\n```\n'
  await using session = await openClass(['Ada'], {}, lesson)
  const [ada] = session.students
  if (!ada) throw new Error('there is no student')
  const control = `${session.host.base}/sandboxes/${ada.id}`
  const rule = { name: 'down', operation: 'getInventoryItem', effect: { type: 'error', code: 'overloaded' } }
  await call('PUT', `${control}/faults`, ada.adminKey, { rules: [rule] })
  await call('PUT', `${ada.baseUrl}/store/inventory/3`, ada.adminKey, { quantity: 10 })
  const { data } = await call('GET', `${control}/progress`, ada.adminKey)
  expect(data).toMatchObject({ exercises: [{ state: 'done' }] })
  expect((await call('GET', `${control}/requests`, ada.adminKey)).data).toHaveLength(1)
  expect((await call('GET', `${control}/faults`, ada.adminKey)).data).toMatchObject({
    rules: [{ calls: 0n }],
  })
  await call('POST', `${control}/reset`, ada.adminKey)
  const open = session.host.host.counts.open
  await call('PUT', `${control}/clock`, ada.adminKey, { now: null })
  expect([open, session.host.host.counts.open]).toEqual([0, 0])
})

test('a light connection commits with a sync if a class asks for it, and else without one', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-sync-'))
  const modes = [false, true].map(isSynced => {
    const file = join(directory, `${isSynced}.db`)
    new Database(file).close()
    using connection = new SqliteConnection(file, { readonly: false, isLight: true, isSynced })
    return connection.database.query<{ synchronous: bigint }, []>('PRAGMA synchronous').get()?.synchronous
  })
  // SQLite: 0 is OFF, and 2 is FULL.
  expect(modes).toEqual([0n, 2n])
  rmSync(directory, { recursive: true })
})

test('the archive of a student has all of the store and the requests, and no key or secret', async () => {
  await using session = await openClass(['Ada'])
  const [ada] = session.students
  const key = ada?.adminKey ?? ''
  const body = { url: 'https://example.com/', types: ['petstore.order.placed'] }
  const made = await call('POST', `${ada?.baseUrl}/webhooks`, key, body)
  await call('POST', `${ada?.baseUrl}/store/orders?key=${key}`, key, { petId: 3 })
  await call('POST', `${ada?.baseUrl}/store/orders`, key, { petId: 3 })
  const response = await fetch(`${session.host.base}/sandboxes/${ada?.id}/archive`, {
    headers: { Authorization: `Bearer ${session.ofClass.teacherKey}` },
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/gzip'])
  const files = await new Bun.Archive(await response.bytes()).files()
  const texts = await Promise.all([...files].map(async ([name, file]) => [name, await file.text()] as const))
  const content = new Map(texts.map(([name, text]) => [name, JSON.parse(text) as { petId?: number }[]]))
  expect([...content.keys()].sort()).toEqual(['categories.json', 'orders.json', 'pets.json', 'requests.json'])
  expect(content.get('orders.json')).toMatchObject([{ petId: 3 }])
  // The demo shop has more than one page of pets.
  expect(content.get('pets.json')?.length).toBeGreaterThan(300)
  expect(content.get('requests.json')).toHaveLength(3)
  const { secret } = made.data as { secret: string }
  for (const [, text] of texts)
    for (const hidden of [key, secret, session.ofClass.teacherKey]) expect(text).not.toContain(hidden)
})

test('another lesson keeps what was met of an exercise whose title stays, also after a restart', async () => {
  const exercise = (title: string, ...lines: string[]): string =>
    `\n## ${title}\n\n\`\`\`check\n${lines.join('\n')}\n\`\`\`\n`
  const first =
    '# One\n' +
    exercise('A', 'listPets status=200') +
    exercise('B', 'listCategories status=200', 'listOrders status=200') +
    exercise('C', 'listPets status=200')
  await using session = await openClass(['Ada'], {}, first)
  const { ofClass } = session
  const [ada] = session.students
  const url = `${session.host.base}/classes/${ofClass.id}`
  for (const path of ['/pets?limit=1', '/categories'])
    await call('GET', `${ada?.baseUrl}${path}`, ada?.adminKey)
  const page = async (): Promise<string> =>
    (await call('GET', `${ada?.baseUrl}/docs/guide/lesson`, undefined)).text
  expect(await page()).toContain('<h1 id="one">One</h1>')
  const second =
    '# Two\n' +
    exercise('A', 'listPets status=200', 'listOrders status=401') +
    exercise('B', 'listOrders status=200', 'listCategories status=200') +
    exercise('D', 'listPets status=200')
  const broken = await call('PATCH', url, ofClass.teacherKey, { lesson: '# Two' })
  expect([broken.status, broken.text]).toEqual([422, expect.stringContaining('/lesson')])
  expect((await call('PATCH', url, ofClass.teacherKey, { lesson: second })).status).toBe(200)
  expect(await page()).toContain('<h1 id="two">Two</h1>')
  await session.restart()
  const results = (): unknown[] | undefined =>
    session.host.host.classes
      .board(ofClass.id)
      .students[0]?.exercises.map(({ id, state, met, of }) => [id, state, met, of])
  expect(results()).toEqual([
    ['a', 'done', 2n, 2n],
    ['b', 'tried', 1n, 2n],
    ['d', 'open', 0n, 1n],
  ])
  await call('GET', `${ada?.baseUrl}/store/orders`, ada?.adminKey)
  expect(results()?.[1]).toEqual(['b', 'done', 2n, 2n])
})

test('the teacher uses the store of a student, and neither the board nor the log has it', async () => {
  await using session = await openClass(['Ada'])
  const { host, ofClass } = session
  const [ada] = session.students
  const other = host.host.ofClasses.createClass({
    name: '10c',
    lesson: LESSON,
    endsAt: inDays(1),
    places: 1n,
  })
  const orders = `${ada?.baseUrl}/store/orders`
  expect((await call('POST', orders, ofClass.teacherKey, { petId: 3 })).status).toBe(201)
  expect((await call('GET', `${ada?.baseUrl}/pets?limit=1`, ofClass.teacherKey)).status).toBe(200)
  expect((await call('GET', orders, other.teacherKey)).status).toBe(401)
  const log = await call('GET', `${host.base}/sandboxes/${ada?.id}/requests`, ofClass.teacherKey)
  expect(log.data).toMatchObject([{ status: 401n }])
  const tool = { name: 'find_pets', arguments: {} }
  const useTool = (key: string | undefined): Promise<unknown> =>
    call('POST', `${ada?.baseUrl}/mcp`, key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool })
  await useTool(ofClass.teacherKey)
  const state = () => host.host.classes.board(ofClass.id).students[0]?.exercises[0]?.state
  expect(state()).toBe('open')
  await useTool(ada?.adminKey)
  expect(state()).toBe('done')
})

test('requests of the console and of the documentation are not on the board, but those of the lesson are', async () => {
  await using session = await openClass(['Ada'])
  const [ada] = session.students
  const student = () => session.host.host.classes.board(session.ofClass.id).students[0]
  const send = (path: string, headers: Record<string, string>): Promise<Response> =>
    fetch(`${ada?.baseUrl}${path}`, { headers })
  for (const page of ['/console', '/console/pets?q=dog', '/docs', '/docs/'])
    for (const path of ['/pets?limit=1', '/pets/999999'])
      await send(path, { Referer: `${ada?.baseUrl}${page}` })
  await send('/pets?limit=1', { 'Sec-Fetch-Site': 'same-origin' })
  await send('/docs', {})
  expect(student()).toMatchObject({ requestsPerMinute: 0n, exercises: [{ state: 'open', tries: 0n }] })
  expect(student()).not.toHaveProperty('lastError')
  expect(student()).not.toHaveProperty('lastActivityAt')
  const lesson = { Referer: `${ada?.baseUrl}/docs/guide/lesson`, 'Sec-Fetch-Site': 'same-origin' }
  await send('/pets?limit=1', lesson)
  expect(student()).toMatchObject({ requestsPerMinute: 1n, exercises: [{ state: 'done' }] })
})

test('the board counts the requests of the last minute', async () => {
  let aheadMs = 0
  await using session = await openClass(['Ada'], { clock: () => Date.now() + aheadMs })
  const [ada] = session.students
  const count = (): bigint | undefined =>
    session.host.host.classes.board(session.ofClass.id).students[0]?.requestsPerMinute
  for (const id of [1, 2, 3]) await call('GET', `${ada?.baseUrl}/pets?id=${id}`, undefined)
  expect(count()).toBe(3n)
  aheadMs = 61_000
  await call('GET', `${ada?.baseUrl}/pets?id=4`, undefined)
  expect(count()).toBe(1n)
})
