import { expect, test } from 'bun:test'
import { openSandboxHost } from '../support/sandbox-host.ts'

test('a write that arrives while a snapshot is taken is executed after it, so the sandbox can be reset', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create()
  // The snapshot opens the sandbox. Its dispatcher then writes for the first time, while the file is copied.
  expect((await sandbox.control('PUT', '/snapshots/lesson-1')).status).toBe(200)
  expect((await sandbox.control('POST', '/reset', { snapshot: 'lesson-1' })).status).toBe(200)
}, 20_000)
