import type { HostLimit } from '../../webhooks/host-limit.ts'
import { type Incoming, type Outgoing, post, RequestFailed } from '../../webhooks/request.ts'
import type { FaultEffect } from './rules.ts'

/** The longest time that a delivery waits for the next one, in order to arrive after it. */
const OVERTAKEN_MS_MAX = 3000

type Send = (outgoing: Outgoing) => Promise<Incoming>

interface FailingDeliveriesOptions {
  /** The limit per receiver. A delivery that is sent twice counts twice. */
  readonly hostLimit: HostLimit | undefined
  /** Resolves when the sandbox is closed. Each waiting delivery then fails, and is retried later. */
  readonly closing: Promise<void>
}

/** What fails deliveries: the rules of a sandbox, or its planted faults. */
interface DeliveryFaults {
  readonly forDelivery: (outgoing: Outgoing) => { readonly effect: FaultEffect } | undefined
}

/** Returns a function that sends deliveries and applies the faults of a sandbox to them. */
export function sendWithFaults(
  faults: DeliveryFaults,
  { hostLimit, closing }: FailingDeliveriesOptions,
  send: Send = post,
): Send {
  /** Ends the wait of the delivery that the next one overtakes; undefined if none waits. */
  let releaseOvertaken: (() => void) | undefined
  const wait = async (...ends: Promise<void>[]): Promise<void> => {
    const isClosing = await Promise.race([...ends, closing.then(() => true)])
    if (isClosing) throw new RequestFailed('The sandbox was closed before the delivery was sent.')
  }
  const sendAhead = async (outgoing: Outgoing): Promise<Incoming> => {
    const incoming = await send(outgoing)
    releaseOvertaken?.()
    return incoming
  }
  return async outgoing => {
    const fault = faults.forDelivery(outgoing)
    switch (fault?.effect.type) {
      case 'webhook_twice': {
        const isAllowed = hostLimit === undefined || hostLimit.take(outgoing.destination) === 0
        const second = isAllowed ? send(outgoing).catch(() => undefined) : undefined
        const [first] = await Promise.all([send(outgoing), second])
        return first
      }
      case 'webhook_late':
        await wait(Bun.sleep(Number(fault.effect.delayMs)))
        return send(outgoing)
      case 'webhook_out_of_order': {
        // If every delivery waited, none would overtake another one.
        if (releaseOvertaken) return sendAhead(outgoing)
        const next = Promise.withResolvers<void>()
        releaseOvertaken = next.resolve
        try {
          await wait(next.promise, Bun.sleep(OVERTAKEN_MS_MAX))
        } finally {
          releaseOvertaken = undefined
        }
        return send(outgoing)
      }
      case 'webhook_lost':
        // The store records a success. The receiver can find the lost event only in the feed.
        return { status: 204, reply: '' }
      default:
        return sendAhead(outgoing)
    }
  }
}
