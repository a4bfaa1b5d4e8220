import { Migrations } from '../migrate.ts'
import postgresBase from './postgres/0017-base.sql' with { type: 'text' }
import postgresPrices from './postgres/0018-prices.sql' with { type: 'text' }
import postgresSales from './postgres/0019-sales.sql' with { type: 'text' }
import postgresBarcodes from './postgres/0020-barcodes.sql' with { type: 'text' }
import postgresImports from './postgres/0021-imports.sql' with { type: 'text' }
import postgresHandovers from './postgres/0022-handovers.sql' with { type: 'text' }
import postgresHandoverKeys from './postgres/0023-handover-keys.sql' with { type: 'text' }
import postgresWords from './postgres/0024-search-words.sql' with { type: 'text' }
import sqliteBase from './sqlite/0016-base.sql' with { type: 'text' }
import sqlitePrices from './sqlite/0017-prices.sql' with { type: 'text' }
import sqliteSales from './sqlite/0018-sales.sql' with { type: 'text' }
import sqliteBarcodes from './sqlite/0019-barcodes.sql' with { type: 'text' }
import sqliteImports from './sqlite/0020-imports.sql' with { type: 'text' }
import sqliteHandovers from './sqlite/0021-handovers.sql' with { type: 'text' }
import sqliteHandoverKeys from './sqlite/0022-handover-keys.sql' with { type: 'text' }
import sqliteWords from './sqlite/0023-search-words.sql' with { type: 'text' }
import { writeWords } from './write-words.ts'

// A new script follows in both lists. From 1.0.0 on, a change that the version before cannot serve takes two versions:
// one whose script only expands the tables (`expanding`), and a later one that removes what nothing uses any more.

export const sqliteMigrations = new Migrations(
  16,
  [
    sqliteBase,
    sqlitePrices,
    sqliteSales,
    sqliteBarcodes,
    sqliteImports,
    sqliteHandovers,
    sqliteHandoverKeys,
    sqliteWords,
  ],
  new Map([[sqliteWords, writeWords]]),
)

export const postgresMigrations = new Migrations(
  17,
  [
    postgresBase,
    postgresPrices,
    postgresSales,
    postgresBarcodes,
    postgresImports,
    postgresHandovers,
    postgresHandoverKeys,
    postgresWords,
  ],
  new Map([[postgresWords, writeWords]]),
)
