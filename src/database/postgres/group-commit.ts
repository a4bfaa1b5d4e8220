import type { ReservedSQL } from 'bun'
import { StoreError } from '../../contract/error.ts'
import { Stale, type Tx } from '../engine.ts'
import { ForwardingTx } from '../forwarding-tx.ts'
import type { NewEvent } from '../new-event.ts'
import type { ParametersOf, Statement } from '../statement.ts'
import { failureOf } from './failure.ts'
import type { LockedRows } from './locked-rows.ts'
import { COMMAND_MS_MAX } from './runner.ts'
import type { PostgresTx } from './transaction.ts'

/** The maximum number of commands in one transaction. */
const COMMANDS_MAX = 64
/** While a group takes longer than this, in milliseconds, the next one begins: its connection may hang. */
const SLOW_MS = 250
/** How long a group waits for as many commands as the group before it had, in milliseconds. */
const GATHER_MS = 1

interface GroupCommitOptions<Command, Result> {
  /** Runs `work` in one transaction and commits it. Rejects with the error of `work`, after a rollback. */
  readonly commit: <T>(work: (connection: ReservedSQL) => Promise<T>, dueMs: number) => Promise<T>
  readonly openTx: (connection: ReservedSQL) => PostgresTx
  readonly executeCommand: (tx: Tx, command: Command) => Promise<Result>
  /** Runs a command in a transaction of its own. */
  readonly runAlone: (command: Command, dueMs: number) => Promise<Result>
  readonly lockedRows: LockedRows
  readonly rowsOf: (command: Command) => readonly string[]
}

/** How a command can commit together with others. */
export interface Grouping {
  /** The id of the only row that the command changes and another command may change too. */
  readonly row: bigint
  /** The key of the command; undefined if it has none. Two commands with one key are never in one group. */
  readonly key: string | undefined
}

interface GroupedCommand<Command, Result> extends Grouping {
  readonly command: Command
  readonly dueMs: number
  readonly result: PromiseWithResolvers<Result>
}

/** The result of a command in a group; `alone` if it must run again in a transaction of its own. */
type GroupOutcome<Result> = { readonly reply: Result } | { readonly refusal: unknown } | 'alone'

/** Thrown if commands cannot commit together. Nothing was committed. */
class NotTogether extends Error {}

/**
 * Commits commands of this process together: while one transaction runs, further commands wait, and all of them share
 * the next one. A command that cannot commit with the others, for example because it meets a locked row, runs again in
 * a transaction of its own. So do the others, unless it has written nothing.
 *
 * The commands of a group run at the same time on one connection. So each may change only one row that another command
 * may change too, by a conditional statement. Groups lock these rows in ascending order, so that two processes rarely
 * wait for each other. Commands with a key read first, so they have groups of their own.
 */
export class GroupCommit<Command, Result> {
  readonly #options: GroupCommitOptions<Command, Result>
  #waiting: GroupedCommand<Command, Result>[] = []
  #isRunning = false
  /** The number of commands in the last group. */
  #lastSize = 1
  #gathering: NodeJS.Timeout | undefined

  constructor(options: GroupCommitOptions<Command, Result>) {
    this.#options = options
  }

  /** Runs a command. Resolves to its result once its effect is durable. */
  execute(command: Command, grouping: Grouping): Promise<Result> {
    const dueMs = performance.now() + COMMAND_MS_MAX
    const { lockedRows, rowsOf, runAlone } = this.#options
    // It would hold up its group.
    if (lockedRows.hasAnyOf(rowsOf(command))) return runAlone(command, dueMs)
    const result = Promise.withResolvers<Result>()
    this.#waiting.push({ ...grouping, command, dueMs, result })
    this.#runNext()
    return result.promise
  }

  /** Runs the commands that wait. If the last group had several, the clients of that group are about to send more. */
  #runNext(): void {
    if (this.#isRunning || this.#waiting.length === 0) return
    if (this.#waiting.length < this.#lastSize) {
      this.#gathering ??= setTimeout(() => this.#start(), GATHER_MS)
      return
    }
    this.#start()
  }

