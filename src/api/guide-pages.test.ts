import { expect, test } from 'bun:test'
import { CapacityLimiter } from './admission.ts'
import { guideRoutes } from './guide-pages.ts'
import { openRequestContext } from './request-context.ts'

test('a store without the built guides serves a page that says how to build them', async () => {
  const routes = guideRoutes('/nowhere')
  expect(routes.map(([path]) => path)).toEqual(['/docs/guide'])
  const context = openRequestContext({
    request: new Request('http://127.0.0.1/docs/guide'),
    ...{ peer: '127.0.0.1', address: '127.0.0.1', nowMs: 0, match: undefined },
    largeBodies: new CapacityLimiter({ total: 1, perCaller: 1 }),
    newRequestId: () => '1',
    closeConnection: () => {},
  })
  const [[, handle] = []] = routes
  const response = await handle?.(context)
  expect(response?.status).toBe(200)
  expect(await response?.text()).toContain('npm ci')
})
