import type { Command } from 'commander'
import { z } from 'zod'
import { ApiError, ConnectionError } from '../../client/errors.ts'
import { apiErrorFrom } from '../../client/response.ts'
import { readBody } from '../../client/send.ts'
import { failureOf } from '../operations/request-failure.ts'
import { addOptions, type RequestOptions, requestOptions } from '../operations/request-options.ts'
import { type CalledStore, chooseStore } from '../store-access/called-store.ts'
import { CommandFailed, print, reasonOf, say } from '../terminal/terminal.ts'

/** The maximum number of messages that wait for the store. Further ones wait in the pipe. */
const MESSAGES_MAX = 32
/** JSON-RPC has these codes for a text that is no JSON, for JSON that is no message, and for an error of the server. */
const NO_JSON = -32_700
const NO_MESSAGE = -32_600
const FAILED = -32_000

const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion'
/** What the headers of a message repeat of it, and what its response needs. */
const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z
    .looseObject({
      name: z.string().optional(),
      _meta: z.looseObject({ [VERSION_MEMBER]: z.string().optional() }).optional(),
    })
    .optional(),
})
/** The runtime rounds a larger id. */
const SafeId = z.looseObject({ id: z.union([z.string(), z.int()]) })
type Message = z.output<typeof Message>

/** The response to `initialize`, by which older clients agree on a revision for all later messages. */
const Initialized = z.looseObject({ result: z.looseObject({ protocolVersion: z.string() }) })

/** Adds the command `mcp`, which passes the messages of an agent on to a store. */
export function addMcp(program: Command): void {
  const command = program
    .command('mcp')
    .description(
      'give an agent the tools of a store, over standard input and output (Model Context Protocol)',
    )
  const options = requestOptions().filter(option => option.attributeName() !== 'output')
  addOptions(command, 'Options:', options)
  command.action(async (given: RequestOptions) => {
    if (process.stdin.isTTY)
      say('This command is for MCP clients, which start it themselves: see docs/agents.md.')
    const bridge = new Bridge(given)
    const inProgress = new Set<Promise<void>>()
    for await (const line of linesOf(process.stdin)) {
      if (line.trim() === '') continue
      const done = bridge.passOn(line).finally(() => inProgress.delete(done))
      inProgress.add(done)
      if (inProgress.size >= MESSAGES_MAX) await Promise.race(inProgress)
    }
    await Promise.all(inProgress)
  })
}

/** Yields the lines of a text. Only a line feed ends one: JSON may contain the other line ends of Unicode. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  yield rest + decoder.decode()
}

/** Sends each line of an agent to `/mcp` of a store, and prints the response as a line. */
class Bridge {
  readonly #options: RequestOptions
  #revision: string | undefined

  constructor(options: RequestOptions) {
    this.#options = options
  }

  /** Never throws: an agent that gets no response waits for long, and one whose program ends loses all tools. */
  async passOn(line: string): Promise<void> {
    let code = NO_JSON
    let message: Message = {}
    try {
      const value = parsed(line)
      code = NO_MESSAGE
      // The agent finds the response by the id, also that to a message with another mistake.
      message = { id: SafeId.safeParse(value).data?.id }
      message = readMessage(value)
      code = FAILED
      const text = await this.#send(line, message)
      if (message.method === 'initialize') {
        const { data } = Initialized.safeParse(JSON.parse(text))
        this.#revision = data?.result.protocolVersion
      }
      if (text !== '') await print(`${text}\n`)
    } catch (error) {
      const text = error instanceof CommandFailed ? error.message : `The message failed: ${reasonOf(error)}.`
      say(text)
      if (message.method !== undefined && message.id === undefined) return
      const { id = null } = message
      await print(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: text } })}\n`)
    }
  }

  /** Returns the body of the response; empty for a notification. Throws CommandFailed. */
  async #send(line: string, message: Message): Promise<string> {
    // The store may have moved since the message before.
    const store = chooseStore(this.#options)
    const { timeout } = this.#options
    const headers = this.#headersOf(message, store)
    try {
      const response = await fetch(`${store.url}/mcp`, {
        method: 'POST',
        redirect: 'manual',
        headers,
        body: line,
        signal: AbortSignal.timeout(timeout * 1000),
      })
      const body = await readBody(response)
      const text = new TextDecoder().decode(body).trim()
      if (response.status === 202 || isMessage(text)) return text
      if (response.status === 413 || response.status === 431)
        throw new CommandFailed('The message was not sent: it is too long for the store.')
      throw response.status >= 400
        ? apiErrorFrom(response, body)
        : new ConnectionError(`The server responded with HTTP status ${response.status}.`)
    } catch (error) {
      if (error instanceof CommandFailed) throw error
      if (error instanceof ApiError && error.code === 'route_not_found')
        throw new CommandFailed(`The store at ${store.url} has no tools for agents (PETSTORE_MCP=off).`)
      const lost =
        error instanceof Error && !(error instanceof ApiError) && error.name !== 'TimeoutError'
          ? new ConnectionError(error.message, error)
          : error
      throw failureOf(lost, { store, timeoutSeconds: timeout, isChange: message.method === 'tools/call' })
    }
  }

  /** Returns the headers of a message. Since revision 2026-07-28, they repeat a part of it. */
  #headersOf({ method = '', params }: Message, { key }: CalledStore): Headers {
    const headers = new Headers({
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    })
    if (key !== undefined) headers.set('Authorization', `Bearer ${key}`)
    const revision = params?._meta?.[VERSION_MEMBER]
    const known = revision ?? (method === 'initialize' ? undefined : this.#revision)
    if (known !== undefined) headers.set('Mcp-Protocol-Version', known)
    if (revision === undefined) return headers
    headers.set('Mcp-Method', method)
    if (params?.name !== undefined) setName(headers, params.name)
    return headers
  }
}

function setName(headers: Headers, name: string): void {
  try {
    headers.set('Mcp-Name', name)
  } catch {
    throw new CommandFailed('The message was not sent: the name of a tool has letters and underscores only.')
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new CommandFailed(`The line is not JSON: ${reasonOf(error)}.`)
  }
}

function readMessage(value: unknown): Message {
  const { data } = Message.safeParse(value)
  if (data && data.id !== undefined && !SafeId.safeParse(data).success)
    throw new CommandFailed('The id of a message must be a text, or an integer of at most 2^53 - 1.')
  if (data) return data
  throw new CommandFailed('The line is not one message of JSON-RPC.')
}

/** Returns whether a text is a message in one line, and not the page of a proxy. */
function isMessage(text: string): boolean {
  return text.startsWith('{"') && text.includes('"jsonrpc":"2.0"') && !text.includes('\n')
}
