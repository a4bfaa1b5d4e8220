import { expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, WebhookVerificationError } from '../../src/client/webhook.ts'
import { errorOf } from './fake-server.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const body = '{"type":"petstore.order.placed","data":{"id":9007199254740993}}'
const now = new Date('2026-11-22T05:00:00Z')
const headers = {
  'webhook-id': '721',
  'webhook-timestamp': String(now.getTime() / 1000),
  'webhook-signature': `v1,bm90IHRoaXMgb25l ${new Webhook(secret).sign('721', now, body)} v2,x`,
}

test('a webhook request that the library of Standard Webhooks signed is accepted', async () => {
  const event = await verifyWebhook(secret, { headers, body }, now.getTime())
  expect(event.type).toBe('petstore.order.placed')
  expect(Reflect.get(event.data, 'id')).toBe(9007199254740993n)
  const bytes = new TextEncoder().encode(body)
  await verifyWebhook(
    ['whsec_b3RoZXI=', secret],
    { headers: new Headers(headers), body: bytes },
    now.getTime(),
  )
  await verifyWebhook(secret, { headers: { ...headers, 'Webhook-Id': '721' }, body }, now.getTime())
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  await verifyWebhook(secret, { headers: lists, body: bytes.buffer }, now.getTime())
})

test('a webhook request is refused if it is changed or incomplete, or if its timestamp is too far off', async () => {
  const refused = async (
    changed: Partial<Record<keyof typeof headers, string>>,
    text = body,
    atMs = now.getTime(),
  ): Promise<boolean> =>
    (await errorOf(
      verifyWebhook(secret, { headers: { ...headers, ...changed }, body: text }, atMs),
    )) instanceof WebhookVerificationError
  const cases = [
    await refused({}, `${body} `),
    await refused({ 'webhook-id': '722' }),
    await refused({ 'webhook-timestamp': String(now.getTime() / 1000 + 1) }),
    await refused({ 'webhook-timestamp': 'now' }),
    await refused({ 'webhook-signature': '' }),
    await refused({ 'webhook-signature': 'v1,%%%' }),
    await refused({}, body, now.getTime() + 301_000),
    await refused({}, body, now.getTime() - 301_000),
  ]
  expect(cases).toEqual(cases.map(() => true))
  expect(await refused({}, body, Number.NaN)).toBe(true)
  expect(await refused({})).toBe(false)
  for (const wrong of ['whsec_!!', '', undefined, ['whsec_!!', secret]]) {
    // @ts-expect-error the types refuse an absent secret
    expect(await errorOf(verifyWebhook(wrong, { headers, body }, now.getTime()))).toBeInstanceOf(TypeError)
  }
  // @ts-expect-error the types refuse a parsed body
  expect(await errorOf(verifyWebhook(secret, { headers, body: {} }, now.getTime()))).toBeInstanceOf(TypeError)
  expect(await errorOf(verifyWebhook(secret, { headers: {}, body }))).toBeInstanceOf(WebhookVerificationError)
  const repeated = { ...headers, 'webhook-id': ['721', '721'] }
  const request = { headers: repeated, body }
  expect(String(await errorOf(verifyWebhook(secret, request, now.getTime())))).toContain('or repeated')
  expect(await errorOf(verifyWebhook('whsec_', { headers, body }, now.getTime()))).toBeInstanceOf(TypeError)
})
