import { existsSync } from 'node:fs'
import { builtPages } from '../../files/program-files.ts'
import { basePath } from '../base-path.ts'
import type { Handler } from '../routes.ts'
import { type Content, prepareContent, prepareOnce, sendContent } from './content.ts'
import { pageHeaders } from './page-headers.ts'

// Scalar renders the page. Everything is served from this host: no external font, script or proxy. The script of Scalar
// sets styles, which requires 'unsafe-inline'.
const docsHeaders = pageHeaders(
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
)

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

/** Returns a link to a file of the store, with its path as the text. `pathOfBase` is the path of the base URL. */
function link(pathOfBase: string, file: string): string {
  return `<a href="${pathOfBase}${file}">${pathOfBase}${file}</a>`
}

function docsPage(pathOfBase: string): string {
  return htmlPage(
    `<script defer src="${pathOfBase}/docs/scalar.js"></script>
<script defer src="${pathOfBase}/docs/start.js"></script>
`,
    `<noscript>This page needs JavaScript; the description itself is at ${link(pathOfBase, '/openapi.json')}.</noscript>
<div id="app"></div>`,
  )
}

/** Puts the samples of an operation right after its text on a narrow page, instead of after all of its responses. */
const NARROW_STYLE = `@container narrow-references-container (max-width: 900px) {
  .section-column:has(> .operation-details), .operation-details { display: contents }
  .operation-details > .markdown { order: -2 }
  .section-column:has(> .examples) { order: -1 }
}`

/**
 * The buttons of Scalar write to the clipboard, which browsers have only with HTTPS. Without it, this script puts the
 * older command in its place.
 */
const CLIPBOARD_SCRIPT = `navigator.clipboard ??= {
  async writeText(text) {
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    const isCopied = document.execCommand('copy')
    area.remove()
    if (!isCopied) throw new Error('The browser does not allow copying.')
  },
}
`

function startScript(pathOfBase: string): string {
  return `${CLIPBOARD_SCRIPT}Scalar.createApiReference('#app', {
  url: '${pathOfBase}/openapi.json',
  servers: [{ url: location.origin + '${pathOfBase}', description: 'This store' }],
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  customCss: ${JSON.stringify(NARROW_STYLE)},
})
`
}

function notBuiltPage(pathOfBase: string): string {
  return htmlPage(
    '',
    `<h1>The docs page is not built</h1>
<p>In a clone of petstore, <code>npm ci</code> builds it. With <code>--omit=dev</code>, its package is missing: run
<code>npm ci</code> once, and restart the store.</p>
<p>The description of the API is at ${link(pathOfBase, '/openapi.json')} and
${link(pathOfBase, '/openapi.yaml')}.</p>`,
  )
}

/** Returns the script that renders the page. */
export type DocsScript = () => Promise<Content>

/** Returns the script that renders the docs page; undefined if it is not built. Tests pass another file. */
export function docsScript(file = builtPages.docs): DocsScript | undefined {
  if (!existsSync(file)) return undefined
  return prepareOnce(async () => prepareContent(SCRIPT, await Bun.file(file).bytes()))
}

/** Returns the handlers of the docs page and its scripts, by path. `base` is the base URL of the store. */
export function docsRoutes(base: string, script: DocsScript | undefined): [string, Handler['handle']][] {
  const pathOfBase = basePath(base)
  const files: [string, () => Promise<Content>][] = script
    ? [
        ['/docs', prepareOnce(() => prepareContent(HTML, docsPage(pathOfBase)))],
        ['/docs/start.js', prepareOnce(() => prepareContent(SCRIPT, startScript(pathOfBase)))],
        ['/docs/scalar.js', script],
      ]
    : [['/docs', prepareOnce(() => prepareContent(HTML, notBuiltPage(pathOfBase)))]]
  return files.map(([file, content]) => [
    file,
    async context => sendContent(context, await content(), docsHeaders),
  ])
}

function htmlPage(scripts: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Petstore API</title>
<link rel="icon" href="data:,">
${scripts}</head>
<body>
${body}
</body>
</html>
`
}
