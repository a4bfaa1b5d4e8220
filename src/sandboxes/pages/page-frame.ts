import { basePath, escapeHtml, framedPage, pageHeaders } from '../../http/pages/frame.ts'
import boardScript from './board.browser.js' with { type: 'text' }
import hostScript from './host.browser.js' with { type: 'text' }
import joinScript from './join.browser.js' with { type: 'text' }
import landingScript from './landing.browser.js' with { type: 'text' }
import styleSheet from './pages.css' with { type: 'text' }
import printScript from './print.browser.js' with { type: 'text' }

/** The pages load their style sheet and script from this host, and nothing from elsewhere. */
export const hostPageHeaders = pageHeaders(
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
)

/** The files that the pages load, below the base address of the host. */
export const pageFiles = [
  { path: '/pages.css', text: styleSheet },
  { path: '/board.js', text: boardScript },
  { path: '/host.js', text: hostScript },
  { path: '/join.js', text: joinScript },
  { path: '/landing.js', text: landingScript },
  { path: '/print.js', text: printScript },
] as const

interface PageOptions {
  /** The base address of the host. Its path is part of every link. */
  readonly base: string
  readonly title: string
  /** The name of the script, such as `landing.js`; none if absent. */
  readonly script?: string
  /** The content of the body, as HTML. */
  readonly body: string
}

export function hostPage({ base, title, script, body }: PageOptions): string {
  const path = basePath(base)
  const scripts =
    script === undefined ? '' : `<script type="module" src="${escapeHtml(path)}/${script}"></script>\n`
  const head = `<link rel="stylesheet" href="${escapeHtml(path)}/pages.css">\n${scripts}`
  return framedPage({ title, head, body, basePath: path })
}
