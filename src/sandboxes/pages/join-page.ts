import { hostPage } from './page-frame.ts'

/** Returns the page on which a student joins a class. It is the same for every class: its script reads the code. */
export function joinPage(base: string): string {
  return hostPage({
    base,
    title: 'Join a class - Petstore',
    script: 'join.js',
    body: `<main>
<h1 id="title">Join a class</h1>
<noscript><p class="message error">This page needs JavaScript.</p></noscript>
<p id="error" class="message error" role="alert" hidden></p>
<button type="button" id="again" hidden>Try again</button>
<form id="join" hidden>
<label id="choice">Choose your name <select id="names"></select></label>
<label id="other">Type your name <input id="typed" maxlength="100" autocomplete="name"></label>
<p><button type="submit" class="primary">Join</button></p>
</form>
<section id="card" aria-labelledby="card-title" hidden>
<h2 id="card-title" tabindex="-1"></h2>
<p><strong>Keep this card: print it, save it, or write down the key.</strong> It is shown only now. Without the key, ask
your teacher for a new card. Everyone who has the key can use your store.</p>
<dl>
<div><dt>Address</dt><dd><code id="address"></code></dd></div>
<div><dt>Key</dt><dd><code id="key"></code></dd></div>
</dl>
<p class="links">
<a id="print" class="button" target="_blank" rel="noopener">Print or save the card</a>
<a id="lesson" class="button primary">Go on to the lesson</a>
</p>
</section>
</main>`,
  })
}
