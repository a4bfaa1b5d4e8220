import { expect, test } from 'bun:test'
import { openSandboxHost } from '../support/sandbox-host.ts'

test('a write during a snapshot is executed after it: later commands run, and the sandbox can be reset', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create()
  // The snapshot opens the sandbox. Its dispatcher then writes for the first time, while the file is copied.
  expect((await sandbox.callHost('PUT', '/snapshots/lesson-1')).status).toBe(200)
  expect((await sandbox.call('POST', '/categories', { body: { name: 'Dogs' } })).status).toBe(201)
  expect((await sandbox.callHost('POST', '/reset', { snapshot: 'lesson-1' })).status).toBe(200)
}, 20_000)
