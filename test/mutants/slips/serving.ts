import type { Slips } from '../slip.ts'

const SWEEPING = 'test/serving/sweeping.test.ts'
const CLOCK = 'test/serving/clock-steps.test.ts'
const ADMIN_KEY = 'test/cli/admin-key.test.ts'

export const servingSlips: Slips = {
  'src/serving/first-start.ts': [
    {
      before: `await runSystemCommand(engine, 'insertMetadata', { name: 'secret-key', value }, clock)
    checkValue = await read()`,
      after: `await runSystemCommand(engine, 'insertMetadata', { name: 'secret-key', value }, clock)
    checkValue = value`,
      breaks: 'two processes that start together encrypt with different keys',
      tests: ['test/cli/secret-key.test.ts: of two keys that two processes use at once'],
    },
    {
      before: `if (await engine.readShort(hasEncryptedSecret)) return false
  const value`,
      after: `if (!(await engine.readShort(hasEncryptedSecret))) return false
  const value`,
      breaks: 'a store with webhooks accepts another secret key',
      tests: ['test/cli/secret-key.test.ts: a key from the data directory replaces the key of a store'],
    },
    {
      before: `return (await engine.readShort(reader => isKeyKnown(reader, token))) ? undefined : token`,
      after: `return (await engine.readShort(reader => isKeyKnown(reader, token))) ? token : undefined`,
      breaks: 'a revoked admin key in the file becomes valid again',
      tests: [`${ADMIN_KEY}: a start does not make a revoked key valid again`],
    },
    {
      before: `  file.write(token)
  await runSystemCommand(engine, 'resetAdminKey', { token, revokeOthers }, clock)`,
      after: `  await runSystemCommand(engine, 'resetAdminKey', { token, revokeOthers }, clock)
  file.write(token)`,
      breaks: 'a reset that cannot write the key file leaves an admin key that nobody knows',
      tests: [`${ADMIN_KEY}: a reset that cannot write the key file`],
    },
  ],
  'src/serving/known-callers.ts': [
    {
      before: `if (changeCount === this.#changeCount) this.#keep(token, caller)`,
      after: `this.#keep(token, caller)`,
      breaks: 'a key that is revoked during its lookup stays valid',
      tests: ['src/serving/known-callers.test.ts'],
    },
    {
      before: `expiresAt <= storedInstant`,
      after: `expiresAt < storedInstant`,
      breaks: 'a key is valid at the instant of its expiry',
      tests: ['src/serving/known-callers.test.ts'],
    },
    {
      before: `if (this.#callers.size >= CALLERS_MAX) this.#callers.clear()`,
      after: `if (this.#callers.size >= CALLERS_MAX ** 2) this.#callers.clear()`,
      breaks: 'the callers in memory grow without a bound',
      tests: ['src/serving/known-callers.test.ts'],
    },
    {
      before: `if (!changes.has(KEY_TABLE)) return`,
      after: ``,
      breaks: 'every change makes the next request read its key again',
      tests: ['src/serving/known-callers.test.ts'],
    },
    {
      before: `    this.#changeCount++
    this.#callers.clear()`,
      after: `    this.#changeCount++`,
      breaks: 'a revoked key stays valid while it is in memory',
      tests: ['src/serving/known-callers.test.ts'],
    },
  ],
  'src/serving/retention-clock.ts': [
    {
      before: `this.#lastReadMs = readMs
    this.#report`,
      after: `this.#report`,
      breaks: 'a clock that is a year ahead deletes events within hours',
      tests: [`${CLOCK}: days ahead deletes no event, and neither`],
    },
    {
      before: `    this.#isReported = true
`,
      after: ``,
      breaks: 'a clock that is far ahead is reported at each sweep',
      tests: [`${CLOCK}: a start with the clock`],
    },
    {
      before: `storedInstant(Math.min(clock(), Date.parse(stored)))`,
      after: `storedInstant(clock())`,
      breaks: 'a first start with a wrong clock deletes all events',
      tests: [`${CLOCK}: a store without a stored time begins at its last event`],
    },
    {
      before: `storedInstant(Math.min(nowMs, limitMs))`,
      after: `storedInstant(limitMs)`,
      breaks: 'a store that runs for four days deletes the events of 90 days',
      tests: [`${CLOCK}: a store that runs for months deletes its events`],
    },
  ],
  'src/serving/secret-box.ts': [
    {
      before: `const nonce = randomBytes(NONCE_BYTES)`,
      after: `const nonce = Buffer.alloc(NONCE_BYTES)`,
      breaks: 'two webhook secrets are encrypted with the same key stream',
      tests: ['src/serving/secret-box.test.ts'],
    },
  ],
  'src/serving/service.ts': [
    {
      before: `...(options.mcp`,
      after: `...(true`,
      breaks: 'PETSTORE_MCP=off does not switch the tools of agents off',
      tests: ['test/http/agents.test.ts: a store without tools for agents'],
    },
    {
      before: `[...cachedTables, KEY_TABLE, WEBHOOK_TABLE]`,
      after: `[...cachedTables, KEY_TABLE]`,
      breaks: 'a new webhook gets its first event only at the next poll',
      tests: ['test/webhooks/webhooks.test.ts', 'test/webhooks/webhook-changes.test.ts'],
    },
    {
      before: `if (error instanceof HostUnresolved) return`,
      after: `if (error instanceof HostUnresolved && url === "") return`,
      breaks: 'the examples are refused by every store, because no name server knows their host',
      tests: [
        'test/webhooks/webhooks.test.ts: a webhook at a host',
        'test/openapi/collections.test.ts: every request of the collection',
      ],
    },
    {
      before: `if (error instanceof HostUnresolved) return`,
      after: `if (error instanceof AddressRefused) return`,
      breaks: 'a webhook at a private address is saved',
      tests: ['test/webhooks/webhooks.test.ts: a private address is refused'],
    },
  ],
  'src/serving/sweeping.ts': [
    {
      before: `eventRetention === 'forever' ? DELIVERY_RETENTION_MS : Math.min(DELIVERY_RETENTION_MS, eventRetention)`,
      after: `eventRetention === 'forever' ? DELIVERY_RETENTION_MS : Math.max(DELIVERY_RETENTION_MS, eventRetention)`,
      breaks: 'deliveries outlive their events',
      tests: [`${SWEEPING}: deliveries are kept for 30 days`],
    },
    {
      before: `if (eventRetention !== 'forever') await sweepAll('sweepEvents', before(eventRetention))`,
      after: `await sweepAll('sweepEvents', before(eventRetention === 'forever' ? 90 * 86_400_000 : eventRetention))`,
      breaks: 'events that are kept for ever are deleted after 90 days',
      tests: [`${SWEEPING}: deliveries are kept for 30 days`],
    },
    {
      before: `while (!stopping?.aborted) {`,
      after: `for (;;) {`,
      breaks: 'a store stops only when its sweep is complete',
      tests: [`${SWEEPING}: when sweeping is stopped, an unfinished sweep ends`],
    },
  ],
}
