import type { Operation } from '../../contract/operation.ts'
import { contract } from '../../shop/operations.ts'
import { writeJson } from '../../values/json.ts'
import { basePath } from '../base-path.ts'
import { pageHeaders } from './page-headers.ts'

/** All entry points, relative to the base address: name, path and description. */
const entryPoints = [
  { name: 'console', path: '/console', about: 'The console: run the shop from a web page.' },
  { name: 'docs', path: '/docs', about: 'The interactive documentation.' },
  { name: 'guide', path: '/docs/guide', about: 'The guides: start, call, integrate and run the store.' },
  { name: 'openapi', path: '/openapi.json', about: 'The OpenAPI 3.0.3 description, as JSON.' },
  { name: 'openapiYaml', path: '/openapi.yaml', about: 'The OpenAPI 3.0.3 description, as YAML.' },
  { name: 'errors', path: '/errors', about: 'The catalogue of error codes.' },
  { name: 'pets', path: '/pets', about: 'The pets.' },
  { name: 'categories', path: '/categories', about: 'The categories.' },
  { name: 'inventory', path: '/store/inventory', about: 'The stock.' },
  { name: 'apiCatalog', path: '/.well-known/api-catalog', about: 'The API catalogue (RFC 9727).' },
  { name: 'llms', path: '/llms.txt', about: 'A one-page summary of the service, in Markdown.' },
  { name: 'live', path: '/livez', about: 'Liveness probe: whether the process is running.' },
  { name: 'ready', path: '/readyz', about: 'Readiness probe: whether the database responds.' },
  { name: 'metrics', path: '/metrics', about: 'Metrics for Prometheus.' },
] as const

const ABOUT = 'A store of pets, categories, stock and orders over HTTP and JSON.'

/** Returns the home document for programs: links to every entry point. */
export function homeJson(base: string): string {
  const links = Object.fromEntries(entryPoints.map(({ name, path }) => [name, base + path]))
  return writeJson({ name: 'petstore', version: '1.0.0', about: ABOUT, links })
}

/** The style sheet of the home page. */
const HOME_STYLE = `body { font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem }
li { margin: .3rem 0 }
a { display: inline-block; min-width: 14rem; font-family: ui-monospace, monospace }
`

/** The headers of the home page. They allow its style sheet by its hash. */
export const homeHeaders = pageHeaders(
  `style-src 'sha256-${Bun.SHA256.hash(HOME_STYLE, 'base64')}'`,
  'img-src data:',
)

/** Returns the home page for people: links to every entry point. `base` is the base URL of the store. */
export function homeHtml(base: string): string {
  const prefix = basePath(base)
  const rows = entryPoints.map(
    ({ path, about }) => `<li><a href="${prefix}${path}">${path}</a> ${about}</li>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Petstore</title>
<link rel="icon" href="data:,">
<style>${HOME_STYLE}</style>
</head>
<body>
<h1>Petstore</h1>
<p>${ABOUT}</p>
<ul>
${rows.join('\n')}
</ul>
</body>
</html>
`
}

/** Returns the API catalogue of RFC 9727, as a link set (RFC 9264). */
export function apiCatalog(base: string): string {
  return writeJson({
    linkset: [
      {
        anchor: `${base}/`,
        'service-desc': [
          { href: `${base}/openapi.json`, type: 'application/json' },
          { href: `${base}/openapi.yaml`, type: 'application/yaml' },
        ],
        'service-doc': [
          { href: `${base}/docs`, type: 'text/html' },
          { href: `${base}/docs/guide`, type: 'text/html' },
        ],
        'service-meta': [{ href: `${base}/llms.txt`, type: 'text/markdown' }],
        status: [{ href: `${base}/readyz`, type: 'application/json' }],
      },
    ],
  })
}

/** Returns a one-page summary of the service in Markdown, for language models and quick reading. */
export function llmsText(base: string, serves: (operation: Operation) => boolean): string {
  const operations: [string, Operation][] = Object.entries(contract)
  const shown = operations.filter(([, operation]) => !operation.hidden && serves(operation))
  const lines = shown.map(([id, { method, path, summary, scope, stability }]) => {
    const needs = scope === 'public' ? 'no key' : scope === 'any-key' ? 'any valid key' : `scope ${scope}`
    return `- ${id}: ${method} ${path}. ${summary} (${needs}${stability === 'stable' ? '' : `, ${stability}`}).`
  })
  return `# Petstore

> ${ABOUT}

Ids are 64-bit integers: read and send them exactly, never as floating-point numbers. Lists are plain arrays; the
next page is in the Link header. Send \`Authorization: Bearer pst_...\` if the operation needs a key or a scope. Send
an Idempotency-Key with every POST, PATCH, PUT and DELETE that may be retried, except where the response contains a
secret. Every error is \`{"code", "message", "status"}\`, with \`errors\` for each invalid part of a request; the codes
are listed at ${base}/errors.

## Documentation

${entryPoints.map(({ path, about }) => `- [${path}](${base}${path}): ${about}`).join('\n')}

## Operations

${lines.join('\n')}
`
}
