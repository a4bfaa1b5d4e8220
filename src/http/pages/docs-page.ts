import { existsSync } from 'node:fs'
import { builtPages } from '../../files/program-files.ts'
import type { Handler } from '../request/request-context.ts'
import {
  type Content,
  mediaTypeOf,
  prepareContent,
  prepareFile,
  prepareOnce,
  sendContent,
} from './content.ts'
import { basePath, framedPage, HTML, notBuiltPage, pageHeaders } from './frame.ts'

// Scalar renders the page. Everything is served from this host: no external font, script or proxy. The script of Scalar
// sets styles, which requires 'unsafe-inline'.
const docsHeaders = pageHeaders(
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
)

/** Returns a link to a file of the store, with its path as the text. `pathOfBase` is the path of the base URL. */
function link(pathOfBase: string, file: string): string {
  return `<a href="${pathOfBase}${file}">${pathOfBase}${file}</a>`
}

function docsPage(pathOfBase: string): string {
  return framedPage({
    title: 'Petstore API',
    head: `<script defer src="${pathOfBase}/docs/scalar.js"></script>
<script defer src="${pathOfBase}/docs/start.js"></script>
`,
    body: `<noscript>This page needs JavaScript; the description itself is at
${link(pathOfBase, '/openapi.json')}.</noscript>
<div id="app"></div>`,
  })
}

/** Puts the samples of an operation right after its text on a narrow page, instead of after all of its responses. */
const NARROW_STYLE = `@container narrow-references-container (max-width: 900px) {
  .section-column:has(> .operation-details), .operation-details { display: contents }
  .operation-details > .markdown { order: -2 }
  .section-column:has(> .examples) { order: -1 }
}`

/**
 * Buttons that copy write to the clipboard, which browsers have only with HTTPS. Without it, this script puts the older
 * command in its place.
 */
export const CLIPBOARD_SCRIPT = `navigator.clipboard ??= {
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

function notBuilt(pathOfBase: string): string {
  const links = `${link(pathOfBase, '/openapi.json')} and ${link(pathOfBase, '/openapi.yaml')}`
  return notBuiltPage('The docs page is', `\n<p>The description of the API is at ${links}.</p>`)
}

/** Returns the script that renders the page. */
export type DocsScript = () => Promise<Content>

/** Returns the script that renders the docs page; undefined if it is not built. Tests pass another file. */
export function docsScript(file = builtPages.docs): DocsScript | undefined {
  if (!existsSync(file)) return undefined
  return prepareFile(file)
}

/** Returns the handlers of the docs page and its scripts, by path. `base` is the base URL of the store. */
export function docsRoutes(base: string, script: DocsScript | undefined): [string, Handler['handle']][] {
  const pathOfBase = basePath(base)
  const files: [string, () => Promise<Content>][] = script
    ? [
        ['/docs', prepareOnce(() => prepareContent(HTML, docsPage(pathOfBase)))],
        [
          '/docs/start.js',
          prepareOnce(() => prepareContent(mediaTypeOf('start.js'), startScript(pathOfBase))),
        ],
        ['/docs/scalar.js', script],
      ]
    : [['/docs', prepareOnce(() => prepareContent(HTML, notBuilt(pathOfBase)))]]
  return files.map(([file, content]) => [
    file,
    async context => sendContent(context, await content(), docsHeaders),
  ])
}
