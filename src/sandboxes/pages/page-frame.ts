import { basePath } from '../../http/base-path.ts'
import { escapeHtml } from '../../http/pages/escape-html.ts'
import { pageHeaders } from '../../http/pages/page-headers.ts'
import landingScript from './landing.browser.js' with { type: 'text' }
import styleSheet from './pages.css' with { type: 'text' }
import printScript from './print.browser.js' with { type: 'text' }

export const HTML = 'text/html; charset=utf-8'

/** The pages load their style sheet and script from this host, and nothing from elsewhere. */
export const hostPageHeaders = pageHeaders(
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
)

/** A file that the pages load. */
interface PageFile {
  readonly path: `/${string}`
  readonly type: string
  readonly text: string
}

/** The files that the pages load, below the base address of the host. */
export const pageFiles: readonly PageFile[] = [
  { path: '/pages.css', type: 'text/css; charset=utf-8', text: styleSheet },
  { path: '/landing.js', type: 'text/javascript; charset=utf-8', text: landingScript },
  { path: '/print.js', type: 'text/javascript; charset=utf-8', text: printScript },
]

/** The icon of a page: a paw, as a data URL, so that the page loads no image file. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='%23087f5b'%3E" +
  "%3Cellipse cx='16' cy='22' rx='8' ry='7'/%3E%3Ccircle cx='6' cy='13' r='3.5'/%3E" +
  "%3Ccircle cx='12.5' cy='7' r='3.5'/%3E%3Ccircle cx='19.5' cy='7' r='3.5'/%3E" +
  "%3Ccircle cx='26' cy='13' r='3.5'/%3E%3C/svg%3E"

export interface PageOptions {
  /** The base address of the host. Its path is part of every link. */
  readonly base: string
  readonly title: string
  /** The name of the script, such as `landing.js`; none if absent. */
  readonly script?: string
  /** The content of the body, as HTML. */
  readonly body: string
}

/** Returns a page of the host. */
export function framedPage({ base, title, script, body }: PageOptions): string {
  const path = escapeHtml(basePath(base))
  const scriptElement = script === undefined ? '' : `<script defer src="${path}/${script}"></script>\n`
  return `<!doctype html>
<html lang="en" data-base-path="${path}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${path}/pages.css">
${scriptElement}</head>
<body>
${body}
</body>
</html>
`
}
