import { ts } from '@ts-morph/common'
import { plugin } from 'bun'

// generators.test.ts loads this module before a generator, which calls the JavaScript API of TypeScript. TypeScript has
// that API up to version 6.
plugin({
  name: 'typescript-api',
  setup: build => {
    build.module('typescript', () => ({ exports: { default: ts, ...ts }, loader: 'object' }))
  },
})
