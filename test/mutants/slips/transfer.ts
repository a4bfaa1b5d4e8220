import type { Slips } from '../slip.ts'

const COPY = 'test/transfer/copy.test.ts'
const BACKUP = 'test/transfer/backup.test.ts'

export const transferSlips: Slips = {
  'src/transfer/copy.ts': [
    {
      before: '  signal.throwIfAborted()\n  await target.publish()',
      after: '  await target.publish()',
      breaks: 'a copy that was interrupted at its end exists, and copying again is refused',
      tests: [`${COPY}: a copy that is interrupted after its last row`],
    },
    {
      before: 'if (source.checksum() !== target.checksum())',
      after: 'if (source.rows !== target.rows)',
      breaks: 'a copy with a changed row is accepted',
      tests: [COPY],
      guarantee: 41,
    },
    {
      before: 'if ((await chainOf(reader)).text !== chain.text)',
      after: 'if ((await chainOf(reader)).text === undefined)',
      breaks: 'nothing that the digests of the tables do not notice',
      tests: [],
      equivalent: 'the tables of the chain and of the events are compared row by row before',
    },
    {
      before: 'if (table.freshRows.length > 0) await target.write(deleteRows(table))',
      after: '',
      breaks: 'every copy fails, because the rows of a new store are there already',
      tests: [COPY],
    },
    {
      before: '} while (rows.length === ROWS_PER_PAGE)',
      after: '} while (rows.length < ROWS_PER_PAGE)',
      breaks: 'a copy has only the first rows of a large table',
      tests: [COPY],
    },
  ],
  'src/transfer/exports.ts': [
    {
      before: `    petId = last.petId
    version = last.version`,
      after: `    petId = last.petId
    version = last.version + 1n`,
      breaks: 'an export of more than 1,000 movements omits one at each thousand',
      tests: ['test/transfer/exports.test.ts: an export of more than a thousand rows'],
    },
    {
      before: `      after = BigInt(last.id ?? 0n)`,
      after: `      after = BigInt(last.id ?? 0n) + 1n`,
      breaks: 'an export of more than 1,000 rows omits one at each thousand',
      tests: ['test/transfer/exports.test.ts: an export of more than a thousand rows'],
    },
    {
      before: `    after = last.position
  }
}

function readEnvelope`,
      after: `    after = last.position + 1n
  }
}

function readEnvelope`,
      breaks: 'an export of more than 1,000 events omits one at each thousand',
      tests: [
        'test/cli/export.test.ts: the export of a busy store has every row of a resource once, with the values of the API',
      ],
    },
    {
      before: `new Set(['hold', 'complete', 'enabled'])`,
      after: `new Set(['complete', 'enabled'])`,
      breaks: 'an export has 0 and 1 in the column hold, which an import refuses',
      tests: ['test/transfer/exports.test.ts: an export of more than a thousand rows'],
    },
    {
      before: '/(?:^at|At|shipDate)$/',
      after: '/(?:^at|At)$/',
      breaks: 'an exported shipDate is not as the API writes it',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
    {
      before: `new Set(['scopes', 'types'])`,
      after: `new Set(['scopes'])`,
      breaks: 'the types of an exported webhook are a text instead of a list',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
    {
      before: `const localTime = localTimesIn(store.timeZone ?? 'UTC')`,
      after: `const localTime = localTimesIn('UTC')`,
      breaks: 'an export of orders says UTC where it promises the time of the shop',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
  ],
  'src/transfer/reset.ts': [
    {
      before: `if (keepsKeys && table.name === 'api_key') continue`,
      after: `if (keepsKeys && table.name === 'api_keys') continue`,
      breaks: '"reset --keep-keys" deletes the keys',
      tests: ['test/cli/reset.test.ts', 'test/cli/reset-command.test.ts'],
    },
    {
      before: 'if (sessions > 0n) {',
      after: 'if (sessions < 0n) {',
      breaks: 'a store on PostgreSQL is emptied while a process serves it',
      tests: ['test/cli/reset-command.test.ts: a running store is not reset'],
    },
    {
      before: 'if (keepsKeys && keyCounter) {',
      after: 'if (!keepsKeys && keyCounter) {',
      breaks: 'after a reset that keeps the keys, a new key gets the id of an old one',
      tests: ['test/cli/reset-command.test.ts: reset --demo --keep-keys loads the demo shop'],
    },
  ],
  'src/transfer/sqlite-copy.ts': [
    {
      before: 'sqliteMigrations.requireCurrent(versionOf(reader))',
      after: 'sqliteMigrations.refuseUnsupported(versionOf(reader))',
      breaks: 'a store that must be migrated is read as it is',
      tests: ['test/database/upgrade.test.ts: a command that only reads refuses'],
    },
    {
      before: 'if (isServed) await numberEvents(draft)',
      after: '',
      breaks: 'events that had no position in PostgreSQL are never published by the copy',
      tests: [COPY],
    },
    {
      before: '        for (const { sql } of indexes) database.run(sql)\n',
      after: '',
      breaks: 'a copied store has no index, and its lists take seconds',
      tests: [COPY],
    },
    {
      before: 'if (used !== undefined) throw new TargetInUse',
      after: 'if (used === undefined) throw new TargetInUse',
      breaks: 'a copy replaces a store that is in use',
      tests: [COPY],
    },
    {
      before: `['', '-journal', '-wal', '-shm', '-run']`,
      after: `['', '-journal', '-shm', '-run']`,
      breaks: 'the write-ahead log of the empty store is applied to the restored one',
      tests: ['test/database/undo.test.ts: the copy of a store replaces an empty store'],
    },
  ],
  'src/transfer/sqlite-restore.ts': [
    {
      before: '  deleteDatabase(draft)\n  try {',
      after: '  try {',
      breaks: 'the write-ahead log that another restore left is applied to the restored store',
      tests: [`${BACKUP}: a restore does not use or keep the files`],
    },
    {
      before: '    makePrivate(draft)\n',
      after: '',
      breaks: 'everybody on the machine can read a store that was restored from a readable backup',
      tests: [`${BACKUP}: only the owner can read a restored store`],
    },
    {
      before: '  connection.run(raiseCounters, { count })\n',
      after: '',
      breaks: 'a restored store issues the ids of the lost store again',
      tests: [BACKUP],
      guarantee: 42,
    },
    {
      before: 'head !== undefined && head !==',
      after: 'head === undefined && head !==',
      breaks: 'a backup whose database was exchanged is restored',
      tests: [BACKUP],
    },
    {
      before: 'const last = await numberAllBatches(connection)',
      after: 'const last = head',
      breaks: 'events that had no position at the time of the backup are never published',
      tests: [BACKUP],
    },
    {
      before: '  connection.run(insertGap, { ...gap })\n',
      after: '',
      breaks: 'the audit log of a restored store is reported as forged',
      tests: [BACKUP],
    },
  ],
}
