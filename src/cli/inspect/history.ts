import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import type { AuditEntry, StockMovement } from '../../client/api-types.ts'
import { type Client, createClient } from '../../client/client.ts'
import { ApiError } from '../../client/errors.ts'
import type { ListPage } from '../../client/paged-list.ts'
import { formatInstantMs } from '../../values/instant.ts'
import { failureOf } from '../operations/request-failure.ts'
import {
  addOptions,
  deadline,
  formatOf,
  type RequestOptions,
  requestOptions,
} from '../operations/request-options.ts'
import { chooseStore } from '../store-access/called-store.ts'
import { listPrinter } from '../terminal/output.ts'
import { escapeControls, print, say } from '../terminal/terminal.ts'
import { readId, wholeNumber } from '../terminal/whole-number.ts'
import { entrySentence } from './history-sentence.ts'
import { localTime, PERIOD_FORMS, readPeriodEnd, readPeriodStart, timeZone } from './period.ts'

/** The kinds of resources that have a history, and the first part of the subject of their entries. */
const kinds = {
  pet: 'pets',
  order: 'orders',
  category: 'categories',
  webhook: 'webhooks',
  key: 'keys',
} as const
type HistoryKind = keyof typeof kinds

/** The maximum number of entries on a page of the API. */
const PAGE_MAX = 100
const ENTRIES_DEFAULT = 100
/** The maximum of --limit, because the entries are collected in memory. */
const ENTRIES_MAX = 10_000
/** The maximum number of pages of the list of keys that are read to find the names of keys. */
const KEY_PAGES_MAX = 10

interface HistoryOptions extends RequestOptions {
  /** Milliseconds since 1970. */
  readonly since?: number
  readonly until?: number
  readonly limit: number
}

/** The resource of a history, and how to read about it. */
interface Subject {
  readonly client: Client
  readonly kind: HistoryKind
  readonly id: bigint
  /** Returns the options of one request, which has its own time limit. */
  readonly makeDeadline: () => ReturnType<typeof deadline>
}

/** The entries of one resource, and what explains them. */
interface History {
  /** Oldest first. */
  readonly entries: readonly AuditEntry[]
  /** Whether there are older entries in the period. */
  readonly isCut: boolean
  readonly movements: ReadonlyMap<string, StockMovement>
  readonly keyNames: ReadonlyMap<bigint, string>
}

/** Adds the command `history`, which prints what happened to a resource, who did it, and by which request. */
export function addHistory(program: Command): void {
  const command = program
    .command('history')
    .description('print what happened to a pet, an order, a category, a webhook or a key, newest last')
    .addArgument(new Argument('<kind>', 'what the history is about').choices(Object.keys(kinds)))
    .addArgument(new Argument('<id>', 'its id').argParser(readId))
  addOptions(command, 'Period:', [
    new Option('--since <time>', `only changes from then on: ${PERIOD_FORMS}`).argParser(
      readWith(readPeriodStart),
    ),
    new Option('--until <time>', 'only changes before then; a date includes that whole day').argParser(
      readWith(readPeriodEnd),
    ),
    new Option('--limit <count>', 'the maximum number of entries to print; the newest are printed')
      .argParser(wholeNumber(1, ENTRIES_MAX))
      .default(ENTRIES_DEFAULT),
  ])
  addOptions(command, 'Common options:', requestOptions(['table', 'json', 'ndjson']))
  command.addHelpText(
    'after',
    '\nExample:\n  petstore history pet 12 --since yesterday\n\nRequires a key with audit:read.',
  )
  command.action(runHistory)
}

async function runHistory(kind: HistoryKind, id: bigint, options: HistoryOptions): Promise<void> {
  const store = chooseStore(options)
  const client = createClient({ baseUrl: store.url, key: store.key, timeoutMs: Number.POSITIVE_INFINITY })
  const subject = { client, kind, id, makeDeadline: () => deadline(options) }
  try {
    const history = await readHistory(subject, options)
    const format = formatOf(options)
    if (format === 'table') await printLines(history)
    else {
      const printer = listPrinter({ format, columns: [] })
      await printer.page(history.entries)
      await printer.end()
    }
    if (history.isCut) {
      const more = Math.min(options.limit * 10, ENTRIES_MAX)
      say(`Older entries exist: use --limit ${more}, or --until with the first time above.`)
    }
    if (history.entries.length === 0) say(await explainEmptyHistory(subject))
  } catch (error) {
    throw failureOf(error, { store, timeoutSeconds: options.timeout, isChange: false })
  }
}

async function readHistory(subject: Subject, options: HistoryOptions): Promise<History> {
  const { entries, isCut } = await readEntries(subject, options)
  const isTable = formatOf(options) === 'table'
  const stock = isTable ? entries.filter(one => one.type === 'petstore.inventory.changed') : []
  const oldest = stock[0]
  const movements =
    oldest && subject.kind === 'pet' ? await ifAllowed(() => readMovements(subject, oldest.at)) : undefined
  const keyIds = isTable ? entries.flatMap(({ keyId }) => keyId ?? []) : []
  const keyNames = keyIds.length === 0 ? new Map() : await readKeyNames(subject, new Set(keyIds))
  return { entries, isCut, movements: movements ?? new Map(), keyNames }
}

