import type { Operation } from '../../contract/operation.ts'
import { version } from '../../files/version.ts'
import { contract } from '../../shop/registry/operations.ts'
import { writeJson } from '../../values/json.ts'
import { DAY_MS } from '../../values/time-zone.ts'
import type { DocumentFile } from './documents.ts'
import { basePath, framedPage, pageHeaders } from './frame.ts'

/** All entry points, relative to the base address: name, path and description. */
const entryPoints = [
  { name: 'console', path: '/console', about: 'The console: run the shop from a web page.' },
  { name: 'docs', path: '/docs', about: 'The interactive documentation.' },
  { name: 'guide', path: '/docs/guide', about: 'The guides: start, call, integrate and run the store.' },
  { name: 'agents', path: '/docs/guide/agents', about: 'Tools for agents at /mcp (Model Context Protocol).' },
  { name: 'openapi', path: '/openapi.json', about: 'The OpenAPI 3.0.3 description, as JSON.' },
  { name: 'openapiYaml', path: '/openapi.yaml', about: 'The OpenAPI 3.0.3 description, as YAML.' },
  {
    name: 'openapi32',
    path: '/openapi-3.2.yaml',
    about: 'The same in OpenAPI 3.2; /openapi-3.1.yaml in 3.1.',
  },
  { name: 'asyncapi', path: '/asyncapi.yaml', about: 'The AsyncAPI 3.0 description of the events.' },
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
  return writeJson({ name: 'petstore', version, about: ABOUT, links })
}

/** The headers of the home page, which has the style sheet of the guides. */
export const homeHeaders = pageHeaders("style-src 'self'", 'img-src data:')

/** Returns the home page for people: links to every entry point. `base` is the base URL of the store. */
export function homeHtml(base: string): string {
  const prefix = basePath(base)
  const rows = entryPoints.map(
    ({ path, about }) => `<dt><a href="${prefix}${path}">${path}</a></dt><dd>${about}</dd>`,
  )
  return framedPage({
    title: 'Petstore',
    head: `<link rel="stylesheet" href="${prefix}/docs/guide/guide.css">\n`,
    body: `<main>
<h1>Petstore</h1>
<p>${ABOUT}</p>
<dl>
${rows.join('\n')}
</dl>
</main>`,
  })
}

/** Returns the API catalogue of RFC 9727, as a link set (RFC 9264) of the files for tools. */
export function apiCatalog(
  base: string,
  documents: readonly DocumentFile[],
  schemas: readonly DocumentFile[],
): string {
  const link = ({ path, type }: DocumentFile): object => ({ href: base + path, type })
  return writeJson({
    linkset: [
      {
        anchor: `${base}/`,
        'service-desc': documents.map(link),
        describedby: schemas.map(link),
        'service-doc': [
          { href: `${base}/docs`, type: 'text/html' },
          { href: `${base}/docs/guide`, type: 'text/html' },
          { href: `${base}/docs/guide/agents`, type: 'text/html' },
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
  const lines = shown.map(([id, { method, path, summary, scope, stability = 'stable' }]) => {
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

/** How long a reader may rely on security.txt, in days. RFC 9116, section 2.5.5 recommends less than a year. */
const SECURITY_TXT_DAYS = 180

/** Returns the file of RFC 9116. */
export function securityText(base: string, contact: string, nowMs: number): string {
  const expires = new Date(nowMs + SECURITY_TXT_DAYS * DAY_MS).toISOString()
  return [
    `Contact: ${contact}`,
    `Expires: ${expires.replace(/\.\d+Z$/, 'Z')}`,
    // It must be an https URI (RFC 9116, section 2.5.2).
    ...(base.startsWith('https:') ? [`Canonical: ${base}/.well-known/security.txt`] : []),
    '',
  ].join('\n')
}
