import type { Slips } from '../slip.ts'

const GROUP_COMMIT = 'test/database/group-commit.test.ts'
const LOCKED = 'test/database/locked-database.test.ts'
const CACHE = 'test/http/cache.test.ts'
const ATTEMPTS = 'test/database/command-attempts.test.ts'
const UNRELIABLE = 'test/database/unreliable-database.test.ts'
const POOL = 'test/database/bounded-pool.test.ts'
const CLOCKS = 'test/serving/clock-steps.test.ts'
const STATEMENT = 'src/database/statement.test.ts'
const FILES = 'test/serving/mismatched-files.test.ts'
const LIGHT = 'test/database/light-engine.test.ts'
const MIGRATIONS = 'test/database/migrations.test.ts'

export const databaseSlips: Slips = {
  'src/database/commit-signal.ts': [
    {
      before: 'if (!this.#isAwaited || this.#timer !== undefined) return',
      after: 'if (this.#timer !== undefined) return',
      breaks: 'nothing but a timer per commit that nobody waits for',
      tests: [],
      equivalent: 'a signal without a waiter has no effect; it only costs a timer',
    },
    {
      before: 'clearTimeout(this.#timer)\n    this.#next.resolve()',
      after: 'clearTimeout(this.#timer)',
      breaks: 'a stop waits for long polls until their timeout',
      tests: ['src/database/commit-signal.test.ts'],
    },
    {
      before: '    this.#timer = undefined\n    this.#spacingMs',
      after: '    this.#spacingMs',
      breaks: 'only the first commit of a process is signalled',
      tests: ['src/database/commit-signal.test.ts'],
    },
  ],
  'src/database/migrate.ts': [
    {
      before: 'number > version)',
      after: 'number > version + 1)',
      breaks: 'an upgrade leaves out a migration',
      tests: ['test/database/upgrade.test.ts'],
    },
    {
      before: 'if (version > this.version) {',
      after: 'if (version > this.version + 99) {',
      breaks: 'an older program opens a newer store',
      tests: ['test/cli/migrate.test.ts', MIGRATIONS],
    },
    {
      before: 'if (version > 0 && version < this.baseVersion) {',
      after: 'if (version > 0 && version < this.baseVersion - 1) {',
      breaks: 'a store that is too old is changed by the scripts for a newer one',
      tests: ['test/database/upgrade.test.ts: a store of a version before 677f627'],
    },
    {
      before: `async tx => migrations.steps.get(script)?.(tx, onProgress)`,
      after: `async () => {}`,
      breaks: 'a search finds no pet of an older store',
      tests: ['test/cli/migrate.test.ts: migrate shows how far it is'],
    },
  ],
  'src/database/migrations/name-filling.ts': [
    {
      before: `  if (words.length > 0) await tx.run(insertWords(words))
`,
      after: ``,
      breaks: 'the last pets of an older store are never found',
      tests: ['test/cli/migrate.test.ts: migrate shows how far it is'],
    },
    {
      before: `if (done % PETS_PER_LINE > 0) continue`,
      after: `if (done > 0) continue`,
      breaks: 'a migration of minutes says nothing',
      tests: ['test/cli/migrate.test.ts: migrate shows how far it is'],
    },
  ],
  'src/database/numbering/chain.ts': [
    {
      before: `...(traceparent === null ? [] : [traceparent])`,
      after: `...(traceparent === null ? [] : [])`,
      breaks: 'the trace of an event can be changed without a trace in the chain',
      tests: ['test/http/events/traces.test.ts: the hash chain covers'],
    },
    {
      before: `...(traceparent === null ? [] : [traceparent])`,
      after: `traceparent`,
      breaks: 'the chain of a store of 677f627 no longer verifies',
      tests: ['test/database/upgrade.test.ts: a store of 677f627 keeps every row'],
    },
  ],
  'src/database/numbering/numbering.ts': [
    {
      before: 'for (const { totals } of batches) if (totals !== null) sums.add(readChanges(totals))',
      after: '',
      breaks: 'the totals of a copied store lack the events that had no position',
      tests: ['src/database/numbering/numbering.test.ts', 'test/shop/summary.test.ts'],
    },
    {
      before: 'for (const { statement, parameters } of sums.take()) database.write(statement, parameters)',
      after: '',
      breaks: 'the summary on PostgreSQL never changes',
      tests: ['test/shop/summary.test.ts'],
    },
    {
      before: 'database.write(moveHead, { position: last.position, hash: last.hash })',
      after: 'database.write(moveHead, { position: last.position, hash: head.hash })',
      breaks: 'the chain of the audit log is broken after each group of events',
      tests: ['test/shop/audit-log.test.ts: each entry is chained to the previous one'],
    },
    {
      before: '(SELECT id FROM event_batch ORDER BY id LIMIT',
      after: '(SELECT id FROM event_batch ORDER BY id DESC LIMIT',
      breaks: 'the later half of many waiting batches is numbered before the earlier one',
      tests: ['src/database/numbering/numbering.test.ts'],
    },
    {
      before: `petId: petId === null ? null : \`\${petId}\`,`,
      after: `petId: petId === null ? null : Number(petId) as never,`,
      breaks: 'the ids of pets in events are rounded on PostgreSQL',
      tests: ['src/database/numbering/numbering.test.ts'],
    },
  ],
  'src/database/numbering/totals.ts': [
    {
      before: 'filter(([, change]) => change !== 0n)',
      after: 'filter(([, change]) => change > 0n)',
      breaks: 'the summary counts up and never down',
      tests: ['test/shop/summary.test.ts'],
    },
    {
      before: '    this.#sums.clear()\n    return sums.map',
      after: '    return sums.map',
      breaks: 'the summary counts each change again with every later batch',
      tests: [GROUP_COMMIT],
    },
  ],
  'src/database/postgres/bounded-pool.ts': [
    {
      before: 'isReusable = closedBefore === this.#closedCount && !this.#isClosing',
      after: 'isReusable = !this.#isClosing',
      breaks: 'a connection that was lost is used again',
      tests: [POOL],
    },
    {
      before: '        this.#releaseIdle()\n      },',
      after: '      },',
      breaks: 'after a restart of the database, requests fail until each old connection was tried',
      tests: [POOL],
    },
    {
      before: 'void connection?.close({ timeout: 0 }).catch(() => {})',
      after: '',
      breaks: 'a frozen database keeps requests for ever',
      tests: [POOL],
    },
    {
      before: '      this.#admitNext()\n',
      after: '',
      breaks: 'after as many uses as there are connections, each further request waits until its deadline',
      tests: [POOL],
    },
    {
      before: '      this.#waiting.delete(waiter)\n',
      after: '',
      breaks: 'a connection is handed to a request that has given up, and is lost to all others',
      tests: [POOL],
    },
    {
      before: '    this.#waiting.delete(next)\n',
      after: '',
      breaks: 'one waiting request is admitted again and again, and all others wait for ever',
      tests: [POOL],
    },
  ],
  'src/database/postgres/combined-inserts.ts': [
    {
      before: `$\${Number(number) + index * values}`,
      after: `$\${Number(number)}`,
      breaks: 'rows that are inserted together all have the values of the first',
      tests: ['src/database/postgres/combined-inserts.test.ts'],
    },
  ],
  'src/database/postgres/database-clock.ts': [
    {
      before: 'this.#options.local() - this.#aheadMs',
      after: 'this.#options.local() + this.#aheadMs',
      breaks: 'a wrong clock is made wrong twice',
      tests: [`${CLOCKS}: a process whose clock is 25 hours ahead`],
      guarantee: 55,
    },
    {
      before: 'if (tookMs > READING_MS_MAX) return',
      after: '',
      breaks: 'a slow network sets the clock of a process back by seconds',
      tests: ['src/database/postgres/database-clock.test.ts'],
    },
    {
      before: 'Math.abs(aheadMs - this.#aheadMs) < DIFFERENCE_MS_MIN',
      after: 'Math.abs(aheadMs) < DIFFERENCE_MS_MIN',
      breaks: 'a clock that was corrected stays wrong',
      tests: ['src/database/postgres/database-clock.test.ts'],
    },
    {
      before: 'local() - tookMs / 2 - time',
      after: 'local() - tookMs * 2 - time',
      breaks: 'a slow reading moves the clock',
      tests: ['src/database/postgres/database-clock.test.ts'],
    },
  ],
  'src/database/postgres/engine.ts': [
    {
      before: '        await tx.written()\n',
      after: '        await tx.sent()\n',
      breaks: 'rows that wait at the end of a command are lost',
      tests: ['test/database/command-attempts.test.ts'],
    },
    {
      before: '        await tx.sent()\n',
      after: '        await tx.written()\n',
      breaks: 'a conflict is an internal error if rows waited for it',
      tests: ['test/database/command-attempts.test.ts'],
    },
    {
      before: '      sequencer.wake()\n',
      after: '',
      breaks: 'events on PostgreSQL are published a second late',
      tests: ['test/database/sequencer.test.ts'],
    },
    {
      before: 'last <= 9223372036854775807 - $count',
      after: 'last <= 9223372036854775807',
      breaks: 'the last id of a store is followed by an error of the database',
      tests: ['test/database/last-ids.test.ts'],
    },
  ],
  'src/database/postgres/executions.ts': [
    {
      before: 'number < $before',
      after: 'number <= $before',
      breaks:
        'the key of the oldest running command is deleted, so a command whose COMMIT was lost may run twice',
      tests: ['test/database/execution-keys.test.ts'],
    },
    {
      before: 'sqlState(error) === UNIQUE_VIOLATION && isFromExecutionTable(error)',
      after: 'sqlState(error) === UNIQUE_VIOLATION',
      breaks: 'a command whose repeat violates another unique constraint is reported as committed',
      tests: ['test/database/execution-keys.test.ts'],
    },
    {
      before: 'this.#running.delete(number)',
      after: '',
      breaks: 'no key is deleted before the process ends',
      tests: ['test/database/execution-keys.test.ts'],
    },
    {
      before: 'storedInstant(this.#clock() - RETENTION_MS)',
      after: 'storedInstant(this.#clock())',
      breaks: 'a process deletes the keys of the running commands of the others, which may then run twice',
      tests: ['test/database/execution-keys.test.ts'],
    },
    {
      before: '++this.#endedCount % SWEEP_EVERY_COMMANDS === 0',
      after: '++this.#endedCount % SWEEP_EVERY_COMMANDS === 1',
      breaks: 'the first command of a process deletes keys too, and then each 500th',
      tests: [],
      equivalent: 'a sweep may run after any command; only the interval matters',
    },
    {
      before: 'WHERE process = $process AND number',
      after: 'WHERE process <> $process AND number',
      breaks: 'a process deletes the execution keys of other processes, whose commands may then run twice',
      tests: ['test/database/execution-keys.test.ts'],
    },
  ],
  'src/database/postgres/failure.ts': [
    {
      before: `'40P01': 'conflict'`,
      after: `'40P02': 'conflict'`,
      breaks: 'an order that lost a deadlock gets 500',
      tests: [`${ATTEMPTS}: runs again and succeeds`],
    },
    {
      before: `'57': 'lost'`,
      after: `'57': 'broken'`,
      breaks: 'a request during the restart of the database is refused at once',
      tests: [`${ATTEMPTS}: runs again and succeeds`],
    },
    {
      before: `'25006': 'standby'`,
      after: `'25006': 'denied'`,
      breaks: 'after a failover the store does not look for the new primary',
      tests: [ATTEMPTS],
    },
    {
      before: `'55P03': 'locked'`,
      after: `'55P03': 'slow'`,
      breaks: 'an order for a row that is locked for a moment is refused',
      tests: [`${ATTEMPTS}: runs again and succeeds`],
    },
    {
      before: `  '23505': 'duplicate',
`,
      after: ``,
      breaks: 'a key that is sent twice at once gets an internal error',
      tests: ['test/shop/idempotency.test.ts: idempotency keys, sent 2 to 8 times at once'],
    },
  ],
  'src/database/postgres/group-commit.ts': [
    {
      before: `    group.sort((a, b) => (a.row < b.row ? -1 : 1))
`,
      after: ``,
      breaks: 'two processes that order the same pets wait for each other until a time limit',
      tests: ['test/database/shared-transactions.test.ts: two processes that order'],
    },
    {
      before: `if (own.hasWritten || !(error instanceof Stale)) failures.push(error)`,
      after: `if (!own.hasWritten) failures.push(error)`,
      breaks: 'a group commits what a refused order has written',
      tests: ['test/database/shared-transactions.test.ts: after an order that is refused after'],
    },
    {
      before: `if (!own.hasWritten && error instanceof StoreError) return { refusal: error }`,
      after: `if (error instanceof StoreError) return { refusal: error }`,
      breaks: 'an order that is refused late leaves its rows',
      tests: ['test/database/shared-transactions.test.ts: after an order that is refused after'],
    },
    {
      before: `return refusal instanceof NotTogether ? [] : group.map(() => ({ refusal }))`,
      after: `return group.map(() => ({ refusal }))`,
      breaks: 'one order that cannot commit with others refuses all of them',
      tests: ['test/database/shared-transactions.test.ts: after an order that is refused after'],
    },
    {
      before: `    if (this.#isRunning || this.#waiting.length === 0) return
`,
      after: `    if (this.#waiting.length === 0) return
`,
      breaks: 'each order on PostgreSQL has a transaction of its own',
      tests: ['test/database/shared-transactions.test.ts: orders that arrive during a commit'],
    },
    {
      before: `          if (failureOf(error) === 'locked') this.#noteLocked(row)
`,
      after: ``,
      breaks: 'each order for a locked pet holds up a group of other orders',
      tests: ['test/database/shared-transactions.test.ts: orders for other pets soon'],
    },
    {
      before: `Promise.race([this.#run(group), Bun.sleep(SLOW_MS)])`,
      after: `this.#run(group)`,
      breaks: 'a connection that hangs stops all orders of a process',
      tests: ['test/database/shared-transactions.test.ts: orders go on while the connection'],
    },
    {
      before: `&& (key !== undefined) === isKeyed`,
      after: `&& (key !== undefined || isKeyed !== undefined)`,
      breaks: 'orders with and without a key lock their pets in different orders',
      tests: ['test/database/shared-transactions.test.ts: orders that arrive during a commit'],
    },
  ],
  'src/database/postgres/id-blocks.ts': [
    {
      before: 'block.next < block.end',
      after: 'block.next <= block.end',
      breaks: 'two processes give the same id',
      tests: ['src/database/postgres/id-blocks.test.ts'],
    },
    {
      before: 'next: last - ID_BLOCK + 1n',
      after: 'next: last - ID_BLOCK',
      breaks: 'an id is given twice',
      tests: ['src/database/postgres/id-blocks.test.ts'],
    },
    {
      before: `.finally(() => this.#reserving.delete(noun))`,
      after: '',
      breaks: 'after a thousand ids the process gives no more',
      tests: ['src/database/postgres/id-blocks.test.ts'],
    },
  ],
  'src/database/postgres/migrations.ts': [
    {
      before: '    await transaction.unsafe(lockVersions)\n    await runMigrations(transaction, onProgress)',
      after: '    await runMigrations(transaction, onProgress)',
      breaks: 'of two processes that start at once, one fails',
      tests: [MIGRATIONS, 'test/database/many-processes.test.ts: processes that start at once'],
    },
    {
      before: `const isNew = names.every(name => name === 'migration')`,
      after: `const isNew = true`,
      breaks: 'the tables of a store are created in the database of another program',
      tests: ['test/cli/foreign-folder.test.ts'],
      guarantee: 57,
    },
  ],
  'src/database/postgres/outage.ts': [
    {
      before: 'if (sinceMs === undefined) this.#onChange(failure)',
      after: 'this.#onChange(failure)',
      breaks: 'an outage is reported each second',
      tests: ['src/database/postgres/outage.test.ts'],
    },
    {
      before: 'if (this.#isProbing || this.#isClosed) return',
      after: 'if (this.#isClosed) return',
      breaks: 'each failed request starts a probe of its own',
      tests: ['src/database/postgres/outage.test.ts'],
    },
  ],
  'src/database/postgres/primary.ts': [
    {
      before: `'transaction_read_only')) === 'off'`,
      after: `'transaction_read_only')) !== 'never'`,
      breaks: 'a standby is taken for the primary',
      tests: ['test/database/database-address.test.ts: a database that is read-only by default'],
    },
    {
      before: `'synchronous_commit')) === 'off'`,
      after: `'synchronous_commit')) === 'never'`,
      breaks: 'a store starts on a database that loses acknowledged orders',
      tests: ['test/database/database-address.test.ts: a database whose commits are not durable'],
    },
    {
      before: 'idle_in_transaction_session_timeout: FROZEN_MS_MAX',
      after: 'idle_session_timeout: 0',
      breaks: 'a frozen process keeps its row locks for ever',
      tests: [`${ATTEMPTS}: the server ends the session of a process`],
    },
    {
      before: `result => result.status === 'fulfilled' && result.value`,
      after: `result => result.status === 'fulfilled'`,
      breaks: 'the store writes to a standby that is named before the primary',
      tests: ['test/database/database-address.test.ts: of several hosts that respond'],
    },
    {
      before: `const GROUP_LOCK_MS_MAX = 100`,
      after: `const GROUP_LOCK_MS_MAX = 3000`,
      breaks: 'orders for one locked pet hold up all other orders',
      tests: ['test/database/shared-transactions.test.ts: orders for other pets soon'],
    },
  ],
  'src/database/postgres/runner.ts': [
    {
      before: 'execution.unconfirmed = { result }\n    await connection.unsafe(',
      after: 'await connection.unsafe(',
      breaks: 'a command whose COMMIT had no response is refused although it took effect',
      tests: [`${UNRELIABLE}: an order takes effect once and gets 201`],
      guarantee: 37,
    },
    {
      before: 'execution.unconfirmed = undefined\n    const result',
      after: 'const result',
      breaks: 'a command that is refused at its repeat is reported as perhaps in effect',
      tests: [`${ATTEMPTS}: a command whose repeats never reach`],
    },
    {
      before: '    if (unconfirmed && execution.hasCommitted(error)) {',
      after: '    if (execution.hasCommitted(error)) {',
      breaks: 'nothing: the insertion can fail so only after an unconfirmed run',
      tests: [],
      equivalent: 'the key of a command is in the table only if an earlier run of it has committed',
    },
    {
      before: '      await connection.unsafe(execution.confirmation)\n',
      after: '',
      breaks: 'an order that only the lost primary had is acknowledged after a failover',
      tests: [`${ATTEMPTS}: a commit without a response is confirmed`],
    },
    {
      before: `const pool = isGroup ? groups : failure === 'locked' ? lockedCommands : commands`,
      after: 'const pool = isGroup ? groups : commands.use === undefined ? lockedCommands : commands',
      breaks: 'commands that wait for one locked row take the connections of all others',
      tests: [`${UNRELIABLE}: a row that another client has locked delays only the writes`],
      guarantee: 40,
    },
    {
      before: 'if (performance.now() + delayMs >= dueMs) {',
      after: 'if (performance.now() >= dueMs) {',
      breaks: 'nothing that a client can measure',
      tests: [],
      equivalent: 'the next attempt begins at most 400 ms late, and its use of the pool then fails at once',
    },
    {
      before: 'throw execution.unconfirmed ? outcomeUnknown() : error',
      after: 'throw error',
      breaks: 'a client is not warned that its command may have taken effect',
      tests: [`${UNRELIABLE}: a command whose outcome is unknown at the deadline`],
    },
    {
      before: `if (failure === 'full' && !isRead) throw storageFull()`,
      after: `if (failure === 'full' && isRead) throw storageFull()`,
      breaks: 'a full disk of the database is reported as an overload',
      tests: [ATTEMPTS, 'test/database/database-errors.test.ts'],
    },
    {
      before: `if (hasBegun && failureOf(error) !== 'lost') execution`,
      after: `if (hasBegun) execution`,
      breaks: 'a command whose COMMIT was lost gets an error that says it had no effect',
      tests: [`${UNRELIABLE}: a command whose outcome is unknown at the deadline`],
    },
  ],
  'src/database/postgres/sequencer.ts': [
    {
      before: 'if (head !== seenHead) onMoved()',
      after: `if (next === 'step') onMoved()`,
      breaks: 'long polls and streams of other processes sleep until their timeout',
      tests: ['test/database/sequencer.test.ts'],
    },
    {
      before: "while (next === 'step')",
      after: 'while (next !== next)',
      breaks: 'after a large commit a hundred batches are published per second',
      tests: ['test/database/sequencer.test.ts'],
    },
    {
      before: 'isExhausted: () => seenHead > LAST_POSITION',
      after: 'isExhausted: () => seenHead < 0n',
      breaks: 'events are accepted that can get no position',
      tests: ['test/database/last-ids.test.ts'],
    },
    {
      before: "`UPDATE chain_end SET position = position WHERE name = 'head' RETURNING position, hash`",
      after: "`SELECT position, hash FROM chain_end WHERE name = 'head'`",
      breaks: 'two processes give the same positions to different events',
      tests: ['test/database/sequencer.test.ts'],
    },
    {
      before: "if (isMovedByOther) return { head: position, next: 'look' as const }",
      after: "if (isMovedByOther) return { head: position, next: 'wait' as const }",
      breaks: 'events that wait while another process moves the head are published a second late',
      tests: ['test/database/sequencer.test.ts'],
    },
    {
      before: "if (isMovedByOther) return { head: position, next: 'look' as const }",
      after: '',
      breaks: 'all processes number events at once, and wait for each other',
      tests: ['test/database/sequencer.test.ts'],
    },
    {
      before: `if (!isClosing && !isFailing && failureOf(error) !== 'locked') onError(error)`,
      after: `if (!isClosing && failureOf(error) !== 'locked') onError(error)`,
      breaks: 'a database that is down writes a line to the log each second',
      tests: ['test/database/sequencer.test.ts'],
    },
  ],
  'src/database/postgres/transaction.ts': [
    {
      before: `if (this.#sequencer.isExhausted()) throw`,
      after: 'if (this.#sequencer === undefined) throw',
      breaks: 'a change after the last position of a store on PostgreSQL is accepted',
      tests: ['test/database/last-ids.test.ts'],
    },
    {
      before: `if (this.#events.length > 0) this.#writeEvents()`,
      after: `if (this.#events.length > 1) this.#writeEvents()`,
      breaks: 'an event that is the only one of its command is lost',
      tests: ['test/database/sequencer.test.ts: a commit is published at once'],
    },
  ],
  'src/database/postgres/writer.ts': [
    {
      before: `    this.#flush()
    return super.one(statement, ...parameters)`,
      after: `    return super.one(statement, ...parameters)`,
      breaks: 'a command does not read what it has written before',
      tests: ['src/database/postgres/writer.test.ts'],
    },
  ],
  'src/database/row-changes.ts': [
    {
      before: '(known && known.size >= ROWS_MAX)',
      after: '(known && known.size > 10_000_000)',
      breaks: 'an import of a million pets reports a million rows',
      tests: ['src/database/row-changes.test.ts'],
    },
    {
      before: 'this.#add(table, idOf(row) ?? written)',
      after: 'this.#add(table, written ?? idOf(row))',
      breaks: 'nothing: the only written row has the id of the parameter',
      tests: [],
      equivalent: 'a statement with the id of its only row as a parameter returns a row with this id',
    },
    {
      before: `for (const watched of this.#watched) this.#changes.set(watched, 'any')`,
      after: '',
      breaks: 'the cache keeps rows that a statement of an unknown form has changed',
      tests: ['src/database/row-changes.test.ts'],
    },
    {
      before: 'this.#changes = new Map()\n    return changes',
      after: 'return changes',
      breaks: 'every batch drops again what all batches before it wrote',
      tests: ['src/database/row-changes.test.ts'],
    },
  ],
  'src/database/sqlite/connection.ts': [
    {
      before: `this.database.run('PRAGMA synchronous = FULL')`,
      after: `this.database.run('PRAGMA synchronous = NORMAL')`,
      breaks: 'a power failure loses acknowledged orders',
      tests: [LOCKED],
    },
    {
      before: `if (errorCode(error).startsWith('SQLITE_BUSY')) {`,
      after: `if (errorCode(error) === 'SQLITE_BUSY_SNAPSHOT') {`,
      breaks: 'a write while another process holds the lock gets 500',
      tests: [`${LOCKED}: only the batch fails if the database is locked`, LOCKED],
      guarantee: 28,
      isQuick: true,
    },
    {
      before: 'SQLITE_(IOERR|CORRUPT',
      after: 'SQLITE_(CORRUPT',
      breaks: 'after an I/O error the store acknowledges what may be lost',
      tests: [LOCKED],
    },
  ],
  'src/database/sqlite/data-lock.ts': [
    {
      before: `database.run('BEGIN EXCLUSIVE')`,
      after: `database.run('BEGIN')`,
      breaks: 'two processes serve one data directory',
      tests: ['test/serving/data-directory.test.ts: a locked data directory cannot be locked again'],
    },
    {
      before: `if (hasCode(error, 'SQLITE_BUSY')) return true`,
      after: `if (hasCode(error, 'SQLITE_BUSY')) return false`,
      breaks: 'a command opens the files of a running store as if it were stopped',
      tests: ['test/serving/data-directory.test.ts: a locked data directory cannot be locked again'],
    },
    {
      before: `return true
    throw error`,
      after: `return true
    return false`,
      breaks: 'the lock of a store cannot be read, and a command says that no store runs',
      tests: ['test/cli/chosen-store.test.ts: a lock that cannot be read does not mean that no store runs'],
    },
  ],
  'src/database/sqlite/database-file.ts': [
    {
      before: 'if (known.length === 0 || known.includes(numberIn(file))) return true',
      after: 'if (known.length > 0) return true',
      breaks: 'an older copy in the place of the database is accepted, and gives ids again',
      tests: [`${FILES}: an older copy or a backup in the place`],
      guarantee: 56,
    },
    {
      before: 'if (bytesOf(log) === 0 || !existsSync(file) || isKnown(file)) return',
      after: 'if (bytesOf(log) >= 0 || !existsSync(file) || isKnown(file)) return',
      breaks: 'a command that only reads merges the log of another database',
      tests: [FILES],
    },
    {
      before: '    writeNumbers(this.#file, [...before, number])\n',
      after: '',
      breaks: 'a store that is killed while its log is moved does not start again',
      tests: ['test/database/write-ahead-log-number.test.ts'],
    },
    {
      before: 'if (moved?.busy !== 0n) return false',
      after: '',
      breaks: 'the number of a log that is still in use is forgotten, so the store does not start again',
      tests: ['test/database/write-ahead-log-number.test.ts'],
    },
    {
      before: 'if (!this.#isNew) this.#addNumber()',
      after: 'this.#addNumber()',
      breaks: 'while another process reads, the file of numbers overflows',
      tests: ['test/database/write-ahead-log-number.test.ts'],
    },
  ],
  'src/database/sqlite/engine.ts': [
    {
      before:
        'writer.commit(batch, position => {\n          changes = recorder.take()\n' +
        '          if (announcer && changes.size > 0) announce(announcer, { changes, position })\n' +
        '          askForNext()\n        })',
      after:
        'writer.commit(batch, askForNext)\n        changes = recorder.take()\n' +
        '        if (announcer && changes.size > 0) announce(announcer, { changes, position: undefined })',
      breaks: 'a read from the cache is older than an event that was sent right after a commit',
      tests: ['test/database/row-reports.test.ts'],
      guarantee: 33,
    },
    {
      before: '...(canUndo && isLogEmpty && {',
      after: '...(canUndo && {',
      breaks: 'a failed import deletes commits that were made before it',
      tests: ['test/database/undo.test.ts'],
      guarantee: 59,
    },
    {
      before: '  await writer.close()\n  rowReader.close()\n  for',
      after: '  rowReader.close()\n  await writer.close()\n  for',
      breaks: 'a failed import merges the log before it deletes it, so its rows stay',
      tests: ['test/database/undo.test.ts: and from which nothing was read'],
    },
    {
      before: '      mergeWriteAheadLog(file)\n    },',
      after: '    },',
      breaks: 'a stop does not say that another process still needs the write-ahead log',
      tests: ['test/serving/clean-stop.test.ts: write-ahead log is needed'],
    },
    {
      before: 'if (!canUndo && Number(',
      after: 'if (canUndo && Number(',
      breaks: 'the write-ahead log grows without a bound',
      tests: ['test/database/undo.test.ts: the write-ahead log of a store that serves'],
    },
    {
      before: '  refuseUnreadable(file)\n',
      after: '',
      breaks: 'a start on a damaged database deletes the write-ahead log with the last orders',
      tests: [`${FILES}: a damaged database keeps its write-ahead log`],
    },
  ],
  'src/database/sqlite/group-commit.ts': [
    {
      before:
        'this.#savedHead = knownHead(this.#connection.one(readHead))\n    this.#head = this.#savedHead\n    this.#totals.clear()',
      after: 'this.#totals.clear()',
      breaks:
        'after a batch that failed, the next event continues the chain after events that were never stored',
      tests: [GROUP_COMMIT],
    },
    {
      before: 'this.#issuedIds = new Map()\n    this.#savedHead = knownHead(',
      after: 'this.#savedHead = knownHead(',
      breaks: 'after a batch that failed, its ids are skipped',
      tests: [LOCKED, GROUP_COMMIT],
    },
    {
      before: '    this.#totals.clear()\n',
      after: '',
      breaks: 'the totals count the commands of a batch that failed',
      tests: [GROUP_COMMIT],
    },
    {
      before: `if ('reply' in outcome) for (const`,
      after: 'for (const',
      breaks: 'the totals count a command that was refused',
      tests: [GROUP_COMMIT],
    },
    {
      before: '      this.#commandTotals = []\n',
      after: '',
      breaks: 'the totals count each command of a batch again with every later one',
      tests: [GROUP_COMMIT],
    },
    {
      before: 'if (!connection.inTransaction) return this.#failAll(commands)',
      after: '',
      breaks: 'after a full disk, commands are acknowledged that were rolled back',
      tests: ['test/database/disk-full.test.ts: a batch that fills the disk acknowledges exactly'],
      guarantee: 3,
      isQuick: true,
    },
    {
      before: 'if (this.#hasWritten && this.#connection.inTransaction) throw new PartialWrite()',
      after: '',
      breaks: 'a command that is refused half-way keeps what it wrote before',
      tests: [GROUP_COMMIT],
    },
    {
      before:
        '      this.#issuedIds = before\n      this.#head = head\n      if (connection.inTransaction) {',
      after: '      this.#head = head\n      if (connection.inTransaction) {',
      breaks: 'a command that is refused in a batch with savepoints uses an id',
      tests: [GROUP_COMMIT],
    },
    {
      before:
        '      this.#issuedIds = before\n      this.#head = head\n      if (connection.inTransaction) {',
      after: '      this.#issuedIds = before\n      if (connection.inTransaction) {',
      breaks: 'a command that is refused in a batch with savepoints leaves its event in the chain',
      tests: [GROUP_COMMIT],
    },
    {
      before: '        connection.run(rollbackToSavepoint)\n',
      after: '',
      breaks: 'a batch with savepoints keeps what a refused command wrote',
      tests: [GROUP_COMMIT],
    },
    {
      before: 'if (statement.writes && row !== undefined) this.#noteWrite(statement, parameters, [row])',
      after: 'if (statement.writes && row !== undefined) this.#hasWritten = true',
      breaks: 'the cache keeps a row that a statement with RETURNING has changed',
      tests: [CACHE],
    },
    {
      before: 'if (this.#head.position >= INT64_MAX - 1n)',
      after: 'if (this.#head.position > INT64_MAX - 1n)',
      breaks: 'the last event of a store gets a position after which no list can continue',
      tests: ['test/database/last-ids.test.ts'],
    },
    {
      before: 'if (wasLocked) this.#connection.run(waitForNoLock)',
      after: '',
      breaks: 'while another process holds the lock, each batch waits for two seconds after the other',
      tests: [LOCKED],
    },
    {
      before: 'if (wasLocked) this.#connection.run(waitForLock)',
      after: '',
      breaks: 'after a lock was held once, a write no longer waits for a lock that is held briefly',
      tests: [LOCKED],
    },
    {
      before: '    this.#isLocked = false\n    if',
      after: '    if',
      breaks: 'after a lock was held once, a write no longer waits for a lock that is held briefly, ever',
      tests: [LOCKED],
    },
    {
      before:
        '      if (isFatal(error)) throw error\n      if (connection.inTransaction) connection.run(rollback)',
      after: '      if (connection.inTransaction) connection.run(rollback)',
      breaks: 'after an I/O error at a commit, the store continues although the outcome is unknown',
      tests: [GROUP_COMMIT],
    },
  ],
  'src/database/sqlite/light-engine.ts': [
    {
      before:
        'while (this.#writing) await this.#writing\n    this.#refuseIfUnusable()\n    if (this.#readers === 0)',
      after: 'this.#refuseIfUnusable()\n    if (this.#readers === 0)',
      breaks: 'a read of a sandbox sees rows that are not committed',
      tests: [LIGHT],
    },
    {
      before: `this.#connection.database.run('PRAGMA wal_checkpoint(TRUNCATE)')`,
      after: '',
      breaks: 'a snapshot of a sandbox lacks its last orders',
      tests: [LIGHT],
    },
    {
      before: 'error.details.isOutOfSpace && this.#isAtLimit()',
      after: 'error.details.isOutOfSpace',
      breaks: 'a full disk of the host is reported as a sandbox at its limit',
      tests: [LIGHT],
    },
    {
      before: 'this.#readers--\n      if (this.#readers === 0) {',
      after:
        'this.#options.onRead?.(performance.now() - this.#readingSinceMs)\n' +
        'this.#readers--\nif (this.#readers === 0) {',
      breaks: 'a sandbox with many webhooks pauses for many times as long as its reads took',
      tests: [LIGHT],
    },
    {
      before: 'this.#onReadersGone?.()',
      after: '',
      breaks: 'a command that comes during a read waits for ever',
      tests: [LIGHT],
    },
    {
      before: 'for (const listener of this.#watchers) listener(batch.length)',
      after: '',
      breaks: 'streams of a sandbox get no events',
      tests: [LIGHT],
    },
    {
      before: `if (found?.quick_check !== 'ok') throw`,
      after: `if (found === undefined) throw`,
      breaks: 'a damaged sandbox is served after a boot',
      tests: ['test/sandboxes/sandbox-crash.test.ts'],
      guarantee: 45,
    },
    {
      before: `    await migrateSqlite(connection)
    // The limit`,
      after: `    connection.database.run(\`PRAGMA max_page_count = \${Math.ceil(options.bytesMax / PAGE_BYTES)}\`)
    await migrateSqlite(connection)
    // The limit`,
      breaks: 'a full sandbox cannot be opened after an upgrade',
      tests: ['test/database/light-engine.test.ts: a store that is full is opened'],
    },
  ],
  'src/database/sqlite/row-reports.ts': [
    {
      before: 'if (shown !== undefined && position !== undefined && position > shown) return',
      after: '',
      breaks: 'a pet that is read during the sync of its sale is shown without the sale afterwards',
      tests: ['test/database/row-reports.test.ts', `${CACHE}: reads come from the cache until`],
    },
    {
      before: 'if (shown !== undefined && position !== undefined && position > shown) return',
      after: 'if (shown !== undefined) return',
      breaks: 'a read from the cache is older than a read of the database that was answered before it',
      tests: [`${CACHE}: a read from the cache is not older`],
    },
    {
      before: 'const isShown = shown !== undefined && position !== undefined',
      after: 'const isShown = true',
      breaks: 'a row that is written without an event is kept as it was before its commit',
      tests: ['test/database/row-reports.test.ts'],
    },
  ],
  'src/database/sqlite/shared-read-transaction.ts': [
    {
      before: 'if (!this.#isOpen) this.#position = undefined',
      after: '',
      breaks: 'the cache does not notice that the database shows a commit',
      tests: [`${CACHE}: a read from the cache is not older`],
    },
    {
      before: 'setImmediate(() => this.refresh())',
      after: '',
      breaks: 'reads show old rows for ever if no command comes',
      tests: [LOCKED],
    },
    {
      before: 'if (isFatal(error)) this.#reportFatal(error)\n      else this.#rollBack()',
      after: 'if (isFatal(error)) this.#reportFatal(error)',
      breaks: 'a read transaction whose COMMIT failed shows old rows for ever',
      tests: [LOCKED],
    },
  ],
  'src/database/sqlite/worker-queue.ts': [
    {
      before: 'if (changes) this.#options.onChanges?.(changes, batch.length)\n    for (',
      after: 'for (',
      breaks: 'a client that got a reply reads the state before its own command',
      tests: [CACHE],
    },
    {
      before: 'if (this.#isClosing) return Promise.reject(shuttingDown())',
      after: '',
      breaks: 'a command that comes during a stop waits for ever',
      tests: ['test/database/worker-queue.test.ts'],
    },
    {
      before: 'if (this.#waiting.length >= WAITING_MAX)',
      after: 'if (this.#waiting.length < 0)',
      breaks: 'the queue of commands has no bound',
      tests: ['test/database/worker-queue.test.ts'],
    },
    {
      before: '[...this.#inFlight.flat(), ...this.#waiting.splice(0)]',
      after: 'this.#waiting.splice(0)',
      breaks: 'commands that were sent to a writer that ended wait for ever',
      tests: ['test/database/worker-queue.test.ts'],
    },
    {
      before: 'this.#inFlight.length === 0 || (this.#inFlight.length === 1 && this.#isNextAsked)',
      after: 'this.#inFlight.length <= 1',
      breaks: 'batches are small: the next one is sent before the writer asks for it',
      tests: ['test/database/worker-queue.test.ts'],
    },
    {
      before: 'if (this.#isClosing && this.#inFlight.length === 0) this.#post',
      after: 'if (this.#isClosing) this.#post',
      breaks: 'a stop closes the database before the batches that are left are committed',
      tests: ['test/database/worker-queue.test.ts'],
    },
  ],
  'src/database/statement.ts': [
    {
      before: String.raw`others.length > 0 || /\bOR\b/.test(condition)`,
      after: 'others.length > 0',
      breaks: 'the cache keeps rows that an UPDATE with OR has changed',
      tests: ['src/database/row-changes.test.ts'],
    },
    {
      before: `if (value === undefined) throw new Error`,
      after: `if (value === null) throw new Error`,
      breaks: 'a parameter that was forgotten is stored as NULL',
      tests: [STATEMENT],
    },
    {
      before: 'return value === 1n',
      after: 'return value !== null',
      breaks: 'every order is complete',
      tests: ['test/shop/orders.test.ts'],
    },
  ],
  'src/database/time-slices.ts': [
    {
      before: 'if (this.#waiting.length > 0) setImmediate(() => this.#begin())',
      after: '',
      breaks: 'of two long tasks only one goes on',
      tests: ['src/database/time-slices.test.ts'],
    },
    {
      before: 'this.#startedMs = performance.now()\n  }',
      after: '}',
      breaks: 'after its first slice a long task pauses at every statement',
      tests: ['src/database/time-slices.test.ts'],
    },
  ],
}
