/** The languages of the console, each with its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const
export type LanguageCode = keyof typeof languages

/** All pages of an origin share the storage, and a person reads one language in all of its stores. */
const STORED_LANGUAGE = 'petstore-language'

/** A tag of a language. On some systems, a browser has one such as `en-US@posix`, which no format takes. */
const TAG = /^[a-z]{2,3}(-[a-z\d]+)*$/i

/** The language of the page until it is reloaded: the chosen one, or else the first of the browser that there is. */
export const language = findLanguage()

/** The language with the region of the browser, if it has one: `de-AT`. */
export const locale = browserLocales().find(one => codeOf(one) === language) ?? language

/** The first language of the browser, whatever the language of the page: that of other programs on the computer. */
export const computerLocale = browserLocales()[0] ?? 'en'

function findLanguage(): LanguageCode {
  return [storedLanguage(), ...browserLocales().map(codeOf)].find(isLanguage) ?? 'en'
}

/** Returns the locales of the browser, the preferred one first. */
function browserLocales(): readonly string[] {
  return (globalThis.navigator?.languages ?? []).filter(one => TAG.test(one))
}

function codeOf(locale: string): string {
  return locale.split('-', 1)[0] ?? ''
}

function isLanguage(code: string | undefined): code is LanguageCode {
  return code !== undefined && Object.hasOwn(languages, code)
}

// The browser may block the storage, or it may be full.
function storedLanguage(): string | undefined {
  try {
    return localStorage.getItem(STORED_LANGUAGE) ?? undefined
  } catch {
    return undefined
  }
}

/** Remembers the language and reloads the page, which asks first if something was entered in a dialog. */
export function chooseLanguage(chosen: LanguageCode): void {
  try {
    localStorage.setItem(STORED_LANGUAGE, chosen)
  } catch {
    return
  }
  location.reload()
}
