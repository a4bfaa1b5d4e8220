import { CURRENCY_DEFAULT, decimalText, minorUnitsIn, moneyText } from '../../values/currency.ts'

/** The currency of all amounts of the store (ISO 4217). */
export const shopCurrency =
  document.querySelector<HTMLMetaElement>('meta[name="petstore-currency"]')?.content ?? CURRENCY_DEFAULT

/** Returns an amount (minor units) as the reader writes money: `€12.50`, `12,50 €`. */
export function formatMoney(amount: bigint): string {
  return moneyText(amount, shopCurrency)
}

/** Returns an amount (minor units) for a field: `12.50`. */
export function amountText(amount: bigint): string {
  return decimalText(amount, shopCurrency)
}

/** Returns the minor units that a person typed, such as `12,50`; undefined if the text is no amount. */
export function amountIn(text: string): bigint | undefined {
  return minorUnitsIn(text, shopCurrency)
}

/** Returns a message by the name of a field, if its text is neither empty nor an amount. */
export function amountProblem(field: string, text: string): Readonly<Record<string, string>> {
  if (text.trim() === '' || amountIn(text) !== undefined) return {}
  return { [field]: `Enter an amount such as ${amountText(1250n)}, without separators between thousands.` }
}
