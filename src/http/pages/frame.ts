/** The media type of every page. */
export const HTML = 'text/html; charset=utf-8'

/** The icon of the pages: a paw, as a data URL, so that a page loads no image file. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='%23087f5b'%3E" +
  "%3Cellipse cx='16' cy='22' rx='8' ry='7'/%3E%3Ccircle cx='6' cy='13' r='3.5'/%3E" +
  "%3Ccircle cx='12.5' cy='7' r='3.5'/%3E%3Ccircle cx='19.5' cy='7' r='3.5'/%3E" +
  "%3Ccircle cx='26' cy='13' r='3.5'/%3E%3C/svg%3E"

interface PageParts {
  readonly title: string
  /** What the head contains in addition to the title and the icon, as HTML with a line end. */
  readonly head?: string
  /** The content of the body, as HTML. */
  readonly body: string
  /** The path of the base address, for scripts. */
  readonly basePath?: string
}

/** Returns a page as HTML. */
export function framedPage({ title, head = '', body, basePath }: PageParts): string {
  const attributes = basePath === undefined ? '' : ` data-base-path="${escapeHtml(basePath)}"`
  return `<!doctype html>
<html lang="en"${attributes}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${ICON}">
${head}</head>
<body>
${body}
</body>
</html>
`
}

/** Returns the page that a store serves in place of files that are not built. `note` is HTML. */
export function notBuiltPage(subject: string, note = ''): string {
  return framedPage({
    title: 'Petstore',
    body: `<h1>${subject} not built</h1>
<p>In a clone of petstore, <code>npm ci</code> builds all pages. With <code>--omit=dev</code>, their packages are
missing: run <code>npm ci</code> once, and restart the store.</p>${note}`,
  })
}

/**
 * Returns the headers of a page or of a file that it loads. The content security policy allows only what `allowed`
 * names, and no other site can show the page in a frame.
 */
export function pageHeaders(...allowed: readonly string[]) {
  const denied = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
  return {
    'Content-Security-Policy': ["default-src 'none'", ...allowed, ...denied].join('; '),
    // The store learns which of its pages sent a request, and no other site learns anything.
    'Referrer-Policy': 'same-origin',
  }
}

/** Returns a text as HTML, for an element or for an attribute in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

/** Returns the path of a base URL, such as `/shop` for `https://pets.example/shop`, without a trailing slash. */
export function basePath(base: string): string {
  return new URL(base).pathname.replace(/\/$/, '')
}
