import { basePath, escapeHtml } from '../../http/pages/frame.ts'
import {
  LIFETIME_SECONDS_DEFAULT,
  LIFETIME_SECONDS_MAX,
  type SeedName,
  seedNames,
} from '../contract/schema.ts'
import { hostPage } from './page-frame.ts'

const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400

const seedTexts: Readonly<Record<SeedName, { readonly title: string; readonly content: string }>> = {
  demo: { title: 'Demo shop', content: '16 categories and 349 pets with stock' },
  empty: { title: 'Empty', content: 'no pets, to build a shop from the start' },
  large: { title: 'Large', content: '10,000 pets, for paging and load' },
}

const lifetimes: readonly { readonly seconds: number; readonly text: string }[] = [
  { seconds: HOUR_SECONDS, text: '1 hour' },
  { seconds: LIFETIME_SECONDS_DEFAULT, text: '1 day' },
  { seconds: 3 * DAY_SECONDS, text: '3 days' },
  { seconds: LIFETIME_SECONDS_MAX, text: '7 days' },
]

/** Returns the page at the root of the host, which creates sandboxes. `base` is the base address of the host. */
export function landingPage(base: string): string {
  const path = escapeHtml(basePath(base))
  return hostPage({
    base,
    title: 'Petstore sandboxes',
    script: 'landing.js',
    body: `<main>
<h1>Petstore sandboxes</h1>
<p class="lead">A sandbox is a private petstore for a lesson, a test or a tool. It has its own address, its own key
and its own data. You can reset it, and you can make it fail on demand.</p>
<p>At the end of its lifetime, a sandbox expires and cannot be used any more. Everything in it is deleted afterwards.
Anybody who has its address can read its pets. Do not put real data into it.</p>
<noscript><p class="message error">This page needs JavaScript. Without it, create a sandbox with
<code>curl -X POST ${escapeHtml(base)}/sandboxes</code>.</p></noscript>
${creationForm()}
<p id="error" class="message error" role="alert" hidden></p>
<p id="status" class="message" role="status"></p>
${sandboxSection(path)}
<section id="remembered" aria-labelledby="remembered-title" hidden>
<h2 id="remembered-title">Created in this browser</h2>
<ul id="remembered-list" class="cards"></ul>
</section>
<footer><p>Programs create sandboxes with <code>POST ${escapeHtml(base)}/sandboxes</code>. The description of these
operations: <a href="${path}/openapi-sandboxes.json">openapi-sandboxes.json</a>,
<a href="${path}/openapi-sandboxes.yaml">openapi-sandboxes.yaml</a>.</p></footer>
</main>`,
  })
}

function creationForm(): string {
  const seeds = seedNames.map((name, index) => {
    const { title, content } = seedTexts[name]
    const checked = index === 0 ? ' checked' : ''
    return `<label class="choice"><input type="radio" name="seed" value="${name}"${checked}>
<span><strong>${title}</strong> ${content}</span></label>`
  })
  const options = lifetimes.map(({ seconds, text }) => {
    const selected = seconds === LIFETIME_SECONDS_DEFAULT ? ' selected' : ''
    return `<option value="${seconds}"${selected}>${text}</option>`
  })
  return `<form id="create">
<fieldset><legend>Start with</legend>
${seeds.join('\n')}
</fieldset>
<div class="fields">
<label>Label (optional) <input name="label" maxlength="100" autocomplete="off" placeholder="Ada, or: lesson 3"></label>
<label>Expires after <select name="lifetime">
${options.join('\n')}
</select></label>
</div>
<button type="submit" class="primary">Create a sandbox</button>
</form>`
}

/** Returns the part of the page that shows one sandbox. The script fills it. */
function sandboxSection(path: string): string {
  return `<section id="sandbox" aria-labelledby="sandbox-title" hidden>
<h2 id="sandbox-title" tabindex="-1">Your sandbox</h2>
<div data-says>
<dl>
<div><dt>Address</dt><dd><code id="address"></code>
<button type="button" data-copy="address" aria-label="Copy the address">Copy</button></dd></div>
<div><dt>Key</dt><dd><code id="key"></code>
<button type="button" data-copy="key" aria-label="Copy the key">Copy</button></dd></div>
<div><dt>Expires</dt><dd id="expiry"></dd></div>
</dl>
<p class="message" role="status"></p>
</div>
<p id="remembers"></p>
<ul class="links" aria-label="Pages of the sandbox, each in a new tab">
<li><a id="console" class="button" target="_blank" rel="noopener">Console</a></li>
<li><a id="docs" class="button" target="_blank" rel="noopener">Docs</a></li>
<li><a id="lesson" class="button" target="_blank" rel="noopener">Lesson</a></li>
<li><a id="guide" class="button" target="_blank" rel="noopener">Guide to sandboxes</a></li>
<li><a id="openapi" class="button" target="_blank" rel="noopener">openapi.json</a></li>
<li><a id="print" class="button" target="_blank" rel="noopener" data-path="${path}/sandboxes/">Print page</a></li>
</ul>
<h3>First calls</h3>
<ol id="calls" class="calls"></ol>
<div data-says>
<div class="actions">
<button type="button" id="reset">Reset to initial content</button>
<button type="button" id="delete" class="danger">Delete</button>
</div>
<p class="message" role="status"></p>
</div>
</section>
<template id="call"><li data-says><p></p><div class="command"><pre><code></code></pre>
<button type="button">Copy</button></div><p class="message" role="status"></p></li></template>`
}
