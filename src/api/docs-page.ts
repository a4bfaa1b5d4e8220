import { fileURLToPath } from 'node:url'
import { type Content, prepareContent, prepareOnce, sendContent } from './content.ts'
import type { Handler } from './routes.ts'

// Scalar renders the page. Everything is served from this host: no external font, script or proxy. The page sets
// styles from its script, which requires 'unsafe-inline'; scripts are only our own files.
const CONTENT_SECURITY_POLICY = [
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

const HEADERS = { 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Referrer-Policy': 'no-referrer' }

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

const START_SCRIPT = `Scalar.createApiReference('#app', {
  url: '/openapi.json',
  servers: [{ url: location.origin, description: 'This store' }],
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

/** Returns the handlers of the docs page and its scripts, by path. */
export function docsRoutes(): [string, Handler['handle']][] {
  const files: [string, () => Promise<Content>][] = [
    ['/docs', () => prepareContent('text/html; charset=utf-8', PAGE)],
    ['/docs/start.js', () => prepareContent('text/javascript; charset=utf-8', START_SCRIPT)],
    ['/docs/scalar.js', () => packageFile('@scalar/api-reference/browser/standalone.js')],
  ]
  return files.map(([path, make]) => {
    const content = prepareOnce(make)
    return [path, async context => sendContent(context, await content(), HEADERS)]
  })
}

async function packageFile(specifier: string): Promise<Content> {
  const bytes = await Bun.file(fileURLToPath(import.meta.resolve(specifier))).bytes()
  return prepareContent('text/javascript; charset=utf-8', bytes)
}
