import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { routeNotFound } from '../../contract/refusals.ts'
import { builtPages } from '../../files/program-files.ts'
import { mediaTypeOf, prepareContent, prepareOnce, sendContent } from '../../http/pages/content.ts'
import { CLIPBOARD_SCRIPT } from '../../http/pages/docs-page.ts'
import { basePath, escapeHtml, HTML, pageHeaders } from '../../http/pages/frame.ts'
import type { Handler } from '../../http/request/request-context.ts'
import { classLessonHeaders, classLessonPage } from './class-lesson-page.ts'
import lessonScript from './lesson.browser.js' with { type: 'text' }
import progressScript from './progress.browser.js' with { type: 'text' }

/** The address that the lesson has in place of that of a student. */
const EXAMPLE = 'http://192.168.1.20:8082/s/7k2m9xq4w8e3rtyu5pasdf6ghj'

const lessonHeaders = pageHeaders("script-src 'self'", "style-src 'self'", 'img-src data:')

const script = prepareOnce(() => prepareContent(mediaTypeOf('lesson.js'), CLIPBOARD_SCRIPT + lessonScript))

/** The lesson of a class, as its host knows it. */
export interface ClassLesson {
  readonly title: string
  /** The Markdown that students see. */
  readonly text: string
}

const progress = prepareOnce(() => prepareContent(mediaTypeOf('progress.js'), progressScript))

/**
 * Returns the lesson of a sandbox, by path: the guide with the address of the sandbox, and with buttons that copy; in a
 * class, its own lesson. The guide for teachers has answers, so no sandbox has it.
 */
export function lessonRoutes(base: string, classLesson?: () => ClassLesson): [string, Handler['handle']][] {
  const forTeachers: [string, Handler['handle']] = [
    '/docs/guide/teaching',
    context => {
      throw routeNotFound(context.path, ' This guide is for teachers: the project and a shop have it.')
    },
  ]
  const scriptRoute: [string, Handler['handle']] = [
    '/docs/guide/lesson.js',
    async context => sendContent(context, await script(), lessonHeaders),
  ]
  const file = join(builtPages.guides, 'lesson.html')
  if (!existsSync(file)) return [forTeachers]
  if (!classLesson) {
    const page = prepareOnce(async () => prepareContent(HTML, lessonOf(base, await Bun.file(file).text())))
    const pageRoute: Handler['handle'] = async context => sendContent(context, await page(), lessonHeaders)
    return [forTeachers, scriptRoute, ['/docs/guide/lesson', pageRoute]]
  }
  const page = prepareOnce(async () => {
    const { title, text } = classLesson()
    const control = `${basePath(base).replace('/s/', '/sandboxes/')}/progress`
    return prepareContent(
      HTML,
      classLessonPage(
        title,
        text.replaceAll(EXAMPLE, () => base),
        control,
      ),
    )
  })
  return [
    forTeachers,
    scriptRoute,
    ['/docs/guide/lesson', async context => sendContent(context, await page(), classLessonHeaders)],
    ['/docs/guide/progress.js', async context => sendContent(context, await progress(), lessonHeaders)],
  ]
}

function lessonOf(base: string, guide: string): string {
  return guide
    .replaceAll(EXAMPLE, () => escapeHtml(base))
    .replace('</head>', '<script defer src="lesson.js"></script>\n</head>')
}
