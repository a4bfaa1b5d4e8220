import type { Words } from './german.ts'
import { type LanguageCode, language } from './language.ts'

/** The file of each language but English. */
const files: Partial<Record<LanguageCode, () => Promise<Words>>> = {
  de: async () => (await import('./german.ts')).german,
}

/** The words of the language of the page; undefined in English, and before they are loaded. */
export let translation: Words | undefined

/** Loads the words of the language of the page. Without its file, the page is in English. */
export async function loadTranslation(): Promise<void> {
  translation = await files[language]?.().catch(() => undefined)
}
