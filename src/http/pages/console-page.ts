import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { routeNotFound } from '../../contract/refusals.ts'
import { builtPages } from '../../files/program-files.ts'
import { version } from '../../files/version.ts'
import { CURRENCY_DEFAULT } from '../../values/currency.ts'
import { acceptsPage } from '../pipeline/negotiate.ts'
import { findPath } from '../request/paths.ts'
import type { Handler } from '../request/request-context.ts'
import { type RequestContext, varyBy } from '../request/request-context.ts'
import { textResponse } from '../request/text-response.ts'
import { type Content, prepareFile, sendContent } from './content.ts'
import { basePath, escapeHtml, framedPage, HTML, notBuiltPage, pageHeaders } from './frame.ts'
import { sandboxViewPaths, viewPaths } from './view-paths.ts'

const viewTemplates = viewPaths.map(templateOf)
const sandboxViewTemplates = [...viewTemplates, ...sandboxViewPaths.map(templateOf)]

/** Returns the path of a view in the notation of the contract, without a trailing slash. */
function templateOf(path: string): string {
  return `/console${path.replace(':id', '{id}')}`.replace(/\/$/, '')
}

/** Matches a file name that has a hash of the content before the extension. */
const HASHED_NAME = /-[0-9a-z]{8}\.\w+$/
/** For names with a hash: the content of such a name never changes. */
const KEPT_FOREVER = 'public, max-age=31536000, immutable'

/**
 * Allows scripts and styles only from this host. The component library also inserts styles, which need the nonce of the
 * page.
 */
function consoleHeaders(nonce: string) {
  return pageHeaders(
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
  )
}

/** The bundled files of the console, by name. There are none if the console is not built. */
export type ConsoleFiles = ReadonlyMap<string, () => Promise<Content>>

/** Returns the files of the console. `directory` contains the bundled files; tests pass another one. */
export function consoleFiles(directory = builtPages.console): ConsoleFiles {
  const names = existsSync(directory) ? readdirSync(directory) : []
  return new Map(names.map(name => [name, prepareFile(join(directory, name))]))
}

interface ConsoleOptions {
  /** The address of a sandbox in the host API. */
  readonly hostApi?: string | undefined
  /** The time zone of the shop; UTC by default. */
  readonly timeZone?: string | undefined
  /** The currency of the store; EUR by default. */
  readonly currency?: string | undefined
  /** The name of the shop; Petstore by default. */
  readonly shopName?: string | undefined
}

/**
 * Returns the handlers of the console, by path. `base` is the base URL of the store: behind a proxy, its path is part
 * of every address in the page.
 */
export function consoleRoutes(
  base: string,
  files: ConsoleFiles,
  { hostApi, timeZone = 'UTC', currency = CURRENCY_DEFAULT, shopName = 'Petstore' }: ConsoleOptions = {},
): [string, Handler['handle']][] {
  const options = {
    pathOfBase: basePath(base),
    pathInHostApi: hostApi === undefined ? undefined : basePath(hostApi),
    names: [...files.keys()],
    timeZone,
    currency,
    shopName,
  }
  const showPage: Handler['handle'] = context => sendPage(context, options)
  return [
    ['/console', showPage],
    // Every path has the same page, whose script selects the view by the path.
    ['/console/*', showPage],
    ['/console/assets/{file}', context => sendAsset(context, files)],
  ]
}

async function sendAsset(context: RequestContext, contents: ConsoleFiles): Promise<Response> {
  const name = context.pathParameters.file ?? ''
  const content = contents.get(name)
  if (!content) throw routeNotFound(context.path, '')
  return sendContent(
    context,
    await content(),
    HASHED_NAME.test(name) ? { 'Cache-Control': KEPT_FOREVER } : {},
  )
}

interface ConsolePageOptions {
  readonly pathOfBase: string
  readonly pathInHostApi: string | undefined
  readonly names: readonly string[]
  readonly timeZone: string
  readonly currency: string
  readonly shopName: string
}

/**
 * Sends the page. Its status is 404 if no view has the path; the page says so after the user has signed in. A client
 * that asks for something other than a page gets an Error. The page is never cached, because each response has its own
 * nonce.
 */
function sendPage({ headers, path, request }: RequestContext, options: ConsolePageOptions): Response {
  // An unknown file must not become a page.
  if (path.startsWith('/console/assets/')) throw routeNotFound(path, '')
  const known = options.pathInHostApi === undefined ? viewTemplates : sandboxViewTemplates
  const status = findPath(known, path.replace(/\/$/, '')) ? 200 : 404
  if (status === 404) {
    varyBy(headers, 'Accept')
    if (!acceptsPage(request.headers)) throw routeNotFound(path, '')
  }
  const nonce = randomBytes(16).toString('base64')
  const html = options.names.length === 0 ? notBuiltPage('The console is') : consolePage(options, nonce)
  const fields = { ...headers, 'Content-Type': HTML, 'Cache-Control': 'no-store', ...consoleHeaders(nonce) }
  return textResponse({ request }, html, fields, status)
}

function consolePage(
  { pathOfBase, pathInHostApi, names, timeZone, currency, shopName }: ConsolePageOptions,
  nonce: string,
): string {
  const assets = `${pathOfBase}/console/assets`
  const hostApi =
    pathInHostApi === undefined
      ? ''
      : `<meta name="petstore-host-api" content="${escapeHtml(pathInHostApi)}">\n`
  const mainOf = (extension: string): string =>
    names.find(name => name.startsWith('main-') && name.endsWith(`.${extension}`)) ?? ''
  return framedPage({
    title: 'Petstore',
    head: `<meta name="petstore-base" content="${escapeHtml(pathOfBase)}">
<meta name="petstore-nonce" content="${nonce}">
<meta name="petstore-time-zone" content="${escapeHtml(timeZone)}">
<meta name="petstore-currency" content="${escapeHtml(currency)}">
<meta name="petstore-shop-name" content="${escapeHtml(shopName)}">
<meta name="petstore-version" content="${version}">
${hostApi}<link rel="stylesheet" href="${escapeHtml(assets)}/${mainOf('css')}">
<script type="module" src="${escapeHtml(assets)}/${mainOf('js')}"></script>
`,
    body: '<noscript>The console needs JavaScript.</noscript>\n<div id="app"></div>',
  })
}
