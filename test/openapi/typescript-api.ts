import { ts } from '@ts-morph/common'
import { plugin } from 'bun'

// generators.test.ts loads this module before each generator, because two of them call the JavaScript API of
// TypeScript, which TypeScript 7 does not have.
plugin({
  name: 'typescript-api',
  setup: build => {
    build.module('typescript', () => ({ exports: { default: ts, ...ts }, loader: 'object' }))
  },
})
