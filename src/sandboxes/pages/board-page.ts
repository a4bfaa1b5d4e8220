import { hostPage } from './page-frame.ts'

/** Returns the page with the board of a class. It is the same for every class: its script asks for the key. */
export function boardPage(base: string): string {
  return hostPage({
    base,
    title: 'Class - Petstore',
    script: 'board.js',
    body: `<main class="board">
<h1 id="title">Class</h1>
<noscript><p class="message error">This page needs JavaScript. Without it, use <code>petstore class results</code>.</p>
</noscript>
<form id="key-form" hidden>
<label>Key of the teacher <input id="key" autocomplete="off" spellcheck="false"></label>
<button type="submit" class="primary">Open the board</button>
</form>
<p id="status" class="message" role="status"></p>
<p id="error" class="message error" role="alert" hidden></p>
<div id="board" hidden>
<div class="controls">
<label>Find a student <input id="filter" type="search" autocomplete="off"></label>
<label>Show <select id="which">
<option value="all">everybody</option>
<option value="stuck">those with an error</option>
<option value="idle">those without a request for 5 minutes</option>
</select></label>
<label class="choice"><input type="checkbox" id="projector"> Projector: without names and errors</label>
<button type="button" id="invite">Invite students</button>
<button type="button" id="results">Save results (CSV)</button>
<button type="button" id="delete" class="danger">Delete the class</button>
</div>
<p id="summary"></p>
<div class="table" role="region" aria-labelledby="title" tabindex="0">
<table><thead><tr id="head"></tr></thead><tbody id="rows"></tbody></table>
</div>
</div>
<dialog id="dialog" aria-labelledby="dialog-title">
<h2 id="dialog-title"></h2>
<p id="dialog-text"></p>
<p class="large key" id="dialog-key"></p>
<p><a id="dialog-card" target="_blank" rel="noopener">Card to print</a></p>
<form method="dialog"><button>Close</button></form>
</dialog>
<dialog id="invite-dialog" aria-labelledby="invite-title">
<h2 id="invite-title">The link for students</h2>
<p id="invite-text" role="status"></p>
<img id="invite-qr" alt="QR code of the link" hidden>
<p><code id="invite-link"></code></p>
<p class="links"><button type="button" id="open-invitation" class="primary">Open a new link</button>
<button type="button" id="close-invitation">Close the link</button></p>
<form method="dialog"><button>Back to the board</button></form>
</dialog>
</main>`,
  })
}
