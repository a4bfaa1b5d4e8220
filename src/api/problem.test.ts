import { expect, test } from 'bun:test'
import { requestTimeout } from '../contract/refusals.ts'
import type { StoreError } from '../model/error.ts'
import { overloaded } from '../model/refusals.ts'
import { CapacityLimiter } from './admission.ts'
import { refusalResponse } from './problem.ts'
import { openRequestContext } from './request-context.ts'

function headersOf(error: StoreError): Headers {
  const context = openRequestContext({
    request: new Request('http://store/pets'),
    findPeer: () => '192.0.2.1',
    address: '192.0.2.1',
    nowMs: 0,
    largeBodies: new CapacityLimiter({ total: 1, perCaller: 1 }),
    newRequestId: () => 'request',
    match: undefined,
    closeConnection: () => {},
  })
  return refusalResponse(context, error, 'http://store').headers
}

test('the connection of a body that is late is closed, so that the rest of the body is not taken for a request', () => {
  expect(headersOf(requestTimeout()).get('connection')).toBe('close')
  expect(headersOf(overloaded('Too many.', 7)).get('connection')).toBeNull()
  expect(headersOf(overloaded('Too many.', 7)).get('retry-after')).toBe('7')
})
