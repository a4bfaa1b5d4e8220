import { serveReader } from '../database/sqlite/engine.ts'
import { type Query, runQuery } from '../shop/registry/queries.ts'
import type { ReplyForms } from '../shop/registry/reply.ts'

serveReader(async (reader, query: Query, forms: ReplyForms) => await runQuery(reader, query, forms))
