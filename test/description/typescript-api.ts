import { ts } from '@ts-morph/common'
import { plugin } from 'bun'

// Loaded before code generators, because they call the JavaScript API that TypeScript had up to version 6.
plugin({
  name: 'typescript-api',
  setup: build => {
    build.module('typescript', () => ({ exports: { default: ts, ...ts }, loader: 'object' }))
  },
})
