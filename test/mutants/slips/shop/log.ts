import type { Slips } from '../../slip.ts'

export const logSlips: Slips = {
  'src/shop/log/bounds.ts': [
    {
      before: `position > after && position < to)`,
      after: `position >= after && position < to)`,
      breaks: 'a client of a restored store is refused although it has read nothing that is lost',
      tests: [
        'test/transfer/backup.test.ts: a store that is restored from a live backup never reissues an id or a position of the lost store',
      ],
    },
    {
      before: `position > after && position < to)`,
      after: `position > after && position <= to)`,
      breaks: 'a client that has read up to the end of the gap of a restored store is refused for ever',
      tests: [
        'test/transfer/backup.test.ts: a store that is restored from a live backup never reissues an id or a position of the lost store',
      ],
    },
  ],
  'src/shop/log/retention.ts': [
    {
      before: `: oldest[firstKept - 1]`,
      after: `: oldest[firstKept]`,
      breaks: 'a sweep deletes an event that is not old enough',
      tests: [
        'test/shop/event-retention.test.ts: events beyond the retention are deleted, and a client that has not read them gets an error',
      ],
    },
    {
      before: `WHERE name = 'floor' AND position = $floor`,
      after: `WHERE name = 'floor' AND position >= $floor`,
      breaks: 'two processes that sweep at once set the floor back, and the deleted events count as missing',
      tests: ['test/shop/interleaved-commands.test.ts: a sweep does not set the floor back'],
    },
  ],
  'src/shop/log/verification.ts': [
    {
      before: `gaps.filter(({ after }) => after >= floor.position)`,
      after: `gaps.filter(({ after }) => after > floor.position)`,
      breaks:
        'the audit log of a restored store counts as damaged once its entries before the gap are deleted',
      tests: ['test/shop/audit-log-gaps.test.ts: an audit log with a gap is intact'],
    },
    {
      before: `  if (anchor.position === floor.position && anchor.hash === floor.hash) return []\n`,
      after: ``,
      breaks: 'an anchor of the last deleted entry counts as a fault',
      tests: ['test/shop/audit-log-gaps.test.ts: an audit log with a gap is intact'],
    },
    {
      before: `else if (last.hash !== head.hash) problems`,
      after: `else if (last.hash === '') problems`,
      breaks: 'a head that does not match the last entry is not reported',
      tests: ['test/shop/audit-log-gaps.test.ts: an audit log with a gap is intact'],
    },
  ],
}
