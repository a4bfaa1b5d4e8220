import { Migrations } from '../migrate.ts'
import { fillNames } from './name-filling.ts'
import postgresBase from './postgres/0011-base.sql' with { type: 'text' }
import postgresFailingTime from './postgres/0012-failing-time.sql' with { type: 'text' }
import postgresTraceparent from './postgres/0013-traceparent.sql' with { type: 'text' }
import postgresCounter from './postgres/0014-counter.sql' with { type: 'text' }
import postgresWords from './postgres/0015-words.sql' with { type: 'text' }
import postgresSortedNames from './postgres/0016-sorted-names.sql' with { type: 'text' }
import postgresEventBatch from './postgres/0017-event-batch.sql' with { type: 'text' }
import sqliteBase from './sqlite/0010-base.sql' with { type: 'text' }
import sqliteFailingTime from './sqlite/0011-failing-time.sql' with { type: 'text' }
import sqliteTraceparent from './sqlite/0012-traceparent.sql' with { type: 'text' }
import sqliteCounter from './sqlite/0013-counter.sql' with { type: 'text' }
import sqliteWords from './sqlite/0014-words.sql' with { type: 'text' }
import sqliteSortedNames from './sqlite/0015-sorted-names.sql' with { type: 'text' }
import sqliteEventBatch from './sqlite/0016-event-batch.sql' with { type: 'text' }

// The bases have the numbers of the last migration of commit 677f627. A new script follows in both lists.

export const sqliteMigrations = new Migrations(10, {
  base: sqliteBase,
  scripts: [
    sqliteFailingTime,
    sqliteTraceparent,
    sqliteCounter,
    sqliteWords,
    sqliteSortedNames,
    sqliteEventBatch,
  ],
  steps: new Map([[sqliteWords, fillNames]]),
})

export const postgresMigrations = new Migrations(11, {
  base: postgresBase,
  scripts: [
    postgresFailingTime,
    postgresTraceparent,
    postgresCounter,
    postgresWords,
    postgresSortedNames,
    postgresEventBatch,
  ],
  steps: new Map([[postgresWords, fillNames]]),
})
