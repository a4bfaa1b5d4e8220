import { Migrations } from '../migrate.ts'
import postgresBase from './postgres/0017-base.sql' with { type: 'text' }
import sqliteBase from './sqlite/0016-base.sql' with { type: 'text' }

// A new script follows in both lists.

export const sqliteMigrations = new Migrations(16, [sqliteBase])

export const postgresMigrations = new Migrations(17, [postgresBase])
