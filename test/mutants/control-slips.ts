import type { Mutant } from './mutant.ts'

/** A mutant that is the control of a guarantee of RELIABILITY.md: its tests must notice it. */
interface ControlSlip extends Mutant {
  readonly guarantee: number
  /** Whether its tests take at most a few seconds on SQLite, so that `npm test` makes it too. */
  readonly isQuick?: true
}

export const controlSlips: readonly ControlSlip[] = [
  {
    guarantee: 3,
    file: 'src/database/sqlite/group-commit.ts',
    before: 'if (!connection.inTransaction) return this.#failAll(commands)',
    after: '',
    breaks: 'after a full disk, commands are acknowledged that were rolled back',
    tests: ['test/database/disk-full.test.ts: a batch that fills the disk acknowledges exactly'],
    isQuick: true,
  },
  {
    guarantee: 4,
    file: 'src/shop/kernel/idempotency.ts',
    before: '$status, $body, $etag, $location, $now)`',
    after: '$status, $body, $etag, $location, $now) ON CONFLICT DO NOTHING`',
    breaks: 'a key that is sent several times at once has several effects',
    tests: ['test/shop/idempotency.test.ts: idempotency keys, sent 2 to 8 times at once'],
  },
  {
    guarantee: 7,
    file: 'src/http/pipeline/body.ts',
    before: `    if (total > BODY_BYTES_MAX) throw bodyTooLarge()
`,
    after: '',
    breaks: 'a body without a Content-Length may have any size',
    tests: ['test/http/hostile.test.ts'],
    isQuick: true,
  },
  {
    guarantee: 10,
    file: 'src/http/limits/admission.ts',
    before: `    this.#admission.releaseSlot(this.#address)
`,
    after: `    this.#admission.releaseSlot(this.#address)
    this.#admission.reacquireSlot(this.#address)
`,
    breaks: 'clients that send half a body hold the slots of all others',
    tests: ['test/http/capacity.test.ts: the slot of a request is free while its body arrives'],
    isQuick: true,
  },
  {
    guarantee: 12,
    file: 'src/http/pipeline/auth.ts',
    before: '(scope === undefined || hasScope(caller, scope))',
    after: '(scope === undefined || scope.length > 0)',
    breaks: 'a key may do what none of its scopes allows',
    tests: ['test/shop/keys.test.ts: each operation accepts exactly the kinds of keys'],
  },
  {
    guarantee: 13,
    file: 'src/webhooks/attempt.ts',
    before: 'const destination = await checkAddress(receiver.url, rules)',
    after: 'const destination = await checkAddress(receiver.url, { ...rules, allowPrivate: true })',
    breaks: 'a webhook whose name moves to a private address reaches it',
    tests: [
      'test/webhooks/addresses.test.ts: no connection is made to a name that moves to a private address',
    ],
    isQuick: true,
  },
  {
    guarantee: 17,
    file: 'src/serving/first-start.ts',
    before: `  given.write(token)
  await runSystemCommand(engine, 'installAdminKey', { token, madeBy: 'first start' }, clock)`,
    after: `  await runSystemCommand(engine, 'installAdminKey', { token, madeBy: 'first start' }, clock)
  given.write(token)`,
    breaks: 'a first start that fails between the commit and the file leaves a store whose key nobody has',
    tests: ['test/cli/admin-key.test.ts: after a first start that failed at any step'],
  },
  {
    guarantee: 18,
    file: 'src/cli/serve/process.ts',
    before: `['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal`,
    after: `['SIGTERM', 'SIGHUP'] as const) {
    process.on(signal`,
    breaks: 'Ctrl-C ends the store in the middle of its work',
    tests: ['test/cli/npm-start.test.ts: to npm start stops the store gracefully'],
  },
  {
    guarantee: 19,
    file: 'src/cli/serve/log-stream.ts',
    before: '      return error',
    after: '      throw error',
    breaks: 'a full disk stops the store, because its log cannot be written',
    tests: ['test/cli/log.test.ts: a log drops lines at'],
    isQuick: true,
  },
  {
    guarantee: 21,
    file: 'src/cli/store-access/this-machine.ts',
    before: 'loopbackOfAny[name] ?? name}:',
    after: 'name}:',
    breaks: 'the admin key is sent to an address that is not of this machine alone',
    tests: ['test/cli/import-running.test.ts: the local address of a listener is'],
    isQuick: true,
  },
  {
    guarantee: 22,
    file: 'src/database/sqlite/files.ts',
    before: 'dev === opened.dev && ino === opened.ino',
    after: 'dev === opened.dev',
    breaks: 'a store whose database was replaced acknowledges orders that are lost',
    tests: ['test/serving/data-directory.test.ts: a watch detects that a file was replaced'],
  },
  {
    guarantee: 23,
    file: 'src/serving/first-start.ts',
    before: `if (typeof given === 'string') {`,
    after: `if (typeof given === 'string' && !(await engine.readShort(reader => isKeyKnown(reader, given)))) {`,
    breaks: 'a revoked key in PETSTORE_ADMIN_KEY stays revoked',
    tests: ['test/cli/environment-key.test.ts: a key that was revoked several times works again'],
  },
  {
    guarantee: 24,
    file: 'src/cli/keys/secret-key.ts',
    before: 'if (found === undefined && (await engine.readShort(hasEncryptedSecret))) {',
    after: 'if (found === undefined && (await engine.readShort(hasEncryptedSecret)) && data === undefined) {',
    breaks: 'a lost secret key is replaced, and no webhook can be signed any more',
    tests: ['test/cli/secret-key.test.ts: a missing secret key is reported, and is not replaced'],
  },
  {
    guarantee: 26,
    file: 'src/serving/sweeping.ts',
    before: `  while (!stopping?.aborted) {
    const startedMs`,
    after: `  for (let runs = 0; runs < 1; runs++) {
    const startedMs`,
    breaks: 'a sweep leaves all but a thousand expired rows',
    tests: ['test/serving/sweeping.test.ts: a sweep continues until no expired row is left'],
  },
  {
    guarantee: 27,
    file: 'src/database/time-slices.ts',
    before: `      this.#waiting.push(resolve)
      if (this.#waiting.length === 1)`,
    after: `      resolve()
      if (this.#waiting.length === 1)`,
    breaks: 'streams that catch up hold up all other requests',
    tests: ['src/database/time-slices.test.ts', 'test/http/events/long-history.test.ts'],
    isQuick: true,
  },
  {
    guarantee: 28,
    file: 'src/database/sqlite/connection.ts',
    before: `if (errorCode(error).startsWith('SQLITE_BUSY')) {`,
    after: `if (errorCode(error) === 'SQLITE_BUSY_SNAPSHOT') {`,
    breaks: 'a write while another process holds the lock gets 500',
    tests: [
      'test/database/locked-database.test.ts: only the batch fails if the database is locked',
      'test/database/locked-database.test.ts',
    ],
    isQuick: true,
  },
  {
    guarantee: 29,
    file: 'src/shop/keys/verbs.ts',
    before: `  await tx.run(lockAdminKeys)
`,
    after: '',
    breaks: 'two admins who revoke each other at once leave the store without an admin key',
    tests: [
      'test/shop/interleaved-commands.test.ts: two admin keys that revoke each other',
      'test/shop/races.test.ts: admin keys that revoke each other at once',
    ],
  },
  {
    guarantee: 30,
    file: 'src/catalogue/file-records.ts',
    before: `if (this.#lines.join('').length > RECORD_CHARS_MAX) throw`,
    after: `if (this.#lines.join('').length > 1e9) throw`,
    breaks: 'a file with a quote that never ends is read to its end',
    tests: ['test/catalogue/catalogue-file.test.ts: is refused with the number of its line'],
  },
  {
    guarantee: 31,
    file: 'src/webhooks/request.ts',
    before:
      'if (bytes >= REPLY_BYTES_READ || response.socket.bytesRead >= CONNECTION_BYTES_READ) response.destroy()',
    after: '',
    breaks: 'a receiver may send any number of bytes',
    tests: [
      'test/webhooks/flooding-receivers.test.ts: without an end is disconnected after a bounded number',
    ],
  },
  {
    guarantee: 33,
    file: 'src/database/sqlite/engine.ts',
    before: `if (announcer && changes.size > 0) announce(announcer, { changes, position })
          askForNext()
        })`,
    after: `askForNext()
        })
        if (announcer && changes.size > 0) announce(announcer, { changes, position: undefined })`,
    breaks: 'a read from the cache is older than an event that was sent right after a commit',
    tests: ['test/database/row-reports.test.ts'],
  },
  {
    guarantee: 33,
    file: 'src/http/cache/door.ts',
    before: `    this.#options.announceRows()
`,
    after: '',
    breaks: 'after an event, a client reads the old state from the cache',
    tests: [
      'test/http/cache-door.test.ts: a read from the cache shows a commit',
      'test/http/cache.test.ts: while random clients',
    ],
  },
  {
    guarantee: 34,
    file: 'src/shop/orders/verbs.ts',
    before: 'totals: { [openOrders]: -1n, [ordersPlacedIn(before.createdAt)]: -1n },',
    after: '',
    breaks: 'the summary counts cancelled orders as open',
    tests: ['test/shop/summary.test.ts: the summary of a busy store is exact'],
  },
  {
    guarantee: 36,
    file: 'src/shop/imports/verbs.ts',
    before: 'last: last.line })',
    after: 'last: last.line - 1n })',
    breaks: 'an import loads the last row of each slice twice',
    tests: ['test/cli/import-slices.test.ts: an import loads every row'],
  },
  {
    guarantee: 37,
    file: 'src/database/postgres/runner.ts',
    before: `execution.unconfirmed = { result }
    await connection.unsafe(`,
    after: 'await connection.unsafe(',
    breaks: 'a command whose COMMIT had no response is refused although it took effect',
    tests: ['test/database/unreliable-database.test.ts: an order takes effect once and gets 201'],
  },
  {
    guarantee: 40,
    file: 'src/database/postgres/runner.ts',
    before: "failure === 'locked' || lockedRows.hasAnyOf(rows)",
    after: "failure === 'locked'",
    breaks: 'commands that wait for one locked row take the connections of all others',
    tests: ['test/database/unreliable-database.test.ts: hundreds of clients that wait for one locked pet'],
  },
  {
    guarantee: 41,
    file: 'src/transfer/copy.ts',
    before: 'if (source.checksum() !== target.checksum())',
    after: 'if (source.rows !== target.rows)',
    breaks: 'a copy with a changed row is accepted',
    tests: ['test/transfer/copy.test.ts'],
  },
  {
    guarantee: 42,
    file: 'src/transfer/sqlite-restore.ts',
    before: `  connection.run(raiseCounters, { count })
`,
    after: '',
    breaks: 'a restored store issues the ids of the lost store again',
    tests: ['test/transfer/backup.test.ts'],
  },
  {
    guarantee: 44,
    file: 'src/shop/keys/schema.ts',
    before: 'keyText(crypto.getRandomValues(new Uint8Array(KEY_RANDOM_BYTES)))',
    after: 'keyText(new Uint8Array(KEY_RANDOM_BYTES))',
    breaks: 'the key of one sandbox opens all others',
    tests: ['test/sandboxes/sandbox-isolation.test.ts: two sandboxes share no key, rule, order or log entry'],
    isQuick: true,
  },
  {
    guarantee: 45,
    file: 'src/database/sqlite/light-engine.ts',
    before: `if (found?.quick_check !== 'ok') throw`,
    after: 'if (found === undefined) throw',
    breaks: 'a damaged sandbox is served after a boot',
    tests: ['test/sandboxes/sandbox-crash.test.ts'],
  },
  {
    guarantee: 47,
    file: 'src/sandboxes/host/fair-turns.ts',
    before: 'if (this.#left > 0 && this.#waiting.length === 0 && performance.now() >= this.#pausedUntilMs) {',
    after: 'if (this.#left <= REQUESTS_PER_TURN) {',
    breaks: 'one sandbox with many requests slows down all others',
    tests: ['src/sandboxes/host/fair-turns.test.ts'],
    isQuick: true,
  },
  {
    guarantee: 50,
    file: 'src/database/time-slices.ts',
    before: 'return performance.now() - this.#startedMs > SLICE_MS',
    after: 'return performance.now() - this.#startedMs > 1e6 * SLICE_MS',
    breaks: 'an import into one sandbox stops all others',
    tests: ['test/sandboxes/long-work.test.ts: a long command pauses repeatedly'],
  },
  {
    guarantee: 51,
    file: 'src/http/pipeline/shared-lookup.ts',
    before: `    latest.next ??= endOf(latest.result).then(() => this.#start(key))
    return latest.next`,
    after: '    return latest.result',
    breaks: 'a key that another process revoked is accepted by requests that share a lookup',
    tests: ['test/http/revoked-keys.test.ts: a shared lookup sees every change'],
    isQuick: true,
  },
  {
    guarantee: 55,
    file: 'src/database/postgres/database-clock.ts',
    before: 'this.#options.local() - this.#aheadMs',
    after: 'this.#options.local() + this.#aheadMs',
    breaks: 'a wrong clock is made wrong twice',
    tests: ['test/serving/clock-steps.test.ts: a process whose clock is 25 hours ahead'],
  },
  {
    guarantee: 56,
    file: 'src/database/sqlite/database-file.ts',
    before: 'if (!numbers.includes(number)) {',
    after: 'if (numbers.length === 0) {',
    breaks: 'an older copy in the place of the database is accepted, and gives ids again',
    tests: ['test/serving/mismatched-files.test.ts: an older copy or a backup in the place'],
  },
  {
    guarantee: 57,
    file: 'src/database/postgres/migrations.ts',
    before: `const isNew = names.every(name => name === 'migration')`,
    after: 'const isNew = true',
    breaks: 'the tables of a store are created in the database of another program',
    tests: ['test/cli/foreign-folder.test.ts'],
  },
  {
    guarantee: 59,
    file: 'src/database/sqlite/engine.ts',
    before: '...(canUndo && isLogEmpty && {',
    after: '...(canUndo && {',
    breaks: 'a failed import deletes commits that were made before it',
    tests: ['test/database/undo.test.ts'],
  },
  {
    guarantee: 60,
    file: 'src/shop/orders/sale-verbs.ts',
    before: `type: 'petstore.order.returned', ...aboutOrder(order), totals }`,
    after: `type: 'petstore.order.returned', ...aboutOrder(order) }`,
    breaks: 'a return is missing in the takings of its day',
    tests: ['test/shop/books.test.ts: sales, baskets and returns race'],
    isQuick: true,
  },
  {
    guarantee: 61,
    file: 'src/shop/kernel/metadata.ts',
    before: 'if (amount === null || amount === undefined) return',
    after: 'if (amount !== 0n) return',
    breaks: 'a process stores amounts in the currency of before',
    tests: ['test/shop/two-currencies.test.ts: a process stores no amount in a currency'],
    isQuick: true,
  },
  {
    guarantee: 62,
    file: 'src/sandboxes/classes/classes.ts',
    before: `    if (isNew) {
      try {`,
    after: `    if (isNew && lesson.exercises.length === 0) {
      try {`,
    breaks: 'a met check is written after its response',
    tests: ['test/sandboxes/class-crash.test.ts'],
  },
  {
    guarantee: 63,
    file: 'src/sandboxes/host-api/host-api.ts',
    before: 'if (isForTeacher && classId !== undefined && !teachers.includes(hash)) throw teacherOnly()',
    after: 'if (isForTeacher && classId !== undefined && !keys.includes(hash)) throw teacherOnly()',
    breaks: 'a student may do what only the teacher may',
    tests: ['test/sandboxes/class.test.ts: the key of a student cannot delete the sandbox'],
    isQuick: true,
  },
  {
    guarantee: 64,
    file: 'src/shop/keys/handover.ts',
    before: 'DELETE FROM handover WHERE hash = $hash AND expires_at',
    after: 'UPDATE handover SET hash = hash WHERE hash = $hash AND expires_at',
    breaks: 'a code is exchanged for its key more than once',
    tests: ['test/shop/handovers.test.ts: of many claims of a code at the same moment'],
    isQuick: true,
  },
  {
    guarantee: 65,
    file: 'src/cli/backup-files/single-backup.ts',
    before: 'if (end !== endOf(manifest))',
    after: "if (end === '')",
    breaks: 'a saved backup is restored although it was changed',
    tests: ['test/console/backup.test.ts: restore refuses a saved file'],
    isQuick: true,
  },
  {
    guarantee: 65,
    file: 'src/cli/backup-files/console-backups.ts',
    before: '      this.#held = held\n',
    after: '      this.#held = held\n      await recordBackup(this.#config, held)\n',
    breaks: 'a download that was cut is recorded as a backup',
    tests: ['test/console/backup.test.ts: a download that is cut is no backup'],
  },
  {
    guarantee: 65,
    file: 'src/http/pages/console-backups.ts',
    before: "if (!hasScope(caller, 'admin'))",
    after: 'if (caller.scopes.length === 0)',
    breaks: 'any key saves a backup of the whole store',
    tests: ['test/console/backup.test.ts: a second backup is refused'],
    isQuick: true,
  },
  {
    guarantee: 66,
    file: 'src/sandboxes/bench/planted.ts',
    before: '...(!this.isHunted && {',
    after: '...({',
    breaks: 'the report of a hunt names its faults',
    tests: ['test/sandboxes/planted-faults.test.ts: names no fault until'],
    isQuick: true,
  },
  {
    guarantee: 66,
    file: 'src/sandboxes/bench/planted.ts',
    before: 'if (!planted.change || !sees(planted, call.operationId)) continue',
    after: 'if (!planted.change) continue',
    breaks: 'a fault makes responses wrong that are not its own',
    tests: ['test/sandboxes/planted-faults.test.ts: each of several faults'],
  },
]
