import { describe, expect, test } from 'bun:test'
import { hasUriCharacters } from '../../values/uri.ts'
import { whyInvalidReceiver } from './schema.ts'

describe('URLs of receivers', () => {
  for (const url of [
    'https://till.example',
    'https://till.example:8443/hook?shop=1&at=%C3%BC',
    "http://127.0.0.1:9/a-b._~!$&'()*+,;=:@/c",
    'http://[2001:db8::1]:9/hook',
    'https://xn--bcher-kva.example/',
  ]) {
    test(`the URL of a receiver may be ${url}`, () => expect(whyInvalidReceiver(url)).toBeUndefined())
  }

  for (const url of [
    'http://127.0.0.1:9/%zz',
    'http://127.0.0.1:9/%4',
    'http://127.0.0.1:9/{a}',
    'http://127.0.0.1:9/"',
    'http://127.0.0.1:9/^|`',
    'http://127.0.0.1:9/<>',
    'http://127.0.0.1:9/ü',
    'http://127.0.0.1:9/?[]',
    'http://127.0.0.1:9/a\u200bb',
    'https://bücher.example/',
  ]) {
    test(`the URL of a receiver cannot be ${JSON.stringify(url)}, which is not a URI`, () => {
      expect(whyInvalidReceiver(url)).toBe(
        'must be a URI: percent-encode the characters that a URI cannot contain',
      )
    })
  }
})

test('a URI has a scheme, an authority, and only characters that RFC 3986 allows', () => {
  expect(hasUriCharacters('https://shop.example/a^b')).toBe(false)
  expect(hasUriCharacters('https://shop.example/a')).toBe(true)
  expect(hasUriCharacters('shop.example')).toBe(false)
})
