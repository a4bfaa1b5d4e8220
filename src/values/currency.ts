/** The currency of a store that names none. */
export const CURRENCY_DEFAULT = 'EUR'

/** The maximum of a price and of the amount of an order, in minor units: a sum of millions stays within int64. */
export const AMOUNT_MAX = 1_000_000_000_000n

/** Returns the code of a currency (ISO 4217) in upper case; undefined if the text is none. */
export function currencyCode(text: string): string | undefined {
  const code = text.toUpperCase()
  return Intl.supportedValuesOf('currency').includes(code) ? code : undefined
}

/** The formats by currency and locale: to make one takes longer than to write a whole row of an export. */
const formats = new Map<string, Intl.NumberFormat>()

/** Returns the format of amounts, with the decimals of the currency in every browser. */
export function moneyFormat(currency: string, locale?: string): Intl.NumberFormat {
  const key = `${currency} ${locale}`
  const known = formats.get(key)
  if (known) return known
  const digits = decimalsOf(currency)
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...decimals })
  formats.set(key, format)
  return format
}

/**
 * The currencies without 2 decimals (ISO 4217, minor units), by their decimals. `Intl` gives HUF 2 decimals in the
 * store and in Safari, and none in Chrome, where an amount would be 100 times another one.
 */
const OTHER_DECIMALS = Object.entries({
  0: 'BIF BYR CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF',
})

/** Returns the number of decimals of a currency: 2 for EUR, 0 for JPY, 3 for KWD. */
function decimalsOf(currency: string): number {
  return Number(OTHER_DECIMALS.find(([, codes]) => codes.includes(currency))?.[0] ?? 2)
}

