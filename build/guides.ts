import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Marked, type Token } from 'marked'
import { escapeHtml, framedPage } from '../src/http/pages/frame.ts'
import { readLesson } from '../src/sandboxes/classes/lesson.ts'

const ROOT = join(import.meta.dir, '..')
const GUIDES = join(ROOT, 'docs')
const STYLE_SHEET = join(import.meta.dir, 'guide.css')

/** The name of the file that Git hosts show for the folder. It becomes the index, at `/docs/guide`. */
const INDEX = 'README'
/** How the names of the guides begin that are lessons, with blocks for teachers. */
const LESSON = 'lesson'
/** The files of the project that a store serves at its root, under the same name. */
const SERVED_AT_ROOT = ['openapi.yaml']

/**
 * Returns the files of the guides by name: a page for each Markdown file of `docs`, the pictures on them, and their
 * style sheet.
 */
export async function guideFiles(): Promise<Map<string, string | Uint8Array>> {
  const files = new Map<string, string | Uint8Array>([
    [basename(STYLE_SHEET), await readFile(STYLE_SHEET, 'utf8')],
  ])
  for (const file of (await readdir(GUIDES)).sort()) {
    if (!file.endsWith('.md')) continue
    const name = basename(file, '.md')
    const text = await readFile(join(GUIDES, file), 'utf8')
    // Students must not find the solutions in the guide.
    const { html, pictures } = guidePage(name, name.startsWith(LESSON) ? readLesson(text).studentText : text)
    files.set(name === INDEX ? 'index.html' : `${name}.html`, html)
    for (const picture of pictures) files.set(picture, await readFile(join(GUIDES, picture)))
  }
  return files
}

/** Returns the page of a guide, and the names of the pictures on it. */
function guidePage(name: string, text: string): { html: string; pictures: ReadonlySet<string> } {
  // Addresses are relative, so that they work behind a proxy under any path.
  const isIndex = name === INDEX
  const folder = isIndex ? 'guide/' : ''
  const root = isIndex ? '..' : '../..'
  const pictures = new Set<string>()
  const ids = new Map<string, number>()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = headingId(text, ids)
        const link =
          depth > 1 ? ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>` : ''
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens)
        const address = addressOf(href, folder, root)
        if (address !== undefined) return `<a href="${escapeHtml(address)}">${content}</a>`
        const path = href.replace(/^\.\.\//, '').replace(/#.*/, '')
        return content === path ? `<code>${content}</code>` : `${content} (<code>${escapeHtml(path)}</code>)`
      },
      image({ href, text }) {
        pictures.add(href)
        return `<img src="${escapeHtml(folder + href)}" alt="${escapeHtml(text)}">`
      },
      code({ text, lang = '' }) {
        const [language = ''] = lang.split(' ', 1)
        // With a tab index, the keyboard can scroll the block.
        return `<pre tabindex="0" class="${escapeHtml(language)}"><code>${escapeHtml(text)}\n</code></pre>\n`
      },
      html({ text }) {
        return escapeHtml(text)
      },
    },
  })
  const tokens = marked.lexer(text)
  const article = marked
    .parser(tokens)
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
  return { html: pageHtml(titleOf(tokens), article, folder, root), pictures }
}

/** Returns the address of a link, or undefined if the store does not serve its target. */
function addressOf(href: string, folder: string, root: string): string | undefined {
  if (/^(https?:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const fragment = anchor === undefined ? '' : `#${anchor}`
  if (SERVED_AT_ROOT.some(file => path === `../${file}`)) return root + path.slice('..'.length)
  if (!/^[\w-]+\.md$/.test(path) || !existsSync(join(GUIDES, path))) return undefined
  const name = basename(path, '.md')
  return (name === INDEX ? `${root}/docs/guide` : folder + name) + fragment
}

/** Returns the anchor that Git hosts create for a heading. Repeated headings get a number. */
function headingId(text: string, ids: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
  const count = ids.get(id) ?? 0
  ids.set(id, count + 1)
  return count === 0 ? id : `${id}-${count}`
}

function titleOf(tokens: readonly Token[]): string {
  const title = tokens.find(({ type }) => type === 'heading')
  if (!title || !('text' in title)) throw new Error('a guide has no title')
  return String(title.text)
}

function pageHtml(title: string, article: string, folder: string, root: string): string {
  return framedPage({
    title: `${title} - Petstore`,
    head: `<link rel="stylesheet" href="${folder}${basename(STYLE_SHEET)}">\n`,
    body: `<nav aria-label="Petstore">
<a href="${root}/docs/guide">Guides</a>
<a href="${root}/docs">API reference</a>
<a href="${root}/console">Console</a>
</nav>
<main>
${article}</main>`,
  })
}
