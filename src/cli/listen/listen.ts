import { type Command, InvalidArgumentError } from 'commander'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { z } from 'zod'
import { escapeFormats } from '../../values/control-characters.ts'
import { parseJson, writeJson } from '../../values/json.ts'
import { CommandFailed, EXIT_USAGE, say } from '../terminal/terminal.ts'
import { wholeNumber } from '../terminal/whole-number.ts'

/** The maximum number of characters that are printed of a body that is not an event. */
const BODY_CHARS_SHOWN = 500
/** The maximum size of a body. Every event is smaller. */
const BODY_BYTES_MAX = 1024 * 1024

interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly secret?: string
  readonly status: number
  readonly delay: number
}

/** Adds the command `listen`, a webhook receiver for learning and experiments. */
export function addListen(program: Command): void {
  program
    .command('listen')
    .description('receive webhooks and print them; the store needs --allow-private-webhooks to reach it')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535), 9999)
    .option(
      '--secret <secret>',
      'the secret of the webhook, to refuse requests without a valid signature (400)',
    )
    .option(
      '--status <number>',
      'respond with this status, to watch the store retry',
      wholeNumber(200, 599, 'status'),
      204,
    )
    .option('--delay <time>', 'wait before each response, such as 2s or 500ms', readDelay, 0)
    .action(listen)
}

function listen(options: ListenOptions): void {
  const verifier = options.secret === undefined ? undefined : makeVerifier(options.secret)
  const { host, port } = options
  try {
    const listener = Bun.serve({
      hostname: host,
      port,
      development: false,
      reusePort: false,
      idleTimeout: 255,
      maxRequestBodySize: BODY_BYTES_MAX,
      fetch: request => receive(request, options, verifier),
    })
    say(`\n  Listening on http://${host}:${listener.port}/ (Ctrl-C to stop)\n\n`)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const reason = error.code === 'EADDRINUSE' ? 'it is in use: choose another --port' : error.message
    throw new CommandFailed(`Cannot listen on ${host}:${port}: ${reason}.`)
  }
}

async function receive(
  request: Request,
  { status: configured, delay }: ListenOptions,
  verifier: Webhook | undefined,
): Promise<Response> {
  const body = await request.text()
  const problem = verifier && verificationProblem(verifier, body, request.headers)
  const signature = !verifier
    ? 'not verified (no --secret)'
    : problem === undefined
      ? 'signature verified'
      : `NOT VERIFIED: ${problem}`
  // A receiver must not accept what the store did not sign.
  const status = problem !== undefined && configured < 300 ? 400 : configured
  process.stdout.write(`${describe(request, body, signature, status)}\n`)
  if (delay > 0) await Bun.sleep(delay)
  return new Response(status === 204 || status === 304 ? null : `petstore listen responds with ${status}\n`, {
    status,
  })
}

/** Returns three lines: the event or request with the status of the response, the signature, and the data or body. */
function describe(request: Request, body: string, signature: string, status: number): string {
  const { headers, method, url } = request
  const time = new Date().toISOString().slice(11, 23)
  const event = readEvent(body)
  const lines = [
    `${time}  ${event?.type ?? `${method} ${new URL(url).pathname}`}  ${event?.subject ?? ''}  -> ${status}`,
    `              webhook-id ${headers.get('webhook-id') ?? '(none)'}, ${signature}`,
    `              ${event?.data ?? JSON.stringify(body.slice(0, BODY_CHARS_SHOWN))}`,
  ]
  // Anybody may send to this port.
  return lines.map(escapeFormats).join('\n')
}

/** Returns an event, with its data as JSON in which every digit of an id is kept; undefined for any other body. */
function readEvent(body: string): { type: string; subject: string; data: string } | undefined {
  try {
    const event = z.looseObject({ type: z.string(), subject: z.string(), data: z.unknown() })
    const { type, subject, data } = event.parse(parseJson(body))
    return { type, subject, data: writeJson(data) }
  } catch {
    return undefined
  }
}

function verificationProblem(verifier: Webhook, body: string, headers: Headers): string | undefined {
  try {
    verifier.verify(body, Object.fromEntries(headers))
    return undefined
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    return error.message
  }
}

function makeVerifier(secret: string): Webhook {
  try {
    if (!secret.startsWith('whsec_')) throw new Error('it must start with whsec_')
    return new Webhook(secret)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`--secret is not a webhook secret: ${reason}.`, EXIT_USAGE)
  }
}

/** Returns the milliseconds of a time such as 2s or 500ms. Throws InvalidArgumentError for any other text. */
function readDelay(text: string): number {
  const match = /^(\d{1,6})(ms|s)$/.exec(text)
  if (!match) throw new InvalidArgumentError('It must be a time such as 2s or 500ms.')
  return Number(match[1]) * (match[2] === 's' ? 1000 : 1)
}
