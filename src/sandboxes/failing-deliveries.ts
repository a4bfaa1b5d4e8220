import type { HostLimit } from '../webhooks/host-limit.ts'
import { type Incoming, type Outgoing, post, RequestFailed } from '../webhooks/request.ts'
import type { Faults } from './faults.ts'

/** The longest time that a delivery waits for the next one, in order to arrive after it. */
const OVERTAKEN_MS_MAX = 3000

type Send = (outgoing: Outgoing) => Promise<Incoming>

export interface FailingDeliveriesOptions {
  /** The limit per receiver, which a delivery that is sent twice counts towards twice. */
  readonly hostLimit: HostLimit | undefined
  /** Resolves when the sandbox is closed: a delivery that waits then fails, and is retried later. */
  readonly closing: Promise<void>
}

/** Returns a function that sends deliveries as the fault rules of a sandbox say. */
export function sendWithFaults(
  faults: Faults,
  { hostLimit, closing }: FailingDeliveriesOptions,
  send: Send = post,
): Send {
  /** Ends the wait of the deliveries that the next one overtakes. */
  let overtake = Promise.withResolvers<void>()
  const wait = async (...ends: Promise<void>[]): Promise<void> => {
    const isClosing = await Promise.race([...ends, closing.then(() => true)])
    if (isClosing) throw new RequestFailed('The sandbox was closed before the delivery was sent.')
  }
  return async outgoing => {
    const fault = faults.forDelivery()
    switch (fault?.effect.type) {
      case 'webhook_twice': {
        const isAllowed = hostLimit === undefined || hostLimit.take(outgoing.target) === 0
        const second = isAllowed ? send(outgoing).catch(() => undefined) : undefined
        const [first] = await Promise.all([send(outgoing), second])
        return first
      }
      case 'webhook_late':
        await wait(Bun.sleep(Number(fault.effect.delayMs)))
        return send(outgoing)
      case 'webhook_out_of_order':
        await wait(overtake.promise, Bun.sleep(OVERTAKEN_MS_MAX))
        return send(outgoing)
      case 'webhook_lost':
        // The store believes that the receiver has it. Only the feed shows the receiver what it missed.
        return { status: 204, reply: '' }
      default: {
        const incoming = await send(outgoing)
        overtake.resolve()
        overtake = Promise.withResolvers()
        return incoming
      }
    }
  }
}
