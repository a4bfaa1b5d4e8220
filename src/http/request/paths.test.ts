import { expect, test } from 'bun:test'
import { findEquivalent, findPath, similarPath } from './paths.ts'

const templates = [
  '/pets',
  '/pets/{petId}',
  '/store/orders',
  '/store/orders/{orderId}',
  '/categories',
  '/keys',
  '/keys/{keyId}',
  '/keys/current',
]

test('a path with percent-encoded letters is found under its normal form', () => {
  expect(findEquivalent(templates, '/p%65ts')).toEqual({ path: '/pets', template: '/pets', parameters: {} })
  expect(findEquivalent(templates, '/%70ets/%31%32')).toMatchObject({
    path: '/pets/12',
    template: '/pets/{petId}',
    parameters: { petId: '12' },
  })
  expect(findEquivalent(templates, '/p%65ts/%2f')).toMatchObject({
    path: '/pets/%2f',
    parameters: { petId: '/' },
  })
  expect(findEquivalent(templates, '/p%65ts/%ff')).toMatchObject({ parameters: { petId: '%ff' } })
})

test('a parameter is never empty', () => {
  expect(findPath(templates, '/pets/')).toBeUndefined()
  expect(findPath(templates, '/pets/1')).toMatchObject({ parameters: { petId: '1' } })
  expect(findEquivalent(templates, '/p%65ts/')).toBeUndefined()
})

test('a literal path takes precedence over a path with a parameter, whatever their order in the table', () => {
  for (const list of [templates, templates.toReversed()]) {
    expect(findEquivalent(list, '/keys/%63urrent')).toMatchObject({ template: '/keys/current' })
    expect(findEquivalent(list, '/k%65ys/7')).toMatchObject({ template: '/keys/{keyId}' })
  }
})

test('`/*` at the end of a path matches one or more segments, unless a path with more literal segments matches', () => {
  const list = ['/shop/*', '/shop', '/shop/files/{file}']
  expect(findEquivalent(list, '/%73hop/a/%2f//b')).toMatchObject({
    template: '/shop/*',
    parameters: { '*': 'a////b' },
  })
  expect(findEquivalent(list, '/%73hop')).toMatchObject({ template: '/shop' })
  expect(findEquivalent(list, '/shop/f%69les/x')).toMatchObject({ parameters: { file: 'x' } })
})

test('a path has no equivalent if it encodes no letter, digit, -, ., _ or ~, or if nothing matches it', () => {
  for (const path of ['/pets', '/p%2fets', '/pets%2F1', '/%00', '/%', '/%6', '/cats%41']) {
    expect([path, findEquivalent(templates, path)]).toEqual([path, undefined])
  }
})

test('a wrong path suggests the path that was probably meant, or nothing if no path is similar', () => {
  const meant = (path: string) => similarPath(templates, path)
  expect(meant('/orders')).toBe('/store/orders')
  expect(meant('/orders/7')).toBe('/store/orders/{orderId}')
  expect(meant('/store/order')).toBe('/store/orders')
  expect(meant('/pet/7')).toBe('/pets/{petId}')
  expect(meant('/Pets/')).toBe('/pets')
  expect(meant('/v3/category')).toBe('/categories')
  expect(meant('/user/login')).toBeUndefined()
  expect(meant('/')).toBeUndefined()
})
