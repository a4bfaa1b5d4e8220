import { expect, test } from 'bun:test'
import { runningTarget } from './target.ts'

test('an import waits out a rate limit of a running store', async () => {
  let requests = 0
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      requests++ === 0
        ? new Response('{"code":"rate_limited","message":"slower"}', {
            status: 429,
            headers: { 'Retry-After': '0' },
          })
        : new Response(null, { status: 204 }),
  })
  await runningTarget(`http://127.0.0.1:${server.port}`, 'key').stage({ categories: [], pets: [] })
  expect(requests).toBe(2)
})
