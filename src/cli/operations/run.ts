import type { Event } from '../../client/api-types.ts'
import { asPage, type Call, makeCall } from '../../client/client.ts'
import type { DeprecationNotice } from '../../client/deprecation.ts'
import { ApiError } from '../../client/errors.ts'
import { type FollowOptions, follow } from '../../client/follow-events.ts'
import { operations } from '../../client/operations.ts'
import type { Fetch, OperationShape } from '../../client/request.ts'
import type { ApiResponse } from '../../client/response.ts'
import type { Retry } from '../../client/send.ts'
import { LIMIT_DEFAULT } from '../../shop/kernel/paging.ts'
import type { OperationId } from '../../shop/registry/operations.ts'
import { writeJson } from '../../values/json.ts'
import { type CalledStore, chooseStore } from '../store-access/called-store.ts'
import {
  jsonText,
  listPrinter,
  type OutputOptions,
  printResource,
  terminalWidth,
} from '../terminal/output.ts'
import { CommandFailed, escapeControls, print, say } from '../terminal/terminal.ts'
import { cellText, fitText } from '../terminal/text-table.ts'
import { columnsOf, rowsOf } from './columns.ts'
import type { OperationRequest } from './input.ts'
import { kebabCase, operationOf } from './names.ts'
import { failureOf, type RequestFacts } from './request-failure.ts'
import { deadline, formatOf, type OperationOptions } from './request-options.ts'

const PAUSE_REPORTED_MS = 1000

/** The minimum time limit for silence on a stream. A healthy stream is silent for 15 s between two comments. */
const SILENCE_MS_MIN = 30_000

const shapes: Readonly<Record<string, OperationShape>> = operations

/** Sends the request of a command, and prints the response. Throws CommandFailed. */
export async function runOperation(
  id: OperationId,
  request: OperationRequest,
  options: OperationOptions,
): Promise<void> {
  const store = chooseStore(options)
  const operation = operationOf(id)
  const facts = { store, timeoutSeconds: options.timeout, isChange: operation.method !== 'GET' }
  try {
    const shape = shapes[id]
    if (shape === undefined) await runStream(request, options, store)
    else if (shape.pages === undefined) await runOnce(id, shape, request, options, facts)
    else await runList(id, { ...shape, pages: shape.pages }, request, options, facts)
  } catch (error) {
    if (error instanceof ApiError) await printRefusal(error, options)
    throw failureOf(error, facts)
  }
}

async function runOnce(
  id: OperationId,
  shape: OperationShape,
  { input, call }: OperationRequest,
  options: OperationOptions,
  { store, isChange }: RequestFacts,
): Promise<void> {
  const response = await sender(store)(id, shape, input, { ...call, ...deadline(options, input.wait) })
  try {
    await printResponse(id, response, options)
  } catch (error) {
    if (!isChange || !(error instanceof CommandFailed)) throw error
    const lost =
      operationOf(id).secret === undefined
        ? ': only its output is missing.'
        : ', but nobody can know its secret: revoke or delete it.'
    throw new CommandFailed(`${error.message} The change was made${idText(response.data)}${lost}`)
  }
}

function idText(data: unknown): string {
  return typeof data === 'object' && data !== null && 'id' in data
    ? ` (id ${escapeControls(String(data.id))})`
    : ''
}

async function printResponse(
  id: OperationId,
  response: ApiResponse<unknown>,
  options: OperationOptions,
): Promise<void> {
  const { success } = operationOf(id)
  if (options.includeHeaders) await print(headText(response))
  if (response.replayed) say('This is the stored response to an earlier request with this idempotency key.')
  const warning = response.headers.get('petstore-warning')
  if (warning !== null) say(`Warning: ${escapeControls(warning)}`)
  if (response.data === undefined) {
    if (response.status === 304) say('It has not changed (304).')
    else if (process.stderr.isTTY) say(success.description)
    return
  }
  await printResource(response.data, {
    ...outputOf(id, options),
    isSecret: operationOf(id).secret !== undefined,
  })
}

