import { escapeHtml, framedPage } from '../../http/pages/frame.ts'
import styleSheet from './cards.css' with { type: 'text' }
import { consoleLink, lessonLink, qrCode } from './qr-code.ts'

interface Card {
  /** An empty text if the sandbox has no label. */
  readonly label: string
  /** What tells students with the same label apart; absent if the label does. */
  readonly identifier?: string
  /** The base address of the sandbox. */
  readonly address: string
  readonly key: string
  /** The link to the lesson; absent outside a class. */
  readonly lesson?: string
}

/** The characters of a key that are printed as one group, after its prefix. */
const KEY_PARTS = /^pst_|.{1,7}/g

const OF_LESSON = 'The code opens the lesson, signed in. The console is at /console'
const OF_CONSOLE = 'The code opens the console, signed in. The lesson is at /docs/guide/lesson'

/** Returns a page with a card for each sandbox of a class. It loads nothing, so it is one file to open and to print. */
export function cardsPage(cards: readonly Card[]): string {
  return framedPage({
    title: 'Cards for a class - Petstore',
    head: `<style>\n${styleSheet}</style>\n`,
    body: `<p class="note">Print this page, and cut along the dashed lines.
Everyone who has a card can use its sandbox.</p>
<ul>
${cards.map(cardHtml).join('\n')}
</ul>`,
  })
}

function cardHtml({ label, identifier, address, key, lesson }: Card, index: number): string {
  const title = label === '' ? `Sandbox ${index + 1}` : label
  const groups = (key.match(KEY_PARTS) ?? []).map(group => `<span class="group">${group}</span>`)
  // A long address wraps before the id.
  return `<li>${headingHtml(title, identifier)}
${lesson ? qrCode(lessonLink(address, key), 'lesson') : qrCode(consoleLink(address, key), 'console')}
<div><p>Address <code>${escapeHtml(address).replace('/s/', '/s/<wbr>')}</code></p>
<p>Key, without gaps <code>${groups.join('')}</code></p>
<p>${lesson ? OF_LESSON : OF_CONSOLE} below the address.</p></div></li>`
}

function headingHtml(title: string, identifier: string | undefined): string {
  const name = escapeHtml(title)
  if (identifier === undefined) return `<h2>${name}</h2>`
  return `<h2 class="pair"><span>${name}</span><small>${escapeHtml(identifier)}</small></h2>`
}
