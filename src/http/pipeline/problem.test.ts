import { expect, test } from 'bun:test'
import { contextOf } from '../../../test/support/request-context.ts'
import type { StoreError } from '../../contract/error.ts'
import { overloaded, requestTimeout } from '../../contract/refusals.ts'
import { refusalResponse } from './problem.ts'

function headersOf(error: StoreError): Headers {
  const context = contextOf(new Request('http://store/pets'))
  return refusalResponse(context, error, 'http://store').headers
}

test('the connection of a body that is late is closed, so that the rest of the body is not taken for a request', () => {
  expect(headersOf(requestTimeout()).get('connection')).toBe('close')
  expect(headersOf(overloaded('Too many.', 7)).get('connection')).toBeNull()
  expect(headersOf(overloaded('Too many.', 7)).get('retry-after')).toBe('7')
})
