import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { bindPort, startServer } from '../../src/serving/server.ts'
import { metricsOf } from '../support/metrics.ts'
import { onEveryEngine, openTestStore, SECRET_KEY } from '../support/store.ts'
import { until } from '../support/until.ts'

onEveryEngine(engine => {
  test('the probes respond with 200, and the metrics count requests by operation', async () => {
    await using counted = await openTestStore(engine)
    for (const path of ['/livez', '/readyz']) expect((await counted.send('GET', path)).status).toBe(200)
    await counted.send('GET', '/pets/404')
    await counted.send('GET', '/pets/404')
    await counted.send('GET', '/pets')
    const webhook = await counted.client.createWebhook({ body: { url: 'http://127.0.0.1:9/' } })
    const webhookId = webhook.data.id
    await counted.client.sendTestEvent({ webhookId })
    const metrics = async (): Promise<string> => (await fetch(`${counted.base}/metrics`)).text()
    // An attempt is counted after its outcome is stored, so a client can see the delivery before the count.
    await until('the attempt is counted', async () =>
      (await metrics()).includes('petstore_webhook_attempts_total{state="pending"} 1'),
    )
    const listening = await counted.send('GET', '/events/stream')
    const text = await metrics()
    await listening.body?.cancel()
    for (const line of [
      'petstore_requests_total{operation_id="getPet",status="404"} 2',
      'petstore_requests_total{operation_id="listPets",status="200"} 1',
      'petstore_errors_total{code="pet_not_found"} 2',
      'petstore_webhooks{state="failing"} 1',
      'petstore_webhook_backlog 1',
      'petstore_deprecated_requests_total{operation_id="getPet"} 2',
      'petstore_webhook_attempts_total{state="pending"} 1',
      'petstore_event_streams 1',
      'petstore_request_duration_seconds_count{operation_id="getPet"} 2',
      'petstore_request_duration_seconds_bucket{operation_id="getPet",le="+Inf"} 2',
      '# TYPE petstore_request_duration_seconds histogram',
    ]) {
      expect(text).toContain(line)
    }
    // Nobody attempts the deliveries of a disabled webhook.
    await counted.client.updateWebhook({ webhookId, body: { enabled: false } })
    await until('its deliveries are no backlog', async () => {
      const now = await metrics()
      return (
        now.includes('petstore_webhook_backlog 0') && now.includes('petstore_webhook_backlog_age_seconds 0')
      )
    })
  })

  test('a store whose database does not respond in time is live but not ready', async () => {
    await using stuck = await openTestStore(engine)
    const { ping } = stuck.engine
    Reflect.set(stuck.engine, 'ping', () => new Promise(() => {}))
    const startedMs = performance.now()
    expect((await fetch(`${stuck.base}/readyz`)).status).toBe(503)
    expect(performance.now() - startedMs).toBeGreaterThan(1000)
    expect((await fetch(`${stuck.base}/livez`)).status).toBe(200)
    Reflect.set(stuck.engine, 'ping', ping)
  })

  test('a store is not ready while its database fails, and is ready again afterwards', async () => {
    let isFailing = false
    await using store = await openTestStore(engine, {
      wrapEngine: wrapped => ({
        ...wrapped,
        ping: () => (isFailing ? Promise.reject(new Error('the database is not available')) : wrapped.ping()),
      }),
    })
    const probe = async () => (await fetch(`${store.base}/readyz`)).status
    expect(await probe()).toBe(200)
    isFailing = true
    expect(await probe()).toBe(503)
    isFailing = false
    expect(await probe()).toBe(200)
  })

  test('a store whose database is unavailable is live but not ready', async () => {
    await using broken = await openTestStore(engine)
    await broken.engine.close()
    expect((await broken.send('GET', '/livez')).status).toBe(200)
    expect(await metricsOf(broken, 'petstore_ready', 'petstore_not_ready', 'petstore_webhooks')).toEqual({
      petstore_ready: 0,
      'petstore_not_ready{reason="draining"}': 0,
      'petstore_not_ready{reason="database"}': 1,
      'petstore_not_ready{reason="schema"}': 0,
    })
    const ready = await fetch(`${broken.base}/readyz`)
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '5'])
  })
})

test('a port that is bound before its store is open responds with 503 and Retry-After', async () => {
  const port = bindPort({ host: '127.0.0.1', port: 0 })
  const reply = await fetch(`http://127.0.0.1:${port.port}/pets`)
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await reply.json()).toMatchObject({ code: 'overloaded', status: 503 })
  await port.stop(true)
})

test('a server that drains is not ready, and its responses to other requests close their connections', async () => {
  await using store = await openTestStore('sqlite')
  const server = startServer({
    host: '127.0.0.1',
    port: 0,
    stability: 'experimental',
    rateLimit: 'off',
    mcp: false,
    corsOrigins: [],
    trustedProxies: [],
    secretKey: SECRET_KEY,
    allowPrivateWebhooks: false,
    eventRetention: 'forever',
    log: { access: () => {}, info: () => {}, error: () => {} },
    clock: Date.now,
    lifecycleClock: Date.now,
    cache: 'off',
    engine: store.engine,
  })
  const reply = async (path: string): Promise<string> => {
    const { status, headers } = await fetch(server.base + path)
    return `${status} ${headers.get('connection')}`
  }
  const replies = async () => Promise.all(['/readyz', '/pets', '/livez', '/nothing'].map(reply))
  expect(await replies()).toEqual(['200 null', '200 null', '200 null', '404 null'])
  server.drain()
  expect(await replies()).toEqual(['503 close', '200 close', '200 close', '404 close'])
  expect(await metricsOf(server, 'petstore_not_ready')).toMatchObject({
    'petstore_not_ready{reason="draining"}': 1,
  })
  await server.stop()
})

test('an idle connection is closed after the time that is set', async () => {
  const port = bindPort({ host: '127.0.0.1', port: 0, idleSeconds: 1 })
  const closed = Promise.withResolvers<void>()
  const socket = connect(port.port ?? 0, '127.0.0.1').on('close', () => closed.resolve())
  socket.resume().write('GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  // With the default, this test would end at its time limit.
  await closed.promise
  await port.stop(true)
}, 15_000)

test('the idle limit holds again after a request that may take long, also one that is refused', async () => {
  await using store = await openTestStore('sqlite', { idleSeconds: 1, streams: { keepAliveMs: 100 } })
  const { client } = store
  const port = Number(new URL(store.base).port)
  const { data } = await client.createKey({ body: { name: 'reader', scopes: ['events:read'] } })
  const closedAfter = async (target: string, key: string): Promise<number> => {
    const closed = Promise.withResolvers<void>()
    const socket = connect(port, '127.0.0.1').on('close', () => closed.resolve())
    socket.resume().write(`${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    const startedMs = performance.now()
    await closed.promise
    return performance.now() - startedMs
  }
  const closings = [
    'GET /events',
    'GET /events/stream',
    'PUT /console/backups/x',
    'POST /imports/1/rows',
  ].map(target => closedAfter(target, 'ps_unknown'))
  const [page, stream] = ['GET /events?wait=0', 'GET /events/stream'].map(target =>
    closedAfter(target, data.key),
  )
  await Promise.all([...closings, page])
  // A stream stays open, and its connection is closed when it ends.
  expect(await Promise.race([stream, Bun.sleep(2000)])).toBeUndefined()
  await client.revokeKey({ keyId: data.id })
  expect(await stream).toBeGreaterThan(2000)
}, 15_000)
