import { expect, test } from 'bun:test'
import { CapacityLimiter } from './admission.ts'
import { docsRoutes, docsScript } from './docs-page.ts'
import { openRequestContext } from './request-context.ts'

test('a store without the built script serves a page that says how to build it', async () => {
  const routes = docsRoutes('http://127.0.0.1', docsScript('/nowhere/scalar.js'))
  expect(routes.map(([path]) => path)).toEqual(['/docs'])
  const context = openRequestContext({
    request: new Request('http://127.0.0.1/docs'),
    ...{ peer: '127.0.0.1', address: '127.0.0.1', nowMs: 0, match: undefined },
    largeBodies: new CapacityLimiter({ total: 1, perCaller: 1 }),
    newRequestId: () => '1',
    closeConnection: () => {},
  })
  const [[, handle] = []] = routes
  const response = await handle?.(context)
  expect(response?.status).toBe(200)
  const text = await response?.text()
  expect(text).toContain('npm ci')
  expect(text).toContain('/openapi.json')
})
