import { expect, test } from 'bun:test'
import { seeded } from '../../../test/support/seeded.ts'
import { contract } from '../../shop/operations.ts'
import { headersFor } from './last-headers.ts'

const names = ['X-Request-Id', 'RateLimit', 'ETag', 'Link', 'Vary', 'Location', 'Content-Type']

test('each response has exactly its own headers, whatever the other responses of the operation had', () => {
  const random = seeded(7)
  const sent: [response: Response, headers: Record<string, string>][] = []
  for (let count = 0; count < 300; count++) {
    const headers: Record<string, string> = {}
    for (const name of names) if (random.below(3) > 0) headers[name] = `${name} ${random.below(3)}`
    const operation = random.pick([contract.getPet, contract.listPets])
    sent.push([new Response('{}', { headers: headersFor(operation, headers) }), headers])
  }
  for (const [response, headers] of sent) {
    const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    expect(Object.fromEntries(response.headers)).toEqual(Object.fromEntries(lowerCase))
  }
})

test('a header with an invalid value throws, and the next response is not affected', () => {
  const { getOrder } = contract
  headersFor(getOrder, { ETag: '"1"', Link: 'one' })
  expect(() => headersFor(getOrder, { ETag: '"2"', Link: 'two\nlines' })).toThrow()
  expect(Object.fromEntries(headersFor(getOrder, { ETag: '"3"' }))).toEqual({ etag: '"3"' })
})
