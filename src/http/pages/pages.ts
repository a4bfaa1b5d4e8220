import type { Handler } from '../request/request-context.ts'
import { type ConsoleFiles, consoleFiles } from './console-page.ts'
import { DescriptionTexts } from './description-text.ts'
import { type DocsScript, docsScript } from './docs-page.ts'
import { guideRoutes } from './guide-pages.ts'

/** The files of the console, of the docs page and of the guides, which are the same for every store of a process. */
export interface Pages {
  readonly descriptions: DescriptionTexts
  readonly console: ConsoleFiles
  readonly docsScript: DocsScript | undefined
  readonly guides: readonly [string, Handler['handle']][]
}

/** Finds the built files. Each file is read when it is first requested. */
export function loadPages(): Pages {
  return {
    descriptions: new DescriptionTexts(),
    console: consoleFiles(),
    docsScript: docsScript(),
    guides: guideRoutes(),
  }
}
