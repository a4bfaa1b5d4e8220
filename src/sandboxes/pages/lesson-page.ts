import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { routeNotFound } from '../../contract/refusals.ts'
import { builtPages } from '../../files/program-files.ts'
import { mediaTypeOf, prepareContent, prepareOnce, sendContent } from '../../http/pages/content.ts'
import { CLIPBOARD_SCRIPT } from '../../http/pages/docs-page.ts'
import { basePath, escapeHtml, HTML } from '../../http/pages/frame.ts'
import type { Handler } from '../../http/request/request-context.ts'
import { classLessonPage, KEY_FORM, LESSON_SCRIPTS, lessonHeaders } from './class-lesson-page.ts'
import lessonScript from './lesson.browser.js' with { type: 'text' }
import progressScript from './progress.browser.js' with { type: 'text' }
import requestsScript from './requests.browser.js' with { type: 'text' }

/** The address that the lesson has in place of that of a student. */
const EXAMPLE = 'http://192.168.1.20:8082/s/7k2m9xq4w8e3rtyu5pasdf6ghj'

/** The scripts of the pages, by path. Only a page of a class loads that of the progress. */
const scriptRoutes = [
  { name: 'lesson.js', text: CLIPBOARD_SCRIPT + lessonScript },
  { name: 'requests.js', text: requestsScript },
  { name: 'progress.js', text: progressScript },
].map(({ name, text }): [string, Handler['handle']] => {
  const script = prepareOnce(() => prepareContent(mediaTypeOf(name), text))
  return [`/docs/guide/${name}`, async context => sendContent(context, await script(), lessonHeaders)]
})

/** The lesson of a class, as its host knows it. */
export interface ClassLesson {
  readonly title: string
  /** The Markdown that students see. */
  readonly text: string
}

/**
 * Returns the lesson of a sandbox, by path: the guide with the address of the sandbox, with buttons that copy, and with
 * requests to send; in a class, its own lesson. The guide for teachers has answers, so no sandbox has it.
 */
export function lessonRoutes(base: string, classLesson?: () => ClassLesson): [string, Handler['handle']][] {
  const forTeachers: [string, Handler['handle']] = [
    '/docs/guide/teaching',
    context => {
      throw routeNotFound(context.path, ' This guide is for teachers: the project and a shop have it.')
    },
  ]
  const file = join(builtPages.guides, 'lesson.html')
  if (!existsSync(file)) return [forTeachers]
  if (!classLesson) {
    const page = prepareOnce(async () => prepareContent(HTML, lessonOf(base, await Bun.file(file).text())))
    const pageRoute: Handler['handle'] = async context => sendContent(context, await page(), lessonHeaders)
    return [forTeachers, ...scriptRoutes, ['/docs/guide/lesson', pageRoute]]
  }
  const pageOf = ({ title, text }: ClassLesson): ReturnType<typeof prepareContent> => {
    const control = `${basePath(base).replace(/\/s\/([^/]+)$/, '/sandboxes/$1')}/progress`
    return prepareContent(
      HTML,
      classLessonPage(
        title,
        text.replaceAll(EXAMPLE, () => base),
        control,
      ),
    )
  }
  let shown: { text: string; page: ReturnType<typeof pageOf> } | undefined
  /** Returns the page of the lesson, which the teacher can replace. */
  const page = (): ReturnType<typeof pageOf> => {
    const lesson = classLesson()
    if (shown?.text !== lesson.text) shown = { text: lesson.text, page: pageOf(lesson) }
    return shown.page
  }
  return [
    forTeachers,
    ...scriptRoutes,
    ['/docs/guide/lesson', async context => sendContent(context, await page(), lessonHeaders)],
  ]
}

function lessonOf(base: string, guide: string): string {
  return guide
    .replaceAll(EXAMPLE, () => escapeHtml(base))
    .replace('</head>', `${LESSON_SCRIPTS}</head>`)
    .replace('<main>', `<main>\n${KEY_FORM}`)
}
