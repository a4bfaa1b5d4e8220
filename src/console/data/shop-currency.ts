import {
  AMOUNT_MAX,
  CURRENCY_DEFAULT,
  decimalMarkIn,
  decimalText,
  minorUnitsIn,
  moneyText,
} from '../../values/currency.ts'
import { locale } from '../words/language.ts'
import { t } from '../words/sentences.tsx'

/** The currency of all amounts of the store (ISO 4217). */
export const shopCurrency =
  document.querySelector<HTMLMetaElement>('meta[name="petstore-currency"]')?.content ?? CURRENCY_DEFAULT

/** Returns an amount (minor units) as the reader writes money: `€12.50`, `12,50 €`. */
export function formatMoney(amount: bigint): string {
  return withMinus(moneyText(amount, shopCurrency, locale))
}

/** Returns a formatted number with the sign that people write: the formats of the browser have a hyphen. */
export function withMinus(text: string): string {
  return text.replace('-', '−')
}

/** Returns an amount (minor units) for a field: `12.50`, or `12,50` where the decimal sign is a comma. */
export function amountText(amount: bigint): string {
  return plainAmount(amount).replace('.', decimalSign)
}

/** Returns an amount (minor units) for programs: `12.50`. */
export function plainAmount(amount: bigint): string {
  return decimalText(amount, shopCurrency)
}

/** The sign before the decimals, in the language of the page. */
const decimalSign = decimalSignOf(locale)

/** Returns the sign before the decimals in a language. */
export function decimalSignOf(language: string): ',' | '.' {
  return new Intl.NumberFormat(language).format(1.5).includes(',') ? ',' : '.'
}

/**
 * Returns the minor units that a person typed, such as `12,50`; undefined if the text is no amount. In a currency with
 * three decimals, `1,250` is an amount in any country, and the sign of the page decides which.
 */
export function amountIn(text: string): bigint | undefined {
  const amount = minorUnitsIn(text, shopCurrency)
  const isUnclear = amount !== undefined && decimalMarkIn(text, shopCurrency) === 'unclear'
  return isUnclear ? minorUnitsIn(text, shopCurrency, decimalSign) : amount
}

/** Returns a message by the name of a field, if its text is neither empty nor an amount that the store takes. */
export function amountProblem(field: string, text: string): Readonly<Record<string, string>> {
  const typed = amountIn(text)
  if (typed !== undefined && typed > AMOUNT_MAX)
    return { [field]: t('The amount must be at most {most}.', { most: formatMoney(AMOUNT_MAX) }) }
  if (text.trim() === '' || typed !== undefined) return {}
  const amount = amountText(1250n)
  return { [field]: t('Enter an amount such as {amount}, without separators between thousands.', { amount }) }
}
