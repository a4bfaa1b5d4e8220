import { escapeHtml, framedPage, pageHeaders } from '../../http/pages/frame.ts'

export const lessonHeaders = pageHeaders(
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
)

/** The scripts of every lesson, in the order in which they use each other. */
export const LESSON_SCRIPTS = `<script defer src="lesson.js"></script>
<script defer src="requests.js"></script>
`

export const KEY_FORM = `<form id="key-form" hidden>
<label>Key on your card <input id="key" autocomplete="off" spellcheck="false"></label>
<button type="submit">Use this key</button></form>
<p id="key-status" role="status"></p>
`

/** What a lesson of a teacher may link to. The policy of the page forbids scripts, also in addresses. */
const UNKNOWN_LINK = /<a href="(?!https?:|#)[^"]*"/g

/** Returns Markdown as HTML. Its author is not trusted: HTML is shown as text, and only links to the web are links. */
function untrustedHtml(markdown: string): string {
  return Bun.markdown
    .html(markdown, { noHtmlBlocks: true, noHtmlSpans: true, headings: { ids: true } })
    .replaceAll(UNKNOWN_LINK, '<a')
    .replaceAll(/<pre><code class="language-([\w-]+)">/g, '<pre tabindex="0" class="$1"><code>')
}

/** Returns the lesson of a class for one student: with a list of the exercises, which the script keeps up to date. */
export function classLessonPage(title: string, text: string, controlPath: string): string {
  return framedPage({
    title: `${title} - Petstore`,
    head: `<link rel="stylesheet" href="guide.css">
${LESSON_SCRIPTS}<script defer src="progress.js"></script>
`,
    body: `<nav aria-label="Petstore">
<a href="../guide">Guides</a>
<a href="../../docs">API reference</a>
<a href="../../console">Console</a>
</nav>
<main>
<section id="progress" aria-labelledby="progress-title" data-control="${escapeHtml(controlPath)}">
<h2 id="progress-title">Your progress</h2>
${KEY_FORM}<ul id="exercises"></ul>
<p><strong>Your teacher sees</strong> which exercises you have done and when, how many requests you tried, your last
request that failed with its response, when you were last active, and how many requests you sent in the last minute.
Your teacher can also read and change your store, read and save the log of your requests, and reset your store.</p>
</section>
${untrustedHtml(text)}</main>`,
  })
}
