import type { Slips } from '../../slip.ts'

export const eventSlips: Slips = {
  'src/shop/events/audit.ts': [
    {
      before: `Date.parse(row.at) >= untilMs + COMMAND_MS_MAX`,
      after: `Date.parse(row.at) >= untilMs`,
      breaks: 'an entry of a period is missing if newer entries come before it',
      tests: ['test/shop/audit-log.test.ts: an entry of a period is found'],
    },
    {
      before: `row.at < storedInstant(Date.parse(since) - COMMAND_MS_MAX)`,
      after: `row.at < since`,
      breaks: 'an entry of a period is missing if older entries come after it',
      tests: ['test/shop/audit-log.test.ts: an old entry is found'],
    },
    {
      before: `  const lowest = gapAround(furthest, bounds)?.after ?? furthest`,
      after: `  const lowest = furthest`,
      breaks: 'the audit log of a restored store has an empty page for each 5,000 positions of its gap',
      tests: ['test/shop/audit-log-gaps.test.ts: a page of the audit log crosses a gap'],
    },
    {
      before: `last !== undefined && last > floor + 1n &&`,
      after: `last !== undefined && last > floor + 2n &&`,
      breaks: 'the oldest entry of the audit log is on no page',
      tests: ['test/shop/audit-log-gaps.test.ts: a page of the audit log crosses a gap'],
    },
    {
      before: `: untilMs > LAST_MS ? '9999-12-31T24' : storedInstant(untilMs)`,
      after: `: storedInstant(untilMs)`,
      breaks: 'a period up to the last day of the year 9999 causes a server error',
      tests: ['test/shop/audit-log.test.ts: a period has an inclusive start and an exclusive end'],
    },
  ],
  'src/shop/events/feed.ts': [
    {
      before: `  // Events that a sweep deleted during the read are missing from it, so the position is checked again.
  assertWithinLog(after, await findLogBounds(reader))\n`,
      after: ``,
      breaks: 'a client whose events are deleted during its read misses events without an error',
      tests: ['test/shop/event-retention.test.ts: a sweep during a read moves'],
    },
    {
      before: `return { events, to: events.at(-1)?.position ?? after, isAtHead: false }`,
      after: `return { events, to, isAtHead: false }`,
      breaks: 'the next page of the feed skips the events that did not fit in the page',
      tests: [
        'test/http/events/feed.test.ts: a page has at most the requested number of events, and its next link continues after them',
      ],
    },
    {
      before: `  const last = gapAround(furthest, bounds)?.to ?? furthest`,
      after: `  const last = furthest`,
      breaks: 'the feed of a restored store ends in the gap, and its next link is refused',
      tests: [
        'test/transfer/backup.test.ts: a store that is restored from a live backup never reissues an id or a position of the lost store',
      ],
    },
    {
      before: `if (!(error instanceof StoreError) || error.code !== 'event_history_expired') throw error
    }
  }
}

/**
 * Returns one page of the feed.`,
      after: `throw error
    }
  }
}

/**
 * Returns one page of the feed.`,
      breaks: 'a read of the oldest events is refused if a sweep deletes some of them at that moment',
      tests: ['test/shop/event-retention.test.ts: a sweep during a read moves'],
    },
    {
      before: `if (rows.length <= limit) return { events: rows, to, isAtHead: to === ends.head }`,
      after: `if (rows.length <= limit) return { events: rows, to, isAtHead: true }`,
      breaks: 'a long poll waits at an old position although there are later events of its type',
      tests: [
        'test/http/events/feed.test.ts: a rare type is found after thousands of other events, in one response',
      ],
    },
  ],
}
