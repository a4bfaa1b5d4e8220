import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { ADMIN_KEY } from './store.ts'

/** How a client speaks: by the newest revision of the protocol, or as clients before it do. */
export const eras = ['auto', 'legacy'] as const

export interface AgentOptions {
  /** The key; the admin key of the tests by default, and none if undefined. */
  readonly key?: string | undefined
  readonly era?: (typeof eras)[number]
}

/** The result of a tool call: its content, or the text of a refusal. */
export interface Called {
  readonly content: Readonly<Record<string, unknown>>
  readonly refusal: string | undefined
}

/** The official client of the protocol, connected to `/mcp` of a store. */
export interface Agent extends AsyncDisposable {
  readonly revision: string | undefined
  toolNames(): Promise<string[]>
  /** The length of the list of tools as JSON. */
  countToolChars(): Promise<number>
  call(tool: string, input?: Readonly<Record<string, unknown>>): Promise<Called>
}

export async function connectAgent(base: string, options: AgentOptions = {}): Promise<Agent> {
  const { key = 'key' in options ? undefined : ADMIN_KEY, era = 'auto' } = options
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  return agentOver(
    new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit: { headers } }),
    era,
  )
}

export async function agentOver(
  transport: Parameters<Client['connect']>[0],
  era: (typeof eras)[number],
): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } })
  await client.connect(transport)
  return {
    revision: client.getNegotiatedProtocolVersion(),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    countToolChars: async () => JSON.stringify((await client.listTools()).tools).length,
    call: async (name, input = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...input } })
      const [first] = content
      const text = first?.type === 'text' ? first.text : ''
      if (isError) return { content: {}, refusal: text }
      if (JSON.stringify(structuredContent) !== text)
        throw new Error(`the text differs from the content: ${text}`)
      return { content: { ...Object(structuredContent) }, refusal: undefined }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
