import { expect, test } from 'bun:test'
import { contextOf } from '../../../test/support/request-context.ts'
import { StoreError } from '../../contract/error.ts'
import { overloaded, unknownKey } from '../../contract/refusals.ts'
import { RateLimiter } from '../limits/rate-limit.ts'
import { authenticate, type Callers } from './auth.ts'

const KEY = 'pst_00000000000000000000000000000000000000000074DLXrg'
const FAILURES_MAX = 3

/** Sends a key from each of the addresses, and returns the codes of the refusals. */
async function refusalsFor(addresses: readonly string[], refusal: StoreError): Promise<string[]> {
  const callers: Callers = { known: () => undefined, find: () => Promise.reject(refusal) }
  const failures = new RateLimiter({ requests: FAILURES_MAX, seconds: 60 }, () => 0)
  const codes: string[] = []
  for (const address of addresses) {
    const context = contextOf(
      new Request('http://store/pets', { headers: { Authorization: `Bearer ${KEY}` } }),
      address,
    )
    try {
      await authenticate(context, callers, failures)
      codes.push('authenticated')
    } catch (error) {
      codes.push(error instanceof StoreError ? error.code : String(error))
    }
  }
  return codes
}

test('unknown keys are slowed down for all addresses of one IPv6 network together', async () => {
  const addresses = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4', '2001:db8:0:1::1']
  expect(await refusalsFor(addresses, unknownKey())).toEqual([
    ...Array.from({ length: FAILURES_MAX }, () => 'invalid_token'),
    'rate_limited',
    'invalid_token',
  ])
})

test('requests during an outage of the database do not count as failed attempts', async () => {
  const addresses = Array.from({ length: 2 * FAILURES_MAX }, () => '192.0.2.1')
  const codes = await refusalsFor(addresses, overloaded('The database does not respond.', 5))
  expect(new Set(codes)).toEqual(new Set(['overloaded']))
})
