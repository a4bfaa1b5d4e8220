import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { routeNotFound } from '../../contract/refusals.ts'
import { builtPages } from '../../files/program-files.ts'
import type { Handler } from '../routes.ts'
import { type Content, prepareContent, prepareOnce, sendContent } from './content.ts'
import { pageHeaders } from './page-headers.ts'

const INDEX = 'index.html'

const HTML = 'text/html; charset=utf-8'
const mediaTypes: Readonly<Record<string, string>> = {
  html: HTML,
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
}

/** The pages have no script. Their styles and pictures come only from this host. */
const documentHeaders = pageHeaders("style-src 'self'", "img-src 'self' data:")
/** An SVG picture contains its own styles. */
const pictureHeaders = pageHeaders("style-src 'unsafe-inline'")

const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Petstore guides</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>The guides are not built</h1>
<p>In a clone of petstore, <code>npm ci</code> builds them. With <code>--omit=dev</code>, a package is missing: run
<code>npm ci</code> once, and restart the store. The folder <code>docs</code> has the same pages as Markdown.</p>
</body>
</html>
`

/** Returns the handlers of the guides, by path. `directory` contains the built files; tests pass another one. */
export function guideRoutes(directory = builtPages.guides): [string, Handler['handle']][] {
  if (!existsSync(join(directory, INDEX))) {
    const notBuilt = prepareOnce(() => prepareContent(HTML, NOT_BUILT_PAGE))
    return [['/docs/guide', async context => sendContent(context, await notBuilt(), headersOf(HTML))]]
  }
  const prepare = (file: string): (() => Promise<Content>) => prepareOnce(() => readGuide(directory, file))
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

async function readGuide(directory: string, file: string): Promise<Content> {
  const type = mediaTypes[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  return prepareContent(type, await Bun.file(join(directory, file)).bytes())
}

function headersOf(type: string): Readonly<Record<string, string>> {
  return type.startsWith('image/') ? pictureHeaders : documentHeaders
}
