import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { routeNotFound } from '../../contract/refusals.ts'
import { builtPages } from '../../files/program-files.ts'
import type { Handler } from '../request/request-context.ts'
import { type Content, prepareContent, prepareFile, prepareOnce, sendContent } from './content.ts'
import { HTML, notBuiltPage, pageHeaders } from './frame.ts'

const INDEX = 'index.html'

/** The pages have no script. Their styles and pictures come only from this host. */
const documentHeaders = pageHeaders("style-src 'self'", "img-src 'self' data:")
/** An SVG picture contains its own styles. */
const pictureHeaders = pageHeaders("style-src 'unsafe-inline'")

const NOT_BUILT_PAGE = notBuiltPage(
  'The guides are',
  '\n<p>The folder <code>docs</code> has the same pages as Markdown.</p>',
)

/** Returns the handlers of the guides, by path. `directory` contains the built files; tests pass another one. */
export function guideRoutes(directory = builtPages.guides): [string, Handler['handle']][] {
  if (!existsSync(join(directory, INDEX))) {
    const notBuilt = prepareOnce(() => prepareContent(HTML, NOT_BUILT_PAGE))
    return [['/docs/guide', async context => sendContent(context, await notBuilt(), headersOf(HTML))]]
  }
  const prepare = (file: string): (() => Promise<Content>) => prepareFile(join(directory, file))
  const index = prepare(INDEX)
  const files = readdirSync(directory).filter(file => file !== INDEX)
  const contents = new Map(files.map(file => [file.replace(/\.html$/, ''), prepare(file)]))
  return [
    ['/docs/guide', async context => sendContent(context, await index(), headersOf(HTML))],
    [
      '/docs/guide/{name}',
      async context => {
        const content = await contents.get(context.pathParameters.name ?? '')?.()
        if (!content) throw routeNotFound(context.path, ' /docs/guide lists the guides.')
        return sendContent(context, content, headersOf(content.type))
      },
    ],
  ]
}

function headersOf(type: string): Readonly<Record<string, string>> {
  return type.startsWith('image/') ? pictureHeaders : documentHeaders
}
