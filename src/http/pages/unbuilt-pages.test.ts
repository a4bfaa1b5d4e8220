import { expect, test } from 'bun:test'
import { contextOf } from '../../../test/support/request-context.ts'
import { docsRoutes, docsScript } from './docs-page.ts'
import { guideRoutes } from './guide-pages.ts'

const BASE = 'http://127.0.0.1'

const pages = [
  {
    name: 'docs page',
    routes: docsRoutes(BASE, docsScript('/nowhere/scalar.js')),
    path: '/docs',
    texts: ['npm ci', '/openapi.json'],
  },
  { name: 'guides', routes: guideRoutes('/nowhere'), path: '/docs/guide', texts: ['npm ci'] },
]

test.each(pages)(
  'a store without the built files of the $name serves a page that says how to build them',
  async page => {
    const { routes, path, texts } = page
    expect(routes.map(([route]) => route)).toEqual([path])
    const context = contextOf(new Request(BASE + path))
    const [[, handle] = []] = routes
    const response = await handle?.(context)
    expect(response?.status).toBe(200)
    const text = await response?.text()
    for (const part of texts) expect(text).toContain(part)
  },
)
