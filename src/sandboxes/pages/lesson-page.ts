import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { builtPages } from '../../files/program-files.ts'
import { mediaTypeOf, prepareContent, prepareOnce, sendContent } from '../../http/pages/content.ts'
import { CLIPBOARD_SCRIPT } from '../../http/pages/docs-page.ts'
import { escapeHtml, HTML, pageHeaders } from '../../http/pages/frame.ts'
import type { Handler } from '../../http/request/request-context.ts'
import lessonScript from './lesson.browser.js' with { type: 'text' }

/** The address that the lesson has in place of that of a student. */
const EXAMPLE = 'http://192.168.1.20:8082/s/7k2m9xq4w8e3rtyu5pasdf6ghj'

const lessonHeaders = pageHeaders("script-src 'self'", "style-src 'self'", 'img-src data:')

const script = prepareOnce(() => prepareContent(mediaTypeOf('lesson.js'), CLIPBOARD_SCRIPT + lessonScript))

/** Returns the lesson of a sandbox, by path: the guide with the address of the sandbox, and with buttons that copy. */
export function lessonRoutes(base: string): [string, Handler['handle']][] {
  const file = join(builtPages.guides, 'lesson.html')
  if (!existsSync(file)) return []
  const page = prepareOnce(async () => prepareContent(HTML, lessonOf(base, await Bun.file(file).text())))
  return [
    ['/docs/guide/lesson', async context => sendContent(context, await page(), lessonHeaders)],
    ['/docs/guide/lesson.js', async context => sendContent(context, await script(), lessonHeaders)],
  ]
}

function lessonOf(base: string, guide: string): string {
  return guide
    .replaceAll(EXAMPLE, () => escapeHtml(base))
    .replace('</head>', '<script defer src="lesson.js"></script>\n</head>')
}
