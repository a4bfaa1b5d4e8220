import { AuditEntry } from '../model/audit-entry.ts'
import { Event } from '../model/event.ts'
import { EventType, eventTypes } from '../model/event-type.ts'
import type { Operation } from './operation.ts'
import {
  enumParameter,
  idParameter,
  instantParameter,
  integerParameter,
  paging,
  positionParameter,
  repeated,
  textParameter,
} from './parameter.ts'

/** Seconds that a reader of the feed may wait for something to happen, at most. */
export const WAIT_SECONDS_MAX = 30

const type = repeated(eventTypes.length, enumParameter(EventType, 'Events of one of these types.'))

export const events = {
  listEvents: {
    method: 'GET',
    path: '/events',
    tag: 'Events',
    summary: 'Read what happened',
    description:
      'Events in the order in which they happened. The `next` link is always there: follow it for ever, and nothing is missed. A page of rare types may hold fewer than `limit` events, even none, although there are more: one request looks through a bounded part of the history, and `next` leads on from there. An empty page whose `next` has the same position as `after` means that nothing else has happened yet; with `wait` the answer waits for it.',
    scope: 'events:read',
    stability: 'beta',
    reads: 'scan',
    endless: 'after',
    query: {
      after: positionParameter(
        'Events after this position: the `sequence` of the last one you read. Without it: from the oldest that is kept. A position that is not reached yet is refused.',
      ),
      type,
      limit: paging.limit,
      wait: integerParameter(
        0,
        WAIT_SECONDS_MAX,
        'Seconds to wait while there is nothing to answer (long polling).',
      ),
    },
    success: { status: 200, list: Event, description: 'Events, oldest first.' },
    errors: ['event_history_expired'],
  },
  streamEvents: {
    method: 'GET',
    path: '/events/stream',
    tag: 'Events',
    summary: 'Follow what happens',
    description:
      'Server-sent events: `id` is the position, `event` the type, `data` the Event. Without a position it begins now. A client that lost its connection sends the last `id` it saw in `Last-Event-ID` and misses nothing (browsers do so by themselves). A comment every 15 seconds shows that the stream lives.',
    scope: 'events:read',
    stability: 'beta',
    reads: 'scan',
    query: {
      after: positionParameter('Events after this position; `Last-Event-ID` wins over it.'),
      type,
    },
    success: { status: 200, stream: Event, description: 'Events as they happen, without an end.' },
    errors: ['event_history_expired'],
  },
  listAudit: {
    method: 'GET',
    path: '/audit',
    tag: 'Keys',
    summary: 'Read who did what',
    description:
      'The audit trail, newest first: every change with the key and the request that made it. Each entry holds a hash over itself and the one before. A page may hold fewer than `limit`, even none, though `next` says that there is more.',
    scope: 'keys:manage',
    stability: 'beta',
    reads: 'scan',
    query: {
      ...paging,
      keyId: idParameter('What this key did.', 1),
      subject: textParameter(1, 64, 'What happened to this: kind and id.', 'orders/1'),
      since: instantParameter('What was done at this instant or later.', '2026-11-21T00:00:00Z'),
    },
    success: { status: 200, list: AuditEntry, description: 'A page of entries, newest first.' },
    errors: ['invalid_cursor'],
  },
} as const satisfies Record<string, Operation>
