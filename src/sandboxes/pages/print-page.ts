import { encode } from 'uqr'
import { escapeHtml } from '../../http/pages/frame.ts'
import type { Sandbox } from '../host-api/schema.ts'
import { hostPage } from './page-frame.ts'

/** The quiet zone around a QR code, in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4

/**
 * Returns the print page of a sandbox. Its HTML has no key, because everybody who knows the address can load it. The
 * script of the page takes the key from the fragment of the URL, which browsers do not send to a server.
 */
export function printPage(base: string, { baseUrl, label, expiresAt }: Sandbox): string {
  const title = label === undefined ? 'Your sandbox' : escapeHtml(label)
  const address = escapeHtml(baseUrl)
  // A long address wraps before the id.
  const shownAddress = address.replace('/s/', '/s/<wbr>')
  return hostPage({
    base,
    title: `${label ?? 'Sandbox'} - Petstore`,
    script: 'print.js',
    body: `<main class="sheet">
<p class="screen-only"><button type="button" id="print-button" class="primary">Print</button>
<span id="key-hint">This page has no key. To print the key too, open this page from the page that created the
sandbox.</span>
</p>
<h1>${title}</h1>
<p>This is your private petstore. Open the address in a browser, or call it from a program.</p>
<div class="sheet-address">
${qrCode(baseUrl)}
<div>
<h2>Address</h2>
<p class="large" id="address">${shownAddress}</p>
</div>
</div>
<div id="key-part" hidden>
<h2>Key</h2>
<p class="large key" id="key"></p>
<p>Writing needs the key. The console at <code>${address}/console</code> asks for it in each new tab.</p>
</div>
<h2>For a shell</h2>
<pre><code>BASE=${address}<span id="key-line" hidden>
KEY=<span id="key-value"></span></span></code></pre>
<h2>First call</h2>
<pre><code>curl "${address}/pets?limit=3"</code></pre>
<p>Reading pets needs no key. <code>${address}/docs</code> describes every operation, and lets you try it.
A lesson is at <code>${address}/docs/guide/lesson</code>.</p>
<p>The petstore expires on <time id="expiry" datetime="${expiresAt}">${utcText(expiresAt)}</time>, and is then deleted
with everything in it.</p>
</main>`,
  })
}

export function noSandboxPage(base: string): string {
  return hostPage({
    base,
    title: 'No sandbox - Petstore',
    body: `<main>
<h1>There is no sandbox at this address</h1>
<p>It expired, was deleted, or never existed. <a href="${escapeHtml(base)}/">Create a new one.</a></p>
</main>`,
  })
}

/** Returns an instant as text, such as `2026-11-22 09:30 UTC`. */
function utcText(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`
}

/** Returns the QR code of an address as SVG, black on white in every theme, with its quiet zone. */
function qrCode(address: string): string {
  const { size, data } = encode(address, { ecc: 'M', border: QUIET_ZONE })
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  const attributes = `viewBox="0 0 ${size} ${size}" role="img" aria-label="QR code of the address"`
  return `<svg class="qr" ${attributes} shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${modules.join('')}"/></svg>`
}
