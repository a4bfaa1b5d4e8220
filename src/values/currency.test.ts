import { expect, test } from 'bun:test'
import { currencyCode, decimalText, minorUnitsIn, moneyText } from './currency.ts'

test('an amount is written with the decimals of its currency, however large it is', () => {
  const texts = [0n, 5n, 1250n, -1250n, 2n ** 63n - 1n].flatMap(amount =>
    ['EUR', 'JPY', 'KWD'].map(currency => decimalText(amount, currency)),
  )
  expect(texts.slice(0, 12)).toEqual([
    '0.00',
    '0',
    '0.000',
    '0.05',
    '5',
    '0.005',
    '12.50',
    '1250',
    '1.250',
    '-12.50',
    '-1250',
    '-1.250',
  ] as never[])
  expect(texts.slice(12) as string[]).toEqual([
    '92233720368547758.07',
    '9223372036854775807',
    '9223372036854775.807',
  ])
  expect(moneyText(2n ** 63n - 1n, 'EUR', 'de')).toBe('92.233.720.368.547.758,07\u00a0€')
  expect(moneyText(1250n, 'JPY', 'en')).toBe('¥1,250')
  expect(['HUF', 'IQD', 'UGX', 'CLF'].map(currency => decimalText(12_345n, currency) as string)).toEqual([
    ...['123.45', '12.345', '12345', '1.2345'],
  ])
})

test('a typed amount is read if it has one meaning, and no more decimals than the currency', () => {
  const read: readonly (readonly [text: string, currency: string, amount: bigint | undefined])[] = [
    ['12,50', 'EUR', 1250n],
    ['12.5', 'EUR', 1250n],
    ['12', 'EUR', 1200n],
    ['€ 12.50', 'EUR', 1250n],
    ['12,50 €', 'EUR', 1250n],
    ['EUR 12.50', 'EUR', 1250n],
    ['$3', 'USD', 300n],
    ['5 $', 'CAD', 500n],
    ['¥1250', 'JPY', 1250n],
    ['$3', 'EUR', undefined],
    ['£5', 'EUR', undefined],
    ['12.50 CHF', 'EUR', undefined],
    ['USD 5', 'EUR', undefined],
    ['990 Ft', 'HUF', 99_000n],
    ['125 000 Ft', 'HUF', 12_500_000n],
    ['12,50 zł', 'PLN', 1250n],
    ['kr 99,90', 'SEK', 9990n],
    ['990 Ft', 'EUR', undefined],
    ['R$ 12,50', 'BRL', 1250n],
    ['12,50 kr.', 'DKK', 1250n],
    ['R 12,50', 'ZAR', 1250n],
    ['S/ 12.50', 'PEN', 1250n],
    ['Ksh12.50', 'KES', 1250n],
    ['12,50 лв.', 'BGN', 1250n],
    ['US$ 12.50', 'USD', 1250n],
    ['CA$12.50', 'CAD', 1250n],
    ['12,50 AU$', 'AUD', 1250n],
    ['1\u00a0250 F\u00a0CFA', 'XOF', 1250n],
    ['￥1,250', 'JPY', 1250n],
    ['₩1,250', 'KRW', 1250n],
    ['$1.250', 'CLP', 1250n],
    ['0.250', 'CLP', undefined],
    ['1.250.00', 'CLP', undefined],
    ['$.50', 'USD', undefined],
    ['eur 5', 'EUR', 500n],
    ['R 5', 'EUR', undefined],
    ['CA$5', 'USD', undefined],
    ['12²', 'EUR', undefined],
    ['1 250', 'EUR', 125_000n],
    ['1\u202f250\u202f000', 'EUR', 125_000_000n],
    ['CHF 1’250', 'CHF', 125_000n],
    ['1 25', 'EUR', undefined],
    ['0', 'EUR', 0n],
    ['1250', 'JPY', 1250n],
    ['1.250', 'KWD', 1250n],
    ['1.250', 'EUR', undefined],
    ['1,250', 'EUR', undefined],
    ['1.250,00', 'EUR', 125_000n],
    ['1,234,567.5', 'EUR', 123_456_750n],
    ['€ 1 250,00', 'EUR', 125_000n],
    ['49,-', 'EUR', 4900n],
    ['1.250.00', 'EUR', undefined],
    ['1.25,00', 'EUR', undefined],
    ['1.250,000', 'EUR', undefined],
    ['12.5', 'JPY', undefined],
    ['-1', 'EUR', undefined],
    ['12.', 'EUR', undefined],
    ['.50', 'EUR', undefined],
    ['1e3', 'EUR', undefined],
    ['', 'EUR', undefined],
    ['12 50', 'EUR', undefined],
  ]
  for (const [text, currency, amount] of read)
    expect([text, currency, minorUnitsIn(text, currency)]).toEqual([text, currency, amount])
})

test('an amount with three digits after its only mark is read as the mark before decimals says', () => {
  for (const [text, currency, withPoint, withComma] of [
    ['1.250', 'EUR', 125n, 125_000n],
    ['12.000', 'EUR', 1200n, 1_200_000n],
    ['1.200', 'EUR', 120n, 120_000n],
    ['1.255', 'EUR', undefined, 125_500n],
    ['1.250', 'JPY', undefined, 1250n],
    ['5.000', 'JPY', 5n, 5000n],
    ['1.250', 'KWD', 1250n, 1_250_000n],
    ['1.250.000', 'EUR', 125_000_000n, 125_000_000n],
    ['€ 0.500', 'EUR', 50n, 50n],
    ['1250.500', 'EUR', 125_050n, 125_050n],
    ['0.505', 'EUR', undefined, undefined],
  ] as const)
    expect([text, minorUnitsIn(text, currency, '.'), minorUnitsIn(text, currency, ',')]).toEqual([
      ...[text, withPoint, withComma],
    ])
})

test('the code of a currency is read in any case, and another word is none', () => {
  expect(['eur', 'USD', 'Kwd', 'EURO', 'XXZ', ''].map(currencyCode)).toEqual([
    'EUR',
    'USD',
    'KWD',
    undefined,
    undefined,
    undefined,
  ])
})
