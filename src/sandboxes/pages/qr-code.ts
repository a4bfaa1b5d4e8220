import { qrPath } from '../../values/qr-code.ts'

/** Returns the link that opens the console of a sandbox and signs in. Browsers send no fragment to a server. */
export function consoleLink(baseUrl: string, key: string): string {
  return `${baseUrl}/console#key=${encodeURIComponent(key)}`
}

/** Like `consoleLink`, for the lesson of a class. */
export function lessonLink(baseUrl: string, key: string): string {
  return `${baseUrl}/docs/guide/lesson#key=${encodeURIComponent(key)}`
}

/** Returns the QR code of a link as SVG, black on white in every theme, with its quiet zone. `of` names the link. */
export function qrCode(link: string, of: 'address' | 'console' | 'lesson' | 'link'): string {
  const { size, path } = qrPath(link)
  const namespace = 'http://www.w3.org/2000/svg'
  const attributes = `xmlns="${namespace}" viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code of the ${of}"`
  return `<svg class="qr" ${attributes} shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${path}"/></svg>`
}
