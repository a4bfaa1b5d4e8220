import { loadTranslation } from './words/translation.ts'

// The scripts of the page have sentences in constants, so the language is there before them.
await loadTranslation()
await import('./page.tsx')