  #start(): void {
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    this.#isRunning = true
    // The requests that have arrived by now come in this turn of the event loop.
    setImmediate(() => {
      const group = this.#takeGroup()
      this.#lastSize = group.length
      void Promise.race([this.#run(group), Bun.sleep(SLOW_MS)]).then(() => {
        this.#isRunning = false
        this.#runNext()
      })
    })
  }

  /** Takes the commands of the next group: all with a key, or all without one, as the one that has waited longest. */
  #takeGroup(): GroupedCommand<Command, Result>[] {
    const keys = new Set<string>()
    const isKeyed = this.#waiting[0]?.key !== undefined
    const group: GroupedCommand<Command, Result>[] = []
    this.#waiting = this.#waiting.filter(waiting => {
      const { key } = waiting
      const fits = group.length < COMMANDS_MAX && (key !== undefined) === isKeyed
      if (!fits || (key !== undefined && keys.has(key))) return true
      if (key !== undefined) keys.add(key)
      group.push(waiting)
      return false
    })
    return group
  }

  async #run(group: GroupedCommand<Command, Result>[]): Promise<void> {
    group.sort((a, b) => Number(a.row > b.row) - Number(a.row < b.row))
    const outcomes = await this.#outcomesOf(group)
    for (const [index, { command, dueMs, result }] of group.entries()) {
      const outcome = outcomes[index] ?? 'alone'
      if (outcome === 'alone') this.#options.runAlone(command, dueMs).then(result.resolve, result.reject)
      else if ('reply' in outcome) result.resolve(outcome.reply)
      else result.reject(outcome.refusal)
    }
  }

  async #outcomesOf(
    group: readonly GroupedCommand<Command, Result>[],
  ): Promise<readonly GroupOutcome<Result>[]> {
    const { commit } = this.#options
    const dueMs = Math.min(...group.map(waiting => waiting.dueMs))
    try {
      return await commit(connection => this.#perform(connection, group), dueMs)
    } catch (refusal) {
      return refusal instanceof NotTogether ? [] : group.map(() => ({ refusal }))
    }
  }

  async #perform(
    connection: ReservedSQL,
    group: readonly GroupedCommand<Command, Result>[],
  ): Promise<GroupOutcome<Result>[]> {
    const { openTx, executeCommand, lockedRows, rowsOf } = this.#options
    const tx = openTx(connection)
    const failures: unknown[] = []
    const outcomes = await Promise.all(
      group.map(async ({ command }): Promise<GroupOutcome<Result>> => {
        const own = new WatchedTx(tx)
        try {
          return { reply: await executeCommand(own, command) }
        } catch (error) {
          if (!own.hasWritten && error instanceof StoreError) return { refusal: error }
          if (failureOf(error) === 'locked') lockedRows.note(rowsOf(command))
          if (own.hasWritten || !(error instanceof Stale)) failures.push(error)
          return 'alone'
        }
      }),
    )
    await tx.written().catch(error => failures.push(error))
    // The connection may be lost: then the runner finds out whether the group was committed.
    const lost = failures.find(error => failureOf(error) === 'lost')
    if (lost !== undefined) throw lost
    if (failures.length > 0) throw new NotTogether('a command must run alone', { cause: failures[0] })
    return outcomes
  }
}

/** The part of a shared transaction that one command uses. */
class WatchedTx extends ForwardingTx {
  hasWritten = false

  override async one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<Row | undefined> {
    const row = await super.one(statement, ...parameters)
    if (statement.writes && row !== undefined) this.hasWritten = true
    return row
  }

  override async many<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<Row[]> {
    const rows = await super.many(statement, ...parameters)
    if (statement.writes && rows.length > 0) this.hasWritten = true
    return rows
  }

  override async run<Name extends string>(
    statement: Statement<unknown, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<number> {
    const changes = await super.run(statement, ...parameters)
    if (changes > 0) this.hasWritten = true
    return changes
  }

  override write<Name extends string>(
    statement: Statement<unknown, Name>,
    ...parameters: ParametersOf<Name>
  ): void {
    this.hasWritten = true
    super.write(statement, ...parameters)
  }

  override appendEvent(event: NewEvent, totals: Parameters<Tx['appendEvent']>[1]): bigint | undefined {
    this.hasWritten = true
    return super.appendEvent(event, totals)
  }
}
