import { ts } from '@ts-morph/common'
import { plugin } from 'bun'

// A module that is loaded before code generators, because they call the JavaScript API of TypeScript up to version 6.
plugin({
  name: 'typescript-api',
  setup: build => {
    build.module('typescript', () => ({ exports: { default: ts, ...ts }, loader: 'object' }))
  },
})
