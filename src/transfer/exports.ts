import type { Reader } from '../database/engine.ts'
import { readBoolean, type Statement, sql } from '../database/statement.ts'
import { envelopeText } from '../shop/events/feed.ts'
import { findLogBounds } from '../shop/log/bounds.ts'
import { type SequencedEvent, sequencedColumns } from '../shop/log/recording.ts'
import { dayStartsIn } from '../shop/sales/verbs.ts'
import { decimalText } from '../values/currency.ts'
import { formatInstant } from '../values/instant.ts'
import { parseJson } from '../values/json.ts'
import { DAY_MS, localTimesIn } from '../values/time-zone.ts'

const ROWS_PER_READ = 1000

/** A value of an exported row. A list contains scopes or event types; an object is the data of an event. */
type ExportedValue = bigint | boolean | string | null | readonly unknown[] | object
export type ExportedRow = Readonly<Record<string, ExportedValue>>

type DatabaseRow = Readonly<Record<string, bigint | string | null>>

interface Resource {
  readonly columns: readonly string[]
  rows(reader: Reader, store: ExportedStore): AsyncGenerator<ExportedRow>
}

interface ExportedStore {
  /** The base URL, which is the source of events. */
  readonly base: string
  /** The time zone of the shop, for the local time of orders; UTC by default. */
  readonly timeZone?: string | undefined
  readonly currency: string
  /** The first and the last day of the lines of the books, in the time zone; all days by default. */
  readonly days?: { readonly from?: string | undefined; readonly to?: string | undefined }
}

const pageEnd = `ORDER BY id LIMIT ${ROWS_PER_READ}`

/** The columns that are null here, `localTime` and `currency`, are computed by `withLocalTime`. */
const nextOrders = sql<DatabaseRow>()(`
  SELECT id, pet_id AS "petId", quantity, ship_date AS "shipDate", complete, reference, created_at AS "createdAt",
    updated_at AS "updatedAt", pet_name AS "petName", NULL AS "localTime", unit_price AS "unitPrice",
    completed_at AS "completedAt", NULL AS currency, receipt, returned
  FROM orders WHERE id > $after ${pageEnd}`)

/** As in the orders, two columns are computed. */
const nextSales = sql<DatabaseRow & { readonly id: bigint; readonly receipt: bigint }>()(`
  SELECT id, at, NULL AS "localTime", receipt, order_id AS "orderId", pet_id AS "petId", pet_name AS "petName",
    quantity, unit_price AS "unitPrice", unit_price * quantity AS amount, NULL AS currency,
    (SELECT reference FROM orders WHERE orders.id = order_id) AS reference, note, restocked, key_id AS "keyId",
    (SELECT name FROM api_key WHERE api_key.id = key_id) AS "keyName"
  FROM sale_line WHERE (receipt, id) > ($receipt, $id) AND at || '' >= $start AND at || '' < $end
  ORDER BY receipt, id LIMIT ${ROWS_PER_READ}`)

const nextMovements = sql<DatabaseRow & { readonly petId: bigint; readonly version: bigint }>()(`
  SELECT id, pet_id AS "petId", version, quantity_change AS "quantityChange", reserved_change AS "reservedChange",
    quantity, reserved, reason, note, order_id AS "orderId", at
  FROM movement WHERE (pet_id, version) > ($petId, $version) ORDER BY pet_id, version LIMIT ${ROWS_PER_READ}`)

const resources = {
  categories: byId(
    sql<DatabaseRow>()(`
      SELECT id, name, description, pet_count AS "petCount", created_at AS "createdAt", updated_at AS "updatedAt"
      FROM category WHERE id > $after ${pageEnd}`),
  ),
  pets: byId(
    sql<DatabaseRow>()(`
      SELECT id, name, (SELECT name FROM category WHERE category.id = category_id) AS category,
        category_id AS "categoryId", status, quantity, reserved, on_hold AS hold, created_at AS "createdAt",
        updated_at AS "updatedAt", reorder_at AS "reorderAt", price, barcode
      FROM pet WHERE id > $after ${pageEnd}`),
  ),
  orders: {
    columns: columnsOf(nextOrders),
    rows: (reader, store) => withLocalTime(rowsById(nextOrders)(reader, store), 'createdAt', store),
  },
  sales: {
    columns: columnsOf(nextSales),
    rows: (reader, store) => withLocalTime(storedSales(reader, store), 'at', store),
  },
  movements: {
    columns: columnsOf(nextMovements).filter(name => name !== 'version'),
    rows: movementRows,
  },
  events: {
    columns: ['sequence', 'id', 'type', 'subject', 'time', 'source', 'data'],
    rows: eventRows,
  },
  keys: byId(
    sql<DatabaseRow>()(`
      SELECT id, name, scopes, hint, created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt"
      FROM api_key WHERE id > $after ${pageEnd}`),
  ),
  webhooks: byId(
    sql<DatabaseRow>()(`
      SELECT id, url, types, description, enabled, disabled_reason AS "disabledReason", created_at AS "createdAt",
        updated_at AS "updatedAt"
      FROM webhook WHERE id > $after ${pageEnd}`),
  ),
  deliveries: byId(
    sql<DatabaseRow>()(`
      SELECT id, webhook_id AS "webhookId", event_id AS "eventId", event_type AS "eventType", state, attempts,
        next_at AS "nextAttemptAt", created_at AS "createdAt", updated_at AS "updatedAt"
      FROM delivery WHERE id > $after ${pageEnd}`),
  ),
} satisfies Readonly<Record<string, Resource>>

export type ExportedResource = keyof typeof resources