/** Returns an amount in minor units as a decimal number: `12.50` for 1250 in EUR. */
export function decimalText(amount: bigint, currency: string): `${number}` {
  const decimals = decimalsOf(currency)
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`
  // Safe: these are the digits of a number, with at most one point.
  return `${amount < 0n ? '-' : ''}${text}` as `${number}`
}

/** Returns an amount in minor units as people of a locale write it: `€ 12.50`, `12,50 €`. */
export function moneyText(amount: bigint, currency: string, locale?: string): string {
  // A string keeps all digits (ECMA-402), where a number would round large amounts.
  return moneyFormat(currency, locale).format(decimalText(amount, currency))
}

/**
 * An amount as people type it: digits, and decimals after a point or a comma. A number of a workbook ends with a blank
 * without a width, and shows no mark of the texts in its file.
 */
const TYPED = /^(\d{1,13})(?:[.,](\d+))?\u2060?$/
/** Digits in groups, and decimals after another sign than that of the groups. */
const GROUPED = /^\d{1,3}(?:([.,'’ \u00a0\u202f])\d{3}(?:\1\d{3}){0,3})(?!\1)[.,]\d+$/
/** Digits in groups, without decimals. A blank or an apostrophe is before no decimals. */
const GROUPS = /^\d{1,3}(?:([.,])\d{3}(?:\1\d{3}){1,3}|(['’ \u00a0\u202f])\d{3}(?:\2\d{3}){0,3})$/
/** Digits that are thousands for some people, and have decimals for others. */
const IN_TWO_WAYS = /^[1-9]\d{0,2}([.,])\d{3}$/
const THREE_DECIMALS = /^(?:0|\d{4,13})[.,]\d{2}0$/
/** How some write an amount without decimals: `49,-`. */
const WHOLE_END = /[.,][-–]{1,2}$/

/** The mark before the decimals of an amount. */
export type DecimalMark = '.' | ','

/**
 * Returns the minor units in a text such as `12,50`, `12.5`, `€ 12.50`, `1.250,00` or `12,-`; undefined for another
 * text, and for one that has more decimals than the currency. `1.250` may mean 1250 in one country, so it is an amount
 * of EUR only if the mark before decimals is known. The currency may be before or after the number, as its code or a
 * sign that its country writes: `R$ 12,50`, `12,50 kr.`. A text with another currency is no amount.
 */
export function minorUnitsIn(text: string, currency: string, mark?: DecimalMark): bigint | undefined {
  const [, whole, decimals = ''] = TYPED.exec(withoutGroups(numberIn(text, currency), currency, mark)) ?? []
  if (whole === undefined || decimals.length > decimalsOf(currency)) return undefined
  return BigInt(whole + decimals.padEnd(decimalsOf(currency), '0'))
}

const signs = new Map<string, readonly string[]>()

/** Returns the code of a currency and its signs, in small letters, the longest first. `$` is the sign of many. */
function signsOf(currency: string): readonly string[] {
  const known = signs.get(currency)
  if (known !== undefined) return known
  const region = currency.slice(0, 2)
  const home = new Intl.Locale('und', { region }).maximize().language
  const found = new Set([currency])
  for (const locale of ['en', 'en-001', 'de', `${home}-${region}`]) {
    for (const currencyDisplay of ['symbol', 'narrowSymbol'] as const) {
      const parts = new Intl.NumberFormat(locale, {
        style: 'currency',
        currency,
        currencyDisplay,
      }).formatToParts(0)
      found.add(parts.find(({ type }) => type === 'currency')?.value ?? currency)
    }
  }
  const all = [...found].map(sign => sign.normalize('NFKC').toLowerCase()).sort((a, b) => b.length - a.length)
  signs.set(currency, all)
  return all
}

/** Returns the text of an amount without its currency. */
function numberIn(text: string, currency: string): string {
  // Most cells of a file have no sign.
  if (/^[\d.,]+$/.test(text)) return text
  // A sign or a blank has several characters, such as `¥` and `￥`.
  let number = text.trim().replace(/[\p{Sc}\s]/gu, sign => sign.normalize('NFKC'))
  const lower = number.toLowerCase()
  const before = signsOf(currency).find(sign => lower.startsWith(sign))
  const after = signsOf(currency).find(sign => lower.endsWith(sign))
  number = number.slice(before?.length ?? 0)
  return number
    .slice(0, number.length - (after?.length ?? 0))
    .trim()
    .replace(WHOLE_END, '')
}

/** Returns a number without the marks between its thousands. */
function withoutGroups(number: string, currency: string, mark: DecimalMark | undefined): string {
  const inTwoWays = IN_TWO_WAYS.exec(number)?.[1]
  if (inTwoWays !== undefined && inTwoWays !== mark && decimalsOf(currency) === 0)
    return number.replace(inTwoWays, '')
  const unclear = mark === undefined ? undefined : inTwoWays
  // Some programs write three decimals: 12.500 is 12.50, and 0.500 can only be that.
  if (THREE_DECIMALS.test(number)) return number.slice(0, -1)
  if (unclear !== undefined && unclear === mark) return number.replace(/[.,]000$|0{1,2}$/, '')
  const [, sign, blank] = GROUPS.exec(number) ?? []
  const group = GROUPED.exec(number)?.[1] ?? sign ?? blank ?? unclear
  return group === undefined ? number : number.replaceAll(group, '')
}

/**
 * Returns what an amount shows about the mark before decimals; `unclear` for one such as `1.250`. One of a currency
 * without decimals shows nothing.
 */
export function decimalMarkIn(text: string, currency: string): DecimalMark | 'unclear' | undefined {
  if (decimalsOf(currency) === 0) return undefined
  const number = numberIn(text, currency)
  if (IN_TWO_WAYS.test(number)) return 'unclear'
  const group = GROUPS.exec(number)?.[1]
  if (group !== undefined) return group === '.' ? ',' : '.'
  const mark = TYPED.test(number) || GROUPED.test(number) ? /[.,](?=\d+$)/.exec(number)?.[0] : undefined
  return mark === '.' || mark === ',' ? mark : undefined
}
