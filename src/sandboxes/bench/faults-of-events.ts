import { type FaultOfClass, onSuccess, type StreamChange } from './planted-fault.ts'

/** Returns a change of the second event of each stream, and of the third, if it waits for that. */
function onSecond(change: (second: string) => readonly string[], isSwapped = false): () => StreamChange {
  return () => {
    let count = 0
    let held: string | undefined
    return event => {
      count++
      if (count === 2 && isSwapped) {
        held = event
        return []
      }
      if (count === 2) return change(event)
      const events = held === undefined ? [event] : [event, held]
      held = undefined
      return events
    }
  }
}

export const streamFaults: readonly FaultOfClass[] = [
  {
    id: 'stream-event-twice',
    summary: 'The second event of a stream comes twice.',
    sign: 'Two events of a stream have one id.',
    clause: 'Guide to events: a stream sends each event once',
    operations: ['streamEvents'],
    stream: onSecond(event => [event, event]),
  },
  {
    id: 'stream-event-missing',
    summary: 'The second event of a stream is missing.',
    sign: 'The stream lacks an event that the feed has.',
    clause: 'Guide to events: a stream sends every event',
    operations: ['streamEvents'],
    stream: onSecond(() => []),
  },
  {
    id: 'stream-out-of-order',
    summary: 'The second event of a stream comes after the third.',
    sign: 'The ids of a stream do not rise.',
    clause: 'Guide to events: a stream sends events in their order',
    operations: ['streamEvents'],
    stream: onSecond(event => [event], true),
  },
  {
    id: 'feed-event-missing',
    summary: 'Each page of the feed lacks its second event.',
    sign: 'The feed lacks an event that the stream or a webhook has.',
    clause: 'Guide to events: the feed has every event',
    operations: ['listEvents'],
    change: onSuccess(body => (Array.isArray(body) && body.length > 1 ? body.toSpliced(1, 1) : undefined)),
  },
  {
    id: 'feed-event-twice',
    summary: 'Each page of the feed has its second event twice.',
    sign: 'Two events of the feed have one id.',
    clause: 'Guide to events: the feed has each event once',
    operations: ['listEvents'],
    change: onSuccess(body =>
      Array.isArray(body) && body.length > 1 ? body.toSpliced(1, 0, ...body.slice(1, 2)) : undefined,
    ),
  },
]

/** Deliveries have no operation of their own: they follow from createWebhook. */
const operations = ['createWebhook'] as const
const HOUR_SECONDS = 3600

export const webhookFaults: readonly FaultOfClass[] = [
  {
    id: 'webhook-delivered-twice',
    summary: 'Each delivery comes twice.',
    sign: 'The receiver acts once on two deliveries with one webhook-id.',
    clause: 'Standard Webhooks: a receiver must cope with a repeat; the store repeats only after a failure',
    operations,
    delivery: 'webhook_twice',
  },
  {
    id: 'webhook-not-delivered',
    summary: 'Events are not delivered, and count as delivered.',
    sign: 'The receiver lacks an event that the feed has.',
    clause: 'Guide to events: every event is delivered',
    operations,
    delivery: 'webhook_lost',
  },
  {
    id: 'webhook-overtaken',
    summary: 'A delivery comes after the next one.',
    sign: 'The ids of the deliveries do not rise.',
    clause: 'Guide to events: the receiver puts events in order by their id',
    operations,
    delivery: 'webhook_out_of_order',
  },
  {
    id: 'webhook-signature-wrong',
    summary: 'The signature of a delivery is not that of its body.',
    sign: 'The receiver refuses the delivery.',
    clause: 'Standard Webhooks, Verifying webhook authenticity',
    operations,
    sent: headers => ({ ...headers, 'webhook-signature': `v1,${btoa('x'.repeat(32))}` }),
  },
  {
    id: 'webhook-unsigned',
    summary: 'A delivery has no signature.',
    sign: 'The receiver refuses the delivery.',
    clause: 'Standard Webhooks, Webhook headers',
    operations,
    sent: ({ 'webhook-signature': _, ...headers }) => headers,
  },
  {
    id: 'webhook-timestamp-old',
    summary: 'A delivery says that it was sent an hour ago. Its signature no longer matches, either.',
    sign: 'The receiver refuses the delivery as a replay.',
    clause: 'Standard Webhooks, Verifying the timestamp',
    operations,
    sent: headers => ({
      ...headers,
      'webhook-timestamp': String(Number(headers['webhook-timestamp']) - HOUR_SECONDS),
    }),
  },
]
