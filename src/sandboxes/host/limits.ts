import type { StoreError } from '../../contract/error.ts'
import type { Noun, Tx } from '../../database/engine.ts'
import { ForwardingTx } from '../../database/forwarding-tx.ts'
import { sql } from '../../database/statement.ts'
import type { Command, CommandResult } from '../../shop/registry/commands.ts'
import { boundReached } from '../contract/refusals.ts'

const MIB = 1024 * 1024

export interface SandboxLimits {
  /** The maximum number of sandboxes. */
  readonly sandboxes: number
  /** The maximum number of bytes of all sandboxes on the disk. */
  readonly bytesTotal: number
  /**
   * The maximum number of sandboxes that one address may create in an hour. Requests from this machine are exempt,
   * except those of a page of another origin.
   */
  readonly createdPerHour: number
  /** The maximum number of sandboxes whose database is open. The others are opened when they are needed. */
  readonly open: number
  /** The maximum size of the database of one sandbox, in bytes. */
  readonly bytes: number
  /** The maximum id of a pet, of a category and of an order. Resources of the seed and deleted resources count too. */
  readonly rows: number
  /** The maximum position of an event of one sandbox. The events of its seed count too. */
  readonly events: number
  /** The maximum number of webhooks of one sandbox. */
  readonly webhooks: number
  /** The maximum number of open event streams of one sandbox. */
  readonly streams: number
  /** The maximum number of snapshots of one sandbox. */
  readonly snapshots: number
  /** The maximum number of requests to one sandbox in a minute. The same limit applies to each caller. */
  readonly requestsPerMinute: number
}

export const defaultLimits: SandboxLimits = {
  sandboxes: 1000,
  bytesTotal: 20 * 1024 * MIB,
  createdPerHour: 60,
  open: 200,
  bytes: 64 * MIB,
  rows: 50_000,
  events: 100_000,
  webhooks: 20,
  streams: 20,
  snapshots: 10,
  requestsPerMinute: 6000,
}

const countWebhooks = sql<{ count: bigint }>()('SELECT count(*) AS count FROM webhook')

type ExecuteCommand = (tx: Tx, command: Command) => Promise<CommandResult>

/** Returns a function that runs commands within the bounds of a sandbox. A command beyond a bound is refused. */
export function withinLimits(execute: ExecuteCommand, limits: SandboxLimits): ExecuteCommand {
  return (tx, command) => execute(new BoundedTx(tx, limits), command)
}

export function databaseFull({ bytes }: SandboxLimits): StoreError {
  return boundReached('storage_full', `${Math.floor(bytes / MIB)} MiB`)
}

/** The resources whose ids have a limit, with their names in a message. */
const boundedNouns: Readonly<Partial<Record<Noun, string>>> = {
  pet: 'pets',
  category: 'categories',
  order: 'orders',
}

class BoundedTx extends ForwardingTx {
  readonly #limits: SandboxLimits

  constructor(tx: Tx, limits: SandboxLimits) {
    super(tx)
    this.#limits = limits
  }

  override async nextId(noun: Noun): Promise<bigint> {
    const { rows, webhooks } = this.#limits
    if (noun === 'webhook') {
      const counted = await this.one(countWebhooks)
      if (counted && counted.count >= webhooks)
        throw boundReached('webhook_limit_reached', `${webhooks} webhooks`)
    }
    const id = await super.nextId(noun)
    const name = boundedNouns[noun]
    if (name !== undefined && id > rows) throw boundReached('storage_full', `${rows} ${name}`)
    return id
  }

  override appendEvent(...[event, totals]: Parameters<Tx['appendEvent']>): bigint | undefined {
    const position = super.appendEvent(event, totals)
    if (position !== undefined && position > this.#limits.events)
      throw boundReached('storage_full', `${this.#limits.events} events`)
    return position
  }
}
