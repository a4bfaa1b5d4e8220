import { expect, test } from 'bun:test'
import { ErrorBody } from '../../src/contract/error-schema.ts'
import { Scope } from '../../src/shop/keys/schema.ts'
import { parseJson } from '../../src/values/json.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { onEveryEngine, openTestStore } from '../support/store.ts'

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test('validation names every invalid member of a body, up to one hundred', async () => {
    const body = JSON.stringify({ name: '', categoryId: '1', status: 'lost', colour: 'red' })
    const reply = await store().send('POST', '/pets', { body })
    expect(reply.status).toBe(422)
    expect(await reply.json()).toMatchObject({
      code: 'validation_failed',
      errors: [
        { in: 'body', pointer: '/name', code: 'too_short' },
        { in: 'body', pointer: '/categoryId', code: 'type_mismatch' },
        { in: 'body', pointer: '/status', code: 'not_in_enum' },
        { in: 'body', pointer: '/colour', code: 'unknown_field' },
      ],
    })
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`m${index}`, 1]))
    const long = await store().send('POST', '/categories', { body: JSON.stringify({ name: 'x', ...many }) })
    expect((await long.text()).match(/unknown_field/g)).toHaveLength(100)
  })

  test('for an unknown member, a likely name is suggested, unless the body already has it', async () => {
    const message = async (path: string, body: unknown): Promise<unknown> => {
      const reply = await store().send('POST', path, { body: JSON.stringify(body) })
      return ErrorBody.parse(parseJson(await reply.text())).message
    }
    expect(await message('/store/inventory/1/adjustments', { change: 4 })).toBe(
      'quantityChange is required; change is not a member of this object (did you mean quantityChange?).',
    )
    expect(await message('/store/orders', { petId: 1, pet_id: 1, shipdate: null })).toBe(
      'pet_id is not a member of this object; shipdate is not a member of this object (did you mean shipDate?).',
    )
  })

  test('validation names the innermost member of a body, with its place in a list', async () => {
    const message = async (path: string, body: unknown): Promise<unknown> => {
      const reply = await store().send('POST', path, { body: JSON.stringify(body) })
      return ErrorBody.parse(parseJson(await reply.text())).message
    }
    const pets = [
      { name: 'Rex', category: 'Dogs' },
      { name: 'Rex', category: 7 },
    ]
    expect(await message('/imports/1/pets', { pets })).toBe('category must be a string.')
    const scopes = ['pets:write', 'x']
    expect(await message('/keys', { name: 'till', scopes })).toStartWith('scopes[1] must be one of ')
  })

  test('validation describes at most three invalid members in its message, and counts the others', async () => {
    const message = async (path: string, body: unknown): Promise<unknown> => {
      const reply = await store().send('POST', path, { body: JSON.stringify(body) })
      return ErrorBody.parse(parseJson(await reply.text())).message
    }
    const scopes = Scope.options.join(', ')
    expect(await message('/keys', { name: 'x', scopes: ['pets:wirte'] })).toBe(
      `scopes[0] must be one of ${scopes}, not "pets:wirte".`,
    )
    expect(await message('/store/orders', { quantity: 0 })).toBe(
      'petId is required; quantity must be at least 1.',
    )
    expect(await message('/pets', { a: 1, b: 2, c: 3 })).toBe(
      'name is required; categoryId is required; a is not a member of this object; and 2 more.',
    )
  })

  test('for an unknown query parameter, a likely name is suggested', async () => {
    const reply = await store().send('GET', '/pets?categoryid=1')
    expect(reply.status).toBe(400)
    expect(await reply.json()).toMatchObject({
      code: 'unknown_parameter',
      message: 'The operation has no query parameter "categoryid" (did you mean categoryId?).',
    })
  })

  test('validation names every invalid parameter', async () => {
    const reply = await store().send('GET', '/pets?limit=0&colour=red&status=lost&id=x')
    expect(reply.status).toBe(400)
    const named = [...(await reply.text()).matchAll(/"name":"(\w+)"/g)].map(match => match[1])
    expect(named).toEqual(['limit', 'colour', 'status', 'id'])
  })

  test('a merge patch is validated by its result, so null for a required member is refused', async () => {
    const { petId } = await makePet(store().client)
    for (const body of ['{"name":null}', '{"status":null}', '{"categoryId":null}']) {
      const reply = await store().send('PATCH', `/pets/${petId}`, { body })
      expect([body, reply.status]).toEqual([body, 422])
    }
    const { client } = store()
    const { data } = await client.createCategory({ body: { name: 'C', description: 'D' } })
    const bare = await client.updateCategory({ categoryId: data.id, body: { description: null } })
    expect(bare.data).toEqual({ id: data.id, name: 'C' })
    const merge = { headers: { 'Content-Type': 'application/merge-patch+json' }, body: '{"name":"M"}' }
    expect((await store().send('PATCH', `/categories/${data.id}`, merge)).status).toBe(200)
  })
})

test('a string in place of an array is refused only for its type', async () => {
  await using store = await openTestStore('sqlite')
  const reply = await store.send('POST', '/keys', { body: '{"name":"x","scopes":"orders:write"}' })
  const { message, errors } = ErrorBody.parse(parseJson(await reply.text()))
  expect([message, errors?.map(({ code }) => code)]).toEqual(['scopes must be an array.', ['type_mismatch']])
})

test('a message about a minimum of 1 says 1 character or 1 element, in the singular', async () => {
  await using store = await openTestStore('sqlite')
  const tooFew = await store.send('POST', '/keys', { body: '{"name":"","scopes":[]}' })
  expect(ErrorBody.parse(parseJson(await tooFew.text())).message).toBe(
    'name must have at least 1 character; scopes must have at least 1 element.',
  )
})
