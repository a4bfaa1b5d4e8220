import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { openTestStore } from '../support/store.ts'

const host = await openSandboxHost()
const base = (await host.create()).created.baseUrl
afterAll(() => host[Symbol.asyncDispose]())

test('the lab redirects as often as asked, and each kind of redirect keeps or loses method and body', async () => {
  const send = (query: string) => fetch(`${base}/lab/redirect${query}`, { method: 'POST', body: 'four' })
  expect(await (await send('?status=307&times=3')).json()).toMatchObject({ method: 'POST', bytes: 4 })
  expect(await (await send('?status=303')).json()).toMatchObject({ method: 'GET', bytes: 0 })
  const first = await fetch(`${base}/lab/redirect?times=2`, { redirect: 'manual' })
  expect([first.status, first.headers.get('location')]).toEqual([
    302,
    `${base}/lab/redirect?status=302&times=1`,
  ])
  const head = await fetch(`${base}/lab/redirect?status=308`, { method: 'HEAD' })
  expect([head.status, head.redirected]).toEqual([200, true])
  for (const query of ['?status=200', '?times=0', '?times=21', '?times=x'])
    expect((await send(query)).status).toBe(400)
})

test('the cookie of the lab is sent to its own sandbox alone, and comes back', async () => {
  const response = await fetch(`${base}/lab/cookie`)
  const { set, sent } = JSON.parse(await response.text())
  expect(sent).toBeNull()
  const cookie = new Bun.Cookie(Bun.Cookie.parse(response.headers.get('set-cookie') ?? ''))
  expect([cookie.value, cookie.path, cookie.httpOnly]).toEqual([set, `${new URL(base).pathname}/lab`, true])
  const again = await fetch(`${base}/lab/cookie`, { headers: { Cookie: `other=1; petstore-lab=${set}` } })
  expect(JSON.parse(await again.text()).sent).toBe(set)
})

test('an upload is described file by file, and a form field by field', async () => {
  const data = new FormData()
  const bytes = crypto.getRandomValues(new Uint8Array(50_000))
  data.append('photo', new File([bytes], 'Wörther see.png', { type: 'image/png' }))
  data.append('photo', new File([], 'empty.txt', { type: 'text/plain' }))
  data.append('note', 'a & b')
  const sha256 = (part: Uint8Array): string => createHash('sha256').update(part).digest('hex')
  const uploaded = await fetch(`${base}/lab/upload`, { method: 'POST', body: data })
  expect(await uploaded.json()).toEqual([
    { field: 'photo', name: 'Wörther see.png', type: 'image/png', bytes: 50_000, sha256: sha256(bytes) },
    {
      field: 'photo',
      name: 'empty.txt',
      type: expect.stringContaining('text/plain'),
      bytes: 0,
      sha256: sha256(new Uint8Array()),
    },
  ])
  const form = new URLSearchParams([
    ['name', 'Ä & ß'],
    ['name', '2'],
    ['__proto__', 'x'],
  ])
  const filled = await fetch(`${base}/lab/form`, { method: 'POST', body: form })
  expect(await filled.text()).toBe('{"name":["Ä & ß","2"],"__proto__":["x"]}')
  const both = await fetch(`${base}/lab/form`, { method: 'POST', body: data })
  expect(await both.json()).toEqual({ photo: ['Wörther see.png', 'empty.txt'], note: ['a & b'] })
})

test('the lab refuses another type, a broken form, a large body and another method', async () => {
  const send = (path: string, type: string, body: string) =>
    fetch(`${base}/lab/${path}`, { method: 'POST', headers: { 'Content-Type': type }, body })
  const url = 'application/x-www-form-urlencoded'
  const results = [
    await send('upload', url, 'a=1'),
    await send('form', 'application/json', '{}'),
    await send('upload', 'multipart/form-data', 'x'),
    await send('upload', 'multipart/form-data; boundary=b', '--b\r\nno end'),
    await send('form', url, `a=${'x'.repeat(1_100_000)}`),
    await fetch(`${base}/lab/form`),
  ]
  expect(results.map(({ status }) => status)).toEqual([415, 415, 422, 422, 413, 405])
})

test('a shop has no lab', async () => {
  await using store = await openTestStore('sqlite')
  expect((await fetch(`${store.base}/lab`)).status).toBe(404)
  expect(Object.keys(JSON.parse(await (await fetch(`${base}/lab`)).text()))).toHaveLength(5)
})
