import { type Incoming, type Outgoing, post } from '../webhooks/request.ts'
import type { Faults } from './faults.ts'

/** The longest time that a delivery waits for the next one, in order to arrive after it. */
const OVERTAKEN_MS_MAX = 3000

type Send = (outgoing: Outgoing) => Promise<Incoming>

/** Returns a function that sends deliveries as the fault rules of a sandbox say. */
export function sendWithFaults(faults: Faults, send: Send = post): Send {
  /** Ends the wait of the deliveries that the next one overtakes. */
  let overtake = Promise.withResolvers<void>()
  return async outgoing => {
    const fault = faults.forDelivery()
    switch (fault?.effect.type) {
      case 'webhook_twice': {
        const [first] = await Promise.all([send(outgoing), send(outgoing).catch(() => undefined)])
        return first
      }
      case 'webhook_late':
        await Bun.sleep(Number(fault.effect.delayMs))
        return send(outgoing)
      case 'webhook_out_of_order':
        await Promise.race([overtake.promise, Bun.sleep(OVERTAKEN_MS_MAX)])
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
