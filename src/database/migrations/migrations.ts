import { Migrations } from '../migrate.ts'
import postgresBase from './postgres/0024-base.sql' with { type: 'text' }
import sqliteBase from './sqlite/0023-base.sql' with { type: 'text' }

// A new script follows in both lists; one that was released never changes. From 1.0.0 on, a change that the version
// before cannot serve takes two versions: one whose script only expands the tables (`expanding`), and a later one that
// removes what nothing uses any more.

export const sqliteMigrations = new Migrations(23, [sqliteBase])

export const postgresMigrations = new Migrations(24, [postgresBase])
