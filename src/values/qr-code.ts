import { encode } from 'uqr'

/** The quiet zone around a QR code, in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** Returns the QR code of a text as the path of an SVG, and its width and height in modules with the quiet zone. */
export function qrPath(text: string): { readonly size: number; readonly path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { size, path: modules.join('') }
}
