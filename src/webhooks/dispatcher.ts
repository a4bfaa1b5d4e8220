import type { CommitSignal } from '../database/commit-signal.ts'
import type { Engine } from '../database/engine.ts'
import type { Reply } from '../shop/kernel/idempotency.ts'
import { findLogBounds } from '../shop/log/bounds.ts'
import { type Command, type CommandResult, systemCommand } from '../shop/registry/commands.ts'
import type { Query } from '../shop/registry/queries.ts'
import {
  type AttemptOutcome,
  hasFreeWebhook,
  type LeasedWebhook,
  leasedWebhooks,
  WEBHOOK_TABLE,
} from '../shop/webhooks/delivery-state.ts'
import { storedInstant } from '../values/instant.ts'
import type { DeliveryContext } from './attempt.ts'
import { WebhookSender, type WebhookSenderOptions } from './sender.ts'
import { Throttle } from './throttle.ts'

/**
 * The duration of a lease. After a process has died, its webhooks wait for the end of their leases. Then they wait for
 * the next check of another process, for at most a third of this time.
 */
const LEASE_MS = 30_000
/** The longest time that a stop waits for attempts in progress. Unfinished attempts are repeated later. */
const STOP_MS = 5000
/** An instant after the end of every lease, so that every lease counts as expired. */
const END_OF_TIME = '9999-12-31T23:59:59.999Z'

export interface DispatcherOptions
  extends DeliveryContext,
    Pick<WebhookSenderOptions, 'slices' | 'retryDelaysMs' | 'giveUpAfterMs'> {
  readonly engine: Pick<Engine<Query, Command, Reply, CommandResult>, 'readShort' | 'execute' | 'watchRows'>
  readonly commitSignal: CommitSignal
  readonly owner: string
  /** Whether no other process uses this store. The leases of a dead process are then taken immediately. */
  readonly isAlone: boolean
  readonly random: () => number
  /** Called with the outcomes of attempts after they were stored. */
  readonly onAttempts: (outcomes: readonly AttemptOutcome[]) => void
  readonly onError: (error: unknown) => void
  readonly leaseMs?: number
}

/** Delivers events to webhooks until it is stopped. */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #senders = new Map<bigint, WebhookSender>()
  readonly #leaseMs: number
  readonly #throttle = new Throttle()
  readonly #running: Promise<void>
  #woken = Promise.withResolvers<void>()
  #isStopped = false
  #leasedUntilMs = 0
  /**
   * Whether the next command `leaseWebhooks` also takes leases that have not expired. True only for the first command
   * of a process that uses the store alone.
   */
  #takesEveryLease: boolean
  /** Whether a sender has ended, so that its webhook may need a new sender. */
  #hasEndedSender = false
  /**
   * Whether a webhook may have become free since the last check. Always true if the engine does not report written
   * rows.
   */
  #mayHaveFree = true
  readonly #stopReports: (() => void) | undefined

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs ?? LEASE_MS
    this.#takesEveryLease = options.isAlone
    this.#stopReports = options.engine.watchRows?.(changes => {
      if (changes.has(WEBHOOK_TABLE)) this.#mayHaveFree = true
    })
    this.#running = this.#run()
  }

  /** Stops new attempts, waits up to 5 seconds for the attempts in progress, and releases the leases. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopReports?.()
    this.#woken.resolve()
    await this.#running
    const senders = [...this.#senders.values()].map(sender => sender.stop())
    if (senders.length === 0) return
    await Promise.race([Promise.all(senders), Bun.sleep(STOP_MS)])
    // Leases that are not released expire. The rest of the store must stop all the same.
    await this.#execute('releaseWebhooks', { owner: this.#options.owner }).catch(this.#options.onError)
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const woken = Promise.withResolvers<void>()
      this.#woken = woken
      this.#options.commitSignal.next().then(woken.resolve)
      const timer = setTimeout(() => {
        // A lease may have expired.
        this.#mayHaveFree = true
        woken.resolve()
      }, this.#leaseMs / 3)
      try {
        await this.#check()
      } catch (error) {
        this.#mayHaveFree = true
        this.#options.onError(error)
      }
      await woken.promise
      clearTimeout(timer)
    }
  }

  async #check(): Promise<void> {
    const { engine, clock } = this.#options
    const nowMs = clock()
    const now = storedInstant(nowMs)
    // A lease that ends later than a new one would is from before the clock was set back.
    const leftMs = this.#leasedUntilMs - nowMs
    const isRenewalDue =
      this.#senders.size > 0 && (leftMs < (this.#leaseMs * 2) / 3 || leftMs > this.#leaseMs)
    const hasFree = await this.#hasFree(now)
    if (this.#takesEveryLease || this.#hasEndedSender || isRenewalDue || hasFree) await this.#lease(nowMs)
    if (this.#senders.size === 0) return
    const { head } = await engine.readShort(findLogBounds)
    this.#throttle.observe(head)
    for (const sender of this.#senders.values()) sender.wake(head)
  }

  async #hasFree(now: string): Promise<boolean> {
    if (!this.#mayHaveFree) return false
    // This comes first, so that a report during the read is not lost.
    this.#mayHaveFree = this.#stopReports === undefined
    return this.#options.engine.readShort(reader => hasFreeWebhook(reader, now))
  }

  /** Takes or renews the leases, starts the missing senders, and stops the senders whose lease is lost. */
  async #lease(nowMs: number): Promise<void> {
    const { owner, engine } = this.#options
    const untilMs = nowMs + this.#leaseMs
    const freeBefore = this.#takesEveryLease ? END_OF_TIME : storedInstant(nowMs)
    await this.#execute('leaseWebhooks', { owner, until: storedInstant(untilMs), freeBefore })
    this.#takesEveryLease = false
    this.#hasEndedSender = false
    this.#leasedUntilMs = untilMs
    const held = await engine.readShort(reader => leasedWebhooks(reader, owner, storedInstant(nowMs)))
    const ids = new Set(held.map(({ id }) => id))
    for (const [id, sender] of this.#senders) if (!ids.has(id)) sender.stop()
    for (const webhook of held) if (!this.#senders.has(webhook.id)) this.#startSender(webhook)
  }

  /**
   * Starts the sender of a webhook. A webhook has one sender at a time: the next one starts after this one has ended.
   */
  #startSender(webhook: LeasedWebhook): void {
    const { engine } = this.#options
    const sender = new WebhookSender(webhook, {
      ...this.#options,
      readShort: engine.readShort,
      throttle: this.#throttle,
      record: async attempts => {
        await this.#execute('recordAttempts', attempts)
        this.#options.onAttempts(attempts.outcomes)
      },
    })
    this.#senders.set(webhook.id, sender)
    sender.ended.then(() => {
      this.#senders.delete(webhook.id)
      this.#hasEndedSender = true
      this.#woken.resolve()
    })
  }

  async #execute(id: 'leaseWebhooks' | 'releaseWebhooks' | 'recordAttempts', input: object): Promise<void> {
    const { engine, clock } = this.#options
    await engine.execute(systemCommand(id, input, storedInstant(clock()), 'dispatcher'))
  }
}