async function runList(
  id: OperationId,
  shape: OperationShape & { readonly pages: 'cursor' | 'after' },
  { input, call }: OperationRequest,
  options: OperationOptions,
  { store }: RequestFacts,
): Promise<void> {
  const send = sender(store)
  const output = outputOf(id, options)
  const printer = listPrinter(output)
  let position = input[shape.pages]
  let count = 0
  const wanted = options.all ? Infinity : shape.pages === 'cursor' ? Number(input.limit ?? LIMIT_DEFAULT) : 0
  for (let isFirst = true; ; isFirst = false) {
    const rest = isFirst || options.all ? {} : { limit: wanted - count }
    const paged = position === undefined ? input : { ...input, ...rest, [shape.pages]: position }
    const response = await send(id, shape, paged, { ...call, ...deadline(options, input.wait) })
    if (options.includeHeaders && isFirst) await print(headText(response))
    const { data } = asPage(response, shape.pages)
    if (data === undefined) {
      say('It has not changed (304).')
      return
    }
    await printer.page(data.items)
    count += data.items.length
    const isEnd = data.next === undefined || (data.items.length === 0 && data.next === String(position))
    // A page can be short, or empty, although a next page follows: a search reads a bounded number of words.
    if (isEnd || count >= wanted) {
      await printer.end()
      if (count === 0 && output.format === 'table') say('Nothing found.')
      if (!isEnd && process.stderr.isTTY && count > 0)
        say(`More may follow: --all, or --${shape.pages} ${data.next}`)
      return
    }
    position = data.next
  }
}

/** Prints each event of the stream in one line. Ends if the first connection fails; reconnects after later failures. */
async function runStream(
  { input, call }: OperationRequest,
  options: OperationOptions,
  { url, key }: CalledStore,
): Promise<void> {
  let isConnected = false
  const connect: Fetch = async (target, init) => {
    const response = await fetch(target, init)
    if (response.ok && options.includeHeaders && !isConnected) await print(headText(response))
    isConnected ||= response.ok
    return response
  }
  const onReconnect = (error: Error, delayMs: number): void => {
    if (!isConnected) throw error
    say(`${escapeControls(error.message)} The next attempt is in ${Math.ceil(delayMs / 1000)} s.`)
  }
  const after = call.headers?.['Last-Event-ID'] ?? input.after
  // Safe: the parser of the option accepts only these types.
  const types = input.type as FollowOptions['types']
  const silenceMs = Math.max(options.timeout * 1000, SILENCE_MS_MIN)
  // The command ends after this time, also if it is connected again in the meantime.
  const signal = input.seconds === undefined ? undefined : AbortSignal.timeout(Number(input.seconds) * 1000)
  const stream = follow(
    { base: url, key, fetch: connect },
    { types, onReconnect, silenceMs, signal, ...(after !== undefined && { after: String(after) }) },
  )
  const format = formatOf(options)
  for await (const event of stream) {
    await print(format === 'table' ? `${eventLine(event)}\n` : `${writeJson(event)}\n`)
  }
}

function eventLine({ sequence, time, type, subject, data }: Event): string {
  return fitText(
    [String(BigInt(sequence)), time, type, subject, data].map(cellText).join('  '),
    terminalWidth(),
  )
}

function outputOf(id: OperationId, options: OperationOptions): OutputOptions {
  const { success } = operationOf(id)
  const format = formatOf(options)
  if ('list' in success) return { format, columns: columnsOf(success.list) }
  return { format, ...('resource' in success ? rowsOf(success.resource) : { columns: [] }) }
}

/** Returns the function that sends requests to a store. It reports deprecations and long pauses. */
function sender({ url, key }: CalledStore): Call {
  return makeCall({ baseUrl: url, key, timeoutMs: Number.POSITIVE_INFINITY, onDeprecation, onRetry })
}

let isDeprecationReported = false

/** Reports a deprecation once: each page of a list has the same. */
function onDeprecation({ operationId, sunsetAt, successor }: DeprecationNotice): void {
  if (isDeprecationReported) return
  isDeprecationReported = true
  const end = sunsetAt === undefined ? '' : ` and works until ${sunsetAt.toISOString().slice(0, 10)}`
  const instead = successor === undefined ? '' : ` Use ${escapeControls(successor)} instead.`
  say(`${kebabCase(operationId)} is deprecated${end}.${instead}`)
}

function onRetry({ delayMs, error }: Retry): void {
  if (delayMs < PAUSE_REPORTED_MS) return
  say(`${escapeControls(error.message)} The next attempt is in ${Math.ceil(delayMs / 1000)} s.`)
}

function headText({ status, headers }: Pick<ApiResponse<unknown>, 'status' | 'headers'>): string {
  const fields = [...headers].map(([name, value]) => escapeControls(`${name}: ${value}`))
  return `${[`HTTP ${status}`, ...fields].join('\n')}\n\n`
}

/** Prints a refusal as JSON for --output json or ndjson. With --include-headers, shows its status and headers first. */
async function printRefusal(error: ApiError, { output, includeHeaders }: OperationOptions): Promise<void> {
  if (includeHeaders) say(headText(error).trimEnd())
  if (output !== 'json' && output !== 'ndjson') return
  const { code, message, status, errors } = error
  const body = { code, message, status: BigInt(status), ...(errors.length > 0 && { errors }) }
  await print(`${jsonText(body)}\n`)
}
