import { escapeHtml } from '../../http/pages/frame.ts'
import type { Sandbox } from '../contract/schema.ts'
import { hostPage } from './page-frame.ts'
import { consoleLink, lessonLink, qrCode } from './qr-code.ts'

/**
 * Returns the print page of a sandbox. Everybody who knows the address can load it, so it has a key only if the request
 * has one: the script of the page sends the key that is in the fragment of the URL.
 */
export function printPage(
  base: string,
  { baseUrl, label, expiresAt }: Sandbox,
  { key, isOfClass = false }: { readonly key?: string | undefined; readonly isOfClass?: boolean } = {},
): string {
  const title = label === undefined ? 'Your sandbox' : escapeHtml(label)
  const address = escapeHtml(baseUrl)
  const linkOf = isOfClass ? lessonLink : consoleLink
  const page = isOfClass ? 'lesson' : 'console'
  const code = key === undefined ? qrCode(baseUrl, 'address') : qrCode(linkOf(baseUrl, key), page)
  // A long address wraps before the id.
  const shownAddress = address.replace('/s/', '/s/<wbr>')
  return hostPage({
    base,
    title: `${label ?? 'Sandbox'} - Petstore`,
    script: 'print.js',
    body: `<main class="sheet">
<p class="screen-only"><button type="button" id="print-button" class="primary">Print</button>
${key === undefined ? `<span>${NO_KEY}</span>` : ''}
</p>
<h1>${title}</h1>
<p>This is your private petstore. Open the address in a browser, or call it from a program.</p>
<div class="sheet-address">
${code}
<div>
<h2>Address</h2>
<p class="large" id="address">${shownAddress}</p>
</div>
</div>
${key === undefined ? '' : keyPart(address, key, page)}
<h2>For a shell</h2>
<pre><code>BASE=${address}${key === undefined ? '' : `\nKEY=${key}`}</code></pre>
<h2>First call</h2>
<pre><code>curl "${address}/pets?limit=3"</code></pre>
<p>Reading pets needs no key. <code>${address}/docs</code> describes every operation, and lets you try it.
A lesson is at <code>${address}/docs/guide/lesson</code>.</p>
<p>The petstore expires on <time id="expiry" datetime="${expiresAt}">${utcText(expiresAt)}</time>, and is then deleted
with everything in it.</p>
</main>`,
  })
}

const NO_KEY =
  'This page has no key. To print the key too, open this page from the page that created the sandbox.'

function keyPart(address: string, key: string, page: string): string {
  return `<h2>Key</h2>
<p class="large key" id="key">${key}</p>
<p>Writing needs the key. The code above opens the ${page}, and signs you in. In another tab, the console at
<code>${address}/console</code> asks for the key.</p>`
}

export function noSandboxPage(base: string): string {
  return hostPage({
    base,
    title: 'No sandbox - Petstore',
    body: `<main>
<h1>There is no sandbox at this address</h1>
<p>The sandbox has reached the end of its lifetime, or somebody with its key has deleted it. Everything in it was
deleted with it, and cannot be restored. Or the address is not complete.</p>
<ul>
<li>Compare the address with the one on your card.</li>
<li>In a class, ask your teacher for a new sandbox.</li>
<li>Or <a href="${escapeHtml(base)}/">create one yourself</a>. It has an address and a key of its own.</li>
</ul>
</main>`,
  })
}

/** Returns an instant as text, such as `2026-11-22 09:30 UTC`. */
function utcText(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`
}