/** The names of the resources that can be exported. */
export const exportedResources = Object.keys(resources) as readonly ExportedResource[]

/** Returns the columns of a resource, in their order. */
export function exportColumns(resource: ExportedResource): readonly string[] {
  return resources[resource].columns
}

/**
 * Yields all rows of a resource: movements by pet and time, events by position, sales by receipt, all others by id.
 * Secrets, hashes of keys and stored replies are never exported.
 */
export function exportRows(
  reader: Reader,
  resource: ExportedResource,
  store: ExportedStore,
): AsyncGenerator<ExportedRow> {
  return resources[resource].rows(reader, store)
}

/** Yields the lines of the books, receipt by receipt. */
async function* storedSales(
  reader: Reader,
  { currency, timeZone = 'UTC', days: { from, to } = {} }: ExportedStore,
): AsyncGenerator<ExportedRow> {
  const startOf = dayStartsIn(timeZone)
  // An empty text is appended to `at`, so that SQLite does not use the index of the time and sort all lines per page.
  const start = from === undefined ? '' : startOf(Date.parse(from))
  const end = to === undefined ? '~' : startOf(Date.parse(to) + DAY_MS)
  for (let [receipt, id] = [-1n, -1n]; ; ) {
    const page = await reader.many(nextSales, { receipt, id, start, end })
    for (const row of page) yield decoded(row, currency)
    const last = page.at(-1)
    if (!last) return
    receipt = last.receipt
    id = last.id
  }
}

/** Yields rows, each with the local time of its instant in a column and the currency of its amounts. */
async function* withLocalTime(
  rows: AsyncIterable<ExportedRow>,
  column: string,
  { timeZone = 'UTC', currency }: ExportedStore,
): AsyncGenerator<ExportedRow> {
  const localTime = localTimesIn(timeZone)
  for await (const row of rows)
    yield { ...row, localTime: localTime(Date.parse(String(row[column]))), currency }
}

/** Yields the movements in the order of their pets, and the movements of each pet in the order of time. */
async function* movementRows(reader: Reader, { currency }: ExportedStore): AsyncGenerator<ExportedRow> {
  for (let [petId, version] = [-1n, -1n]; ; ) {
    const page = await reader.many(nextMovements, { petId, version })
    for (const { version: _, ...row } of page) yield decoded(row, currency)
    const last = page.at(-1)
    if (!last) return
    petId = last.petId
    version = last.version
  }
}

const nextEvents = sql<SequencedEvent>()(`
  SELECT ${sequencedColumns} FROM event WHERE position > $after AND position <= $head
  ORDER BY position LIMIT ${ROWS_PER_READ}`)

/** Yields the events, including those that are only for the audit log, as CloudEvents without the constant members. */
async function* eventRows(reader: Reader, { base }: ExportedStore): AsyncGenerator<ExportedRow> {
  const { head } = await findLogBounds(reader)
  for (let after = 0n; ; ) {
    const page = await reader.many(nextEvents, { after, head })
    for (const event of page) {
      const { specversion: _, datacontenttype: __, ...envelope } = readEnvelope(event, base)
      yield envelope
    }
    const last = page.at(-1)
    if (!last) return
    after = last.position
  }
}

function readEnvelope(event: SequencedEvent, base: string): ExportedRow {
  // Safe: envelopeText writes an object with these members.
  return parseJson(envelopeText(event, base)) as ExportedRow
}

/** Returns a resource whose statement reads the rows after an id. */
function byId(statement: Statement<DatabaseRow, 'after'>): Resource {
  return { columns: columnsOf(statement), rows: rowsById(statement) }
}

/** Returns the names of the columns that a statement selects. None of them is computed with a comma. */
function columnsOf({ text }: Statement<DatabaseRow, string>): string[] {
  const selected = text.slice(text.indexOf('SELECT') + 'SELECT'.length, text.lastIndexOf('FROM'))
  return selected.split(',').map(column => column.replaceAll('"', '').trim().split(' ').at(-1) ?? '')
}

function rowsById(statement: Statement<DatabaseRow, 'after'>) {
  return async function* (reader: Reader, store: ExportedStore): AsyncGenerator<ExportedRow> {
    for (let after = -1n; ; ) {
      const page = await reader.many(statement, { after })
      for (const row of page) yield decoded(row, store.currency)
      const last = page.at(-1)
      if (!last) return
      after = BigInt(last.id ?? 0n)
    }
  }
}

const isInstantColumn = (name: string): boolean => /(?:^at|At|shipDate)$/.test(name)
const booleanColumns: ReadonlySet<string> = new Set(['hold', 'complete', 'enabled', 'restocked'])
/** They are exported as decimal numbers, as an import reads them. */
export const moneyColumns: ReadonlySet<string> = new Set(['price', 'unitPrice', 'amount'])
const listColumns: ReadonlySet<string> = new Set(['scopes', 'types'])

/** Returns a row with its values as the API writes them. */
function decoded(row: DatabaseRow, currency: string): ExportedRow {
  const values = Object.entries(row).map(([name, value]): [string, ExportedValue] => {
    if (value === null) return [name, null]
    if (typeof value === 'bigint' && moneyColumns.has(name)) return [name, decimalText(value, currency)]
    if (typeof value === 'bigint') return [name, booleanColumns.has(name) ? readBoolean(value) : value]
    if (isInstantColumn(name)) return [name, formatInstant(value)]
    // Safe: the store wrote a list of strings.
    return [name, listColumns.has(name) ? (parseJson(value) as readonly string[]) : value]
  })
  return Object.fromEntries(values)
}
