import { expect, test } from 'bun:test'
import { masked, maskedHeaders } from './masked.ts'

test('the request log shows the scheme of a header with a password, and nothing else of it', () => {
  const headers = new Headers({
    authorization: 'Basic YTpi',
    cookie: 'session=1',
    'proxy-authorization': 'Basic YTpi',
    accept: 'text/plain',
  })
  expect(maskedHeaders(headers)).toEqual({
    authorization: 'Basic ***',
    cookie: '***',
    'proxy-authorization': 'Basic ***',
    accept: 'text/plain',
  })
})

test('a key is masked whether it is plain, in a URI or in JSON', () => {
  for (const key of ['pst_abcd1234', '%70st_abcd1234', 'pst\\u005fabcd1234'])
    expect(masked(`{"key":"${key}"}`)).toBe('{"key":"pst_***"}')
  expect(masked('a%20b')).toBe('a%20b')
})