/** Yields the pages of a list. Unlike those of `list.pages()`, each request has its own time limit. */
async function* pagesOf<Item>(
  read: (page: { limit: number; cursor?: string }) => PromiseLike<{ readonly data: ListPage<Item> }>,
): AsyncGenerator<ListPage<Item>> {
  for (let cursor: string | undefined; ; ) {
    const { data } = await read({ limit: PAGE_MAX, ...(cursor !== undefined && { cursor }) })
    yield data
    cursor = data.next
    if (cursor === undefined) return
  }
}

/** Returns the newest entries of the period, oldest first. */
async function readEntries(
  { client, kind, id, makeDeadline }: Subject,
  { since, until, limit }: HistoryOptions,
): Promise<Pick<History, 'entries' | 'isCut'>> {
  const filter = {
    ...(kind === 'pet' ? { petId: id } : { subject: `${kinds[kind]}/${id}` }),
    ...(since !== undefined && { since: formatInstantMs(since) }),
    ...(until !== undefined && { until: formatInstantMs(until) }),
  }
  const pages = pagesOf(page =>
    client.listAudit({ ...filter, ...page, limit: Math.min(limit, PAGE_MAX) }, makeDeadline()),
  )
  const entries: AuditEntry[] = []
  let hasMore = false
  for await (const { items, next } of pages) {
    entries.push(...items)
    hasMore = next !== undefined
    if (entries.length >= limit) break
  }
  return { entries: entries.slice(0, limit).reverse(), isCut: hasMore || entries.length > limit }
}

/** Returns the stock ledger of a pet since an instant, keyed by the state after each movement. */
async function readMovements(
  { client, id: petId, makeDeadline }: Subject,
  since: string,
): Promise<ReadonlyMap<string, StockMovement>> {
  const movements = new Map<string, StockMovement>()
  const pages = pagesOf(page => client.listMovements({ ...page, petId, sort: '-id' }, makeDeadline()))
  for await (const { items } of pages) {
    for (const movement of items) movements.set(stateKey(movement), movement)
    const last = items.at(-1)
    if (!last || Date.parse(last.at) < Date.parse(since) || movements.size > ENTRIES_MAX) break
  }
  return movements
}

/** Returns a text that is the same for a movement and for the event about it. */
function stateKey({ at, quantity, reserved }: Pick<StockMovement, 'at' | 'quantity' | 'reserved'>): string {
  return `${at} ${quantity} ${reserved}`
}

/** Returns the names of keys. A revoked key is in no list, so its name comes from the audit log. */
async function readKeyNames(
  { client, makeDeadline }: Subject,
  ids: ReadonlySet<bigint>,
): Promise<ReadonlyMap<bigint, string>> {
  const names = new Map<bigint, string>()
  await ifAllowed(async () => {
    let pages = 0
    for await (const { items } of pagesOf(page => client.listKeys(page, makeDeadline()))) {
      for (const { id, name } of items) names.set(id, name)
      if (++pages === KEY_PAGES_MAX) return
    }
  })
  for (const id of ids) {
    if (names.has(id)) continue
    const { data } = await client.listAudit({ subject: `keys/${id}`, limit: 1 }, makeDeadline())
    const [entry] = data.items
    if (entry && (entry.type === 'petstore.key.created' || entry.type === 'petstore.key.revoked'))
      names.set(id, entry.data.name)
  }
  return names
}

/** Returns the result of a read; undefined if the key may not read the resource, or if the resource does not exist. */
async function ifAllowed<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ApiError && [403, 404].includes(error.status)) return undefined
    throw error
  }
}

async function printLines({ entries, movements, keyNames }: History): Promise<void> {
  if (entries.length > 0) say(`Times are in the time zone ${timeZone()}.`)
  const latest = new Map<string, AuditEntry>()
  for (const entry of entries) {
    const movement =
      entry.type === 'petstore.inventory.changed'
        ? movements.get(stateKey({ at: entry.at, ...entry.data, reserved: entry.data.reserved ?? 0n }))
        : undefined
    const sentence = entrySentence(entry, { before: latest.get(entry.subject), movement })
    latest.set(entry.subject, entry)
    const by = `by ${makerOf(entry, keyNames)}, request ${entry.requestId}`
    await print(`${localTime(entry.at)}  ${escapeControls(`${sentence}  (${by})`)}\n`)
  }
}

function makerOf({ keyId }: AuditEntry, names: ReadonlyMap<bigint, string>): string {
  if (keyId === undefined) return 'the store'
  const name = names.get(keyId)
  return name === undefined ? `key ${keyId}` : `key ${keyId} "${name}"`
}

async function explainEmptyHistory({ client, kind, id, makeDeadline }: Subject): Promise<string> {
  const oldest = await ifAllowed(
    async () => (await client.listEvents({ limit: 1 }, makeDeadline())).data.items[0],
  )
  const since = oldest ? `The store keeps entries since ${localTime(oldest.time)} (${timeZone()}).` : ''
  const reason = `Either nothing happened, or the store has deleted the entries (PETSTORE_EVENT_RETENTION).`
  return `Nothing found for ${kind} ${id} in this period. ${reason} ${since}`.trimEnd()
}

function readWith(read: typeof readPeriodStart): (text: string) => number {
  return text => {
    const ms = read(text, Date.now())
    if (ms !== undefined && ms >= 0) return ms
    throw new InvalidArgumentError(`It must be ${PERIOD_FORMS}.`)
  }
}
