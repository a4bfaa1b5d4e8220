import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { sharedStore } from '../support/shop.ts'
import { codeOf, onEveryEngine, refusalOf, type TestStore } from '../support/store.ts'

/** A webhook to which nothing is sent, because no test here causes an event of its types. */
const quiet = { url: 'http://127.0.0.1:9/hook', types: ['petstore.pet.deleted'] } as const
const body = { ...quiet, types: [...quiet.types] }

const Refusal = z.looseObject({ errors: z.array(z.looseObject({ pointer: z.string(), code: z.string() })) })

/** Returns the pointer and code of each invalid member of a refused body: `/url invalid_format`. */
async function faultsOf(store: TestStore, method: string, path: string, text: string): Promise<string[]> {
  const reply = await store.send(method, path, { body: text })
  expect(reply.status).toBe(422)
  const { errors } = Refusal.parse(await reply.json())
  return errors.map(({ pointer, code }) => `${pointer} ${code}`)
}

onEveryEngine(engine => {
  const store = sharedStore(engine)

  describe('bodies of webhooks', () => {
    const wrong: Readonly<Record<string, readonly string[]>> = {
      '{}': ['/url required'],
      '{"url":null}': ['/url type_mismatch'],
      '{"url":7}': ['/url type_mismatch'],
      '{"url":""}': ['/url invalid_format'],
      '{"url":"till"}': ['/url invalid_format'],
      '{"url":"ftp://till.example/"}': ['/url invalid_format'],
      '{"url":"http://user@till.example/"}': ['/url invalid_format'],
      '{"url":"http://user:word@till.example/"}': ['/url invalid_format'],
      '{"url":"http://till.example/#part"}': ['/url invalid_format'],
      '{"url":" http://till.example/"}': ['/url invalid_format'],
      '{"url":"http://till.example/a b"}': ['/url invalid_format'],
      '{"url":"http://till.example/{a}"}': ['/url invalid_format'],
      '{"url":"http:\\\\\\\\till.example"}': ['/url invalid_format'],
      '{"url":"http://till.example:99999/"}': ['/url invalid_format'],
      [`{"url":"http://till.example/${'a'.repeat(2048)}"}`]: ['/url invalid_format'],
      '{"url":"http://till.example/","types":[]}': ['/types too_short'],
      '{"url":"http://till.example/","types":["pet.created"]}': ['/types/0 not_in_enum'],
      '{"url":"http://till.example/","types":["petstore.webhook.test"]}': ['/types/0 not_in_enum'],
      '{"url":"http://till.example/","types":7}': ['/types type_mismatch'],
      '{"url":"http://till.example/","secret":"whsec_mine"}': ['/secret unknown_field'],
      '{"url":"http://till.example/","enabled":false}': ['/enabled unknown_field'],
      '{"url":7,"types":[7],"description":7,"more":7}': [
        '/description type_mismatch',
        '/more unknown_field',
        '/types/0 not_in_enum',
        '/url type_mismatch',
      ],
    }
    test('the body of a webhook is refused with a pointer to each invalid member', async () => {
      for (const [text, faults] of Object.entries(wrong)) {
        expect([text, (await faultsOf(store(), 'POST', '/webhooks', text)).sort()]).toEqual([
          text,
          [...faults],
        ])
      }
    })

    test('the body of a webhook may repeat types, which are stored once; null types mean all types', async () => {
      const { client } = store()
      const types = ['petstore.pet.created', 'petstore.pet.created'] as const
      const { data } = await client.createWebhook({ body: { url: quiet.url, types: [...types] } })
      expect(data.types).toEqual(['petstore.pet.created'])
      const all = await client.createWebhook({ body: { url: quiet.url, types: null, description: null } })
      expect(Object.keys(all.data).sort()).toEqual(['createdAt', 'enabled', 'id', 'secret', 'url'])
      for (const webhookId of [data.id, all.data.id]) await client.deleteWebhook({ webhookId })
    })
  })

  test('a change of a webhook is a merge patch: absent members stay, null removes a description', async () => {
    const { client } = store()
    const { data } = await client.createWebhook({ body: { ...body, description: 'Prints pick lists.' } })
    const { id: webhookId, secret: _secret, ...made } = data
    const patch = async (change: object): Promise<object> => {
      const reply = await store().send('PATCH', `/webhooks/${webhookId}`, { body: JSON.stringify(change) })
      expect(reply.status).toBe(200)
      const { id: _id, ...shown } = z.looseObject({}).parse(await reply.json())
      return shown
    }
    expect(await patch({})).toEqual(made)
    expect(await patch({ id: Number(webhookId) })).toEqual(made)
    expect(await patch({ types: null })).toEqual({ ...made, types: undefined })
    expect(await patch({ description: null })).toEqual({
      ...made,
      types: undefined,
      description: undefined,
    })
    expect(await patch({ description: '', types: ['petstore.pet.deleted'] })).toEqual({
      ...made,
      description: '',
    })
    const disabled = await patch({ enabled: false })
    expect(disabled).toEqual({ ...made, description: '', enabled: false, disabledReason: 'asked' })
    expect(await patch({ enabled: false, description: '' })).toEqual(disabled)
    expect(await patch({ enabled: true, url: 'http://127.0.0.1:9/else' })).toEqual({
      ...made,
      description: '',
      url: 'http://127.0.0.1:9/else',
    })
    await client.deleteWebhook({ webhookId })
  })

  test('a change of a webhook is refused with a pointer to each invalid member', async () => {
    const { data } = await store().client.createWebhook({ body })
    const path = `/webhooks/${data.id}`
    for (const [text, faults] of [
      ['{"url":null}', ['/url type_mismatch']],
      ['{"enabled":null}', ['/enabled type_mismatch']],
      ['{"enabled":"yes"}', ['/enabled type_mismatch']],
      [`{"id":${data.id + 1n}}`, ['/id read_only']],
      ['{"secret":"whsec_mine"}', ['/secret unknown_field']],
      ['{"url":"till","types":[]}', ['/types too_short', '/url invalid_format']],
    ] as const) {
      expect((await faultsOf(store(), 'PATCH', path, text)).sort()).toEqual([...faults])
    }
    await store().client.deleteWebhook({ webhookId: data.id })
  })

  test('a change of a webhook can depend on the version that was read', async () => {
    const { client } = store()
    const { data } = await client.createWebhook({ body })
    const webhookId = data.id
    const { etag } = await client.getWebhook({ webhookId })
    expect((await client.getWebhook({ webhookId }, { ifNoneMatch: etag ?? '' })).status).toBe(304)
    const changed = await client.updateWebhook(
      { webhookId, body: { description: 'One' } },
      { ifMatch: etag ?? '' },
    )
    expect(changed.etag).not.toBe(etag)
    for (const call of [
      () => client.updateWebhook({ webhookId, body: { description: 'Two' } }, { ifMatch: etag ?? '' }),
      () => client.deleteWebhook({ webhookId }, { ifMatch: etag ?? '' }),
    ]) {
      const refusal = await refusalOf(call())
      expect([refusal.status, refusal.headers.get('etag')]).toEqual([412, changed.etag ?? ''])
    }
    await client.deleteWebhook({ webhookId }, { ifMatch: changed.etag ?? '' })
    expect(await codeOf(client.getWebhook({ webhookId }))).toBe('404 webhook_not_found')
  })
})
