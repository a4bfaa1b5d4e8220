import type { Slips } from '../slip.ts'

/** The slips that are the controls of the guarantees in RELIABILITY.md, and that no other table has. */
export const guaranteeSlips: Slips = {
  'src/shop/idempotency.ts': [
    {
      before: '$status, $body, $etag, $location, $now)`',
      after: '$status, $body, $etag, $location, $now) ON CONFLICT DO NOTHING`',
      breaks: 'a key that is sent several times at once has several effects',
      tests: ['test/shop/idempotency.test.ts: idempotency keys, sent 2 to 8 times at once'],
      guarantee: 4,
    },
    {
      before: 'if (effected) return replay(effected, fingerprint)',
      after: '',
      breaks: 'a request that is sent twice at once is refused because of its own effect',
      tests: ['test/shop/idempotency.test.ts: requests with one key at once'],
    },
  ],
  'src/shop/keys/verbs.ts': [
    {
      before: '  await tx.run(lockAdminKeys)\n',
      after: '',
      breaks: 'two admins who revoke each other at once leave the store without an admin key',
      tests: [
        'test/shop/interleaved-commands.test.ts: two admin keys that revoke each other',
        'test/shop/races.test.ts: admin keys that revoke each other at once',
      ],
      guarantee: 29,
    },
  ],
  'src/shop/imports/verbs.ts': [
    {
      before: 'last: last.line })',
      after: 'last: last.line - 1n })',
      breaks: 'an import in slices loads the last row of each slice twice',
      tests: ['test/cli/import-slices.test.ts: an import in slices loads every row'],
      guarantee: 36,
    },
  ],
  'src/shop/orders/verbs.ts': [
    {
      before: 'totals: { [openOrders]: -1n, [ordersPlacedIn(before.createdAt)]: -1n },',
      after: '',
      breaks: 'the summary counts cancelled orders as open',
      tests: ['test/shop/summary.test.ts: the summary of a busy store is exact'],
      guarantee: 34,
    },
  ],
  'src/http/pipeline/auth.ts': [
    {
      before: '(scope === undefined || hasScope(caller, scope))',
      after: '(scope === undefined || scope.length > 0)',
      breaks: 'a key may do what none of its scopes allows',
      tests: ['test/shop/keys.test.ts: each operation accepts exactly the kinds of keys'],
      guarantee: 12,
    },
  ],
  'src/http/pipeline/body.ts': [
    {
      before: '    if (total > BODY_BYTES_MAX) throw bodyTooLarge()\n',
      after: '',
      breaks: 'a body without a Content-Length may have any size',
      tests: ['test/http/hostile.test.ts'],
      guarantee: 7,
      isQuick: true,
    },
  ],
  'src/http/limits/admission.ts': [
    {
      before: '    this.#admission.releaseSlot(this.#address)\n',
      after:
        '    this.#admission.releaseSlot(this.#address)\n    this.#admission.reacquireSlot(this.#address)\n',
      breaks: 'clients that send half a body hold the slots of all others',
      tests: ['test/http/capacity.test.ts: the slot of a request is free while its body arrives'],
      guarantee: 10,
      isQuick: true,
    },
  ],
  'src/http/pipeline/shared-lookup.ts': [
    {
      before: '    latest.next ??= endOf(latest.result).then(() => this.#start(key))\n    return latest.next',
      after: '    return latest.result',
      breaks: 'a key that another process revoked is accepted by requests that share a lookup',
      tests: ['test/http/revoked-keys.test.ts: a shared lookup sees every change'],
      guarantee: 51,
      isQuick: true,
    },
  ],
  'src/webhooks/attempt.ts': [
    {
      before: 'const destination = await checkAddress(receiver.url, rules)',
      after: 'const destination = await checkAddress(receiver.url, { ...rules, allowPrivate: true })',
      breaks: 'a webhook whose name moves to a private address reaches it',
      tests: [
        'test/webhooks/addresses.test.ts: no connection is made to a name that moves to a private address',
      ],
      guarantee: 13,
      isQuick: true,
    },
  ],
  'src/webhooks/request.ts': [
    {
      before:
        'if (bytes >= REPLY_BYTES_READ || response.socket.bytesRead >= CONNECTION_BYTES_READ) response.destroy()',
      after: '',
      breaks: 'a receiver may send any number of bytes',
      tests: [
        'test/webhooks/flooding-receivers.test.ts: without an end is disconnected after a bounded number',
      ],
      guarantee: 31,
    },
  ],
  'src/serving/sweeping.ts': [
    {
      before: '  while (!stopping?.aborted) {\n    const startedMs',
      after: '  for (let runs = 0; runs < 1; runs++) {\n    const startedMs',
      breaks: 'a sweep leaves all but a thousand expired rows',
      tests: ['test/serving/sweeping.test.ts: a sweep continues until no expired row is left'],
      guarantee: 26,
    },
  ],
  'src/database/sqlite/files.ts': [
    {
      before: 'dev === opened.dev && ino === opened.ino',
      after: 'dev === opened.dev',
      breaks: 'a store whose database was replaced acknowledges orders that are lost',
      tests: ['test/serving/data-directory.test.ts: a watch detects that a file was replaced'],
      guarantee: 22,
    },
  ],
  'src/database/time-slices.ts': [
    {
      before: '      this.#waiting.push(resolve)\n      if (this.#waiting.length === 1)',
      after: '      resolve()\n      if (this.#waiting.length === 1)',
      breaks: 'streams that catch up hold up all other requests',
      tests: ['src/database/time-slices.test.ts', 'test/http/events/long-history.test.ts'],
      guarantee: 27,
      isQuick: true,
    },
    {
      before: 'return performance.now() - this.#startedMs > SLICE_MS',
      after: 'return performance.now() - this.#startedMs > 1e6 * SLICE_MS',
      breaks: 'an import into one sandbox stops all others',
      tests: ['test/sandboxes/long-work.test.ts: a long command pauses repeatedly'],
      guarantee: 50,
    },
  ],
  'src/sandboxes/host/fair-turns.ts': [
    {
      before:
        'if (this.#left > 0 && this.#waiting.length === 0 && performance.now() >= this.#pausedUntilMs) {',
      after: 'if (this.#left <= REQUESTS_PER_TURN) {',
      breaks: 'one sandbox with many requests slows down all others',
      tests: ['src/sandboxes/host/fair-turns.test.ts'],
      guarantee: 47,
      isQuick: true,
    },
  ],
  'src/shop/keys/schema.ts': [
    {
      before: 'keyText(crypto.getRandomValues(new Uint8Array(KEY_RANDOM_BYTES)))',
      after: 'keyText(new Uint8Array(KEY_RANDOM_BYTES))',
      breaks: 'the key of one sandbox opens all others',
      tests: [
        'test/sandboxes/sandbox-isolation.test.ts: two sandboxes share no key, rule, order or log entry',
      ],
      guarantee: 44,
      isQuick: true,
    },
  ],
  'src/catalogue/file-records.ts': [
    {
      before: `if (this.#lines.join('').length > RECORD_CHARS_MAX) throw`,
      after: `if (this.#lines.join('').length > 1e9) throw`,
      breaks: 'a file with a quote that never ends is read to its end',
      tests: ['test/catalogue/catalogue-file.test.ts: is refused with the number of its line'],
      guarantee: 30,
    },
  ],
  'src/cli/serve/log-stream.ts': [
    {
      before: '      return error',
      after: '      throw error',
      breaks: 'a full disk stops the store, because its log cannot be written',
      tests: ['test/cli/log.test.ts: a log drops lines at'],
      guarantee: 19,
      isQuick: true,
    },
  ],
  'src/cli/which-store/this-machine.ts': [
    {
      before: 'loopbackOfAny[name] ?? name}:',
      after: 'name}:',
      breaks: 'the admin key is sent to an address that is not of this machine alone',
      tests: ['test/cli/import-running.test.ts: the local address of a listener is'],
      guarantee: 21,
      isQuick: true,
    },
  ],
  'src/cli/keys/secret-key.ts': [
    {
      before: 'if (found === undefined && (await engine.readShort(hasEncryptedSecret))) {',
      after:
        'if (found === undefined && (await engine.readShort(hasEncryptedSecret)) && data === undefined) {',
      breaks: 'a lost secret key is replaced, and no webhook can be signed any more',
      tests: ['test/cli/secret-key.test.ts: a missing secret key is reported, and is not replaced'],
      guarantee: 24,
    },
  ],
  'src/cli/serve/process.ts': [
    {
      before: `['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal`,
      after: `['SIGTERM', 'SIGHUP'] as const) {
    process.on(signal`,
      breaks: 'Ctrl-C ends the store in the middle of its work',
      tests: ['test/cli/npm-start.test.ts: to npm start stops the store gracefully'],
      guarantee: 18,
    },
  ],
  'src/serving/first-start.ts': [
    {
      before: `  given.write(token)
  await runSystemCommand(engine, 'installAdminKey', { token, madeBy: 'first start' }, clock)`,
      after: `  await runSystemCommand(engine, 'installAdminKey', { token, madeBy: 'first start' }, clock)
  given.write(token)`,
      breaks: 'a first start that fails between the commit and the file leaves a store whose key nobody has',
      tests: ['test/cli/admin-key.test.ts: after a first start that failed at any step'],
      guarantee: 17,
    },
    {
      before: `if (typeof given === 'string') {`,
      after: `if (typeof given === 'string' && !(await engine.readShort(reader => isKeyKnown(reader, given)))) {`,
      breaks: 'a revoked key in PETSTORE_ADMIN_KEY stays revoked',
      tests: ['test/cli/environment-key.test.ts: a key that was revoked several times works again'],
      guarantee: 23,
    },
  ],
}
