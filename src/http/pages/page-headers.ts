/**
 * Returns the headers of a page or of a file that it loads. The content security policy allows only what `allowed`
 * names, and no other site can show the page in a frame.
 */
export function pageHeaders(...allowed: readonly string[]) {
  const denied = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
  return {
    'Content-Security-Policy': ["default-src 'none'", ...allowed, ...denied].join('; '),
    'Referrer-Policy': 'no-referrer',
  }
}
