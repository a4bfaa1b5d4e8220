import { type Operation, pagingOfAgents } from '../../contract/operation.ts'
import {
  enumParameter,
  idParameter,
  integerParameter,
  paging,
  periodParameter,
  positionParameter,
  repeated,
} from '../../contract/parameter.ts'
import { invalidCursor } from '../../contract/refusals.ts'
import { EventType } from '../log/event-type-schema.ts'
import { eventTypes } from '../log/event-types.ts'
import { eventHistoryExpired } from '../log/refusals.ts'
import { AuditEntry } from './audit-schema.ts'
import { eventExamples, streamExample } from './examples.ts'
import { Event, namedSubject, subjectKinds } from './schema.ts'

/** The maximum number of seconds after which a stream may end by itself. */
const STREAM_SECONDS_MAX = 3600
/** The maximum number of seconds that a request of the feed may wait for an event. */
const WAIT_SECONDS_MAX = 30

const kindNames = subjectKinds.map(kind => `\`${kind}\``).join(', ')

const type = repeated(eventTypes.length, enumParameter(EventType, 'Events with one of these types.'))

export const events = {
  listEvents: {
    method: 'GET',
    path: '/events',
    tag: 'Events',
    summary: 'List events',
    description:
      'Returns events in the order in which they happened. The `next` link is always present: a client that keeps following it misses nothing. A page of rare types can contain fewer than `limit` events, or none, although more exist: one request searches a bounded part of the history, and `next` continues from there. If the page is empty and its `next` has the same position as `after`, nothing else has happened yet; with `wait`, the response waits for the next event.',
    scope: 'events:read',
    stability: 'beta',
    endless: 'after',
    query: {
      after: positionParameter(
        'Events after this position: the `sequence` of the last event you read. Without it, the list starts at the oldest stored event. A position beyond the last event is rejected.',
      ),
      type,
      petId: idParameter('Events about this pet: the pet itself, its stock and its orders.'),
      limit: paging.limit,
      wait: {
        ...integerParameter(
          0,
          WAIT_SECONDS_MAX,
          'Seconds to wait while there is nothing to return (long polling).',
        ),
        // A tool that sends the example must not wait for its response.
        example: 0,
      },
    },
    success: {
      status: 200,
      list: Event,
      description: 'Events, oldest first.',
      example: [eventExamples['petstore.order.placed']],
    },
    errors: [eventHistoryExpired(333n)],
  },
  streamEvents: {
    method: 'GET',
    path: '/events/stream',
    tag: 'Events',
    summary: 'Stream events',
    description:
      'Server-sent events: `id` is the position, `event` the type, `data` the Event. Without a position, the stream starts with the next event. A client that lost its connection sends the last `id` it received in `Last-Event-ID` and misses nothing (browsers do so automatically). A comment every 15 seconds shows that the stream is alive.',
    scope: 'events:read',
    stability: 'beta',
    query: {
      after: positionParameter('Events after this position; `Last-Event-ID` takes precedence.'),
      type,
      seconds: {
        ...integerParameter(
          1,
          STREAM_SECONDS_MAX,
          'Ends the stream after this many seconds, for tools that wait for the end of a response. Without it, the stream does not end.',
        ),
        // A tool that sends the example waits this long.
        example: 1,
      },
    },
    success: {
      status: 200,
      stream: Event,
      description: 'Events as they happen; the response does not end, except after `seconds`.',
      example: streamExample,
    },
    errors: [eventHistoryExpired(333n)],
  },
  listAudit: {
    method: 'GET',
    path: '/audit',
    tag: 'Keys',
    summary: 'List audit log entries',
    description:
      'The audit log, newest first: every change, with the key and the request that made it. Each entry contains a hash over itself and the previous entry. A page can contain fewer than `limit` entries, or none, although `next` leads to more.',
    scope: 'audit:read',
    stability: 'beta',
    query: {
      ...paging,
      petId: idParameter('Changes to this pet: to the pet itself, to its stock and to its orders.'),
      keyId: idParameter('Changes that this key made.', 1),
      subject: {
        schema: namedSubject,
        read: (text: string) => text,
        expects: `a kind, a slash and an id, such as orders/1; the kinds are ${subjectKinds.join(', ')}`,
        description: `Changes to this resource: its kind and id. The kinds are ${kindNames}.`,
        example: 'orders/1',
      },
      since: periodParameter(
        'Changes at this instant or later. A date, such as `2026-11-21`, means the start of that day in UTC.',
        '2026-11-21',
      ),
      until: periodParameter(
        'Changes before this instant, which is excluded. A date, such as `2026-11-21`, includes the whole of that day in UTC. The period must not be empty, so `until` must be later than `since`, or the same date.',
        '2100-01-01T00:00:00Z',
      ),
    },
    success: { status: 200, list: AuditEntry, description: 'A page of entries, newest first.' },
    agent: {
      name: 'what_happened',
      about: 'Show what changed in the shop, newest first, and which key changed it.',
      takes: {
        petId: 'Only changes to this pet, its stock and its orders.',
        subject: 'Only changes to one thing: orders/1, pets/3, categories/1.',
        since: 'From this date or instant on (UTC).',
        until: 'Up to the end of this date, or before this instant.',
        ...pagingOfAgents,
      },
      omits: ['position', 'requestId', 'hash'],
    },
    errors: [invalidCursor()],
  },
} as const satisfies Record<string, Operation>
