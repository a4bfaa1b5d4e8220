import { fileURLToPath } from 'node:url'
import type { Exchange } from './exchange.ts'
import type { Handler } from './routes.ts'

// Scalar draws the page. Everything comes from this host: no font, script or proxy from elsewhere. The page sets styles
// from its script, which is what 'unsafe-inline' is for; scripts are files of ours alone.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Petstore API</title>
<link rel="icon" href="data:,">
<script defer src="/docs/scalar.js"></script>
<script defer src="/docs/start.js"></script>
</head>
<body>
<noscript>This page needs JavaScript; the description itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<div id="app"></div>
</body>
</html>
`

const START = `Scalar.createApiReference('#app', {
  url: '/openapi.json',
  servers: [{ url: location.origin, description: 'this store' }],
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'key' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})
`

/** The docs page and its scripts, by path. */
export function docsPaths(): [string, Handler['answer']][] {
  const scalar = compressedOnce('@scalar/api-reference/browser/standalone.js')
  return [
    ['/docs', exchange => file(exchange, PAGE, 'text/html; charset=utf-8')],
    ['/docs/start.js', exchange => file(exchange, START, 'text/javascript; charset=utf-8')],
    ['/docs/scalar.js', exchange => script(exchange, scalar)],
  ]
}

function file({ headers }: Exchange, body: string, type: string): Response {
  return new Response(body, {
    headers: {
      ...headers,
      'Content-Type': type,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
    },
  })
}

async function script({ headers, request }: Exchange, scalar: () => Promise<Packed>): Promise<Response> {
  const { bytes, etag } = await scalar()
  const fields = { ...headers, ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' }
  if (request.headers.get('if-none-match') === etag)
    return new Response(null, { status: 304, headers: fields })
  const type = { 'Content-Type': 'text/javascript; charset=utf-8' }
  if (!/\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')) {
    return new Response(Bun.gunzipSync(bytes), { headers: { ...fields, ...type } })
  }
  return new Response(bytes, { headers: { ...fields, ...type, 'Content-Encoding': 'gzip' } })
}

interface Packed {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
}

/** A file of a package, compressed when it is first asked for: a store whose page nobody reads never holds it. */
function compressedOnce(specifier: string): () => Promise<Packed> {
  let packed: Promise<Packed> | undefined
  const pack = async (): Promise<Packed> => {
    const bytes = Bun.gzipSync(await Bun.file(fileURLToPath(import.meta.resolve(specifier))).bytes())
    return { bytes, etag: `"${Bun.hash(bytes).toString(36)}"` }
  }
  return () => {
    packed ??= pack()
    return packed
  }
}
