import { BarChart } from '@mantine/charts'
import type { OrdersOnDay } from '../../client/petstore-client.ts'
import { moneyFormat } from '../../values/currency.ts'
import { takingsOf } from '../data/sale-lines.ts'
import { plainAmount, shopCurrency, withMinus } from '../data/shop-currency.ts'
import { formatCount, formatDay } from '../parts/names/format.ts'
import { locale } from '../words/language.ts'
import { t } from '../words/sentences.tsx'

interface OrdersByDayProps {
  readonly days: readonly OrdersOnDay[]
  /** Whether the bars are the takings of the days, in place of the numbers of orders. */
  readonly hasAmounts: boolean
  /** In pixels. */
  readonly height: number
}

const money = moneyFormat(shopCurrency, locale)
/** An axis has room for `€1.2K`. */
const shortMoney = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: shopCurrency,
  notation: 'compact',
  maximumFractionDigits: 1,
})

export function OrdersByDay({ days, hasAmounts, height }: OrdersByDayProps) {
  const name = hasAmounts ? t('Takings') : t('Orders')
  const barOf = ({ orders, amount = 0n, returnedAmount = 0n }: OrdersOnDay): number =>
    Number(hasAmounts ? plainAmount(takingsOf({ amount, returnedAmount })) : orders)
  return (
    <BarChart
      h={height}
      // The chart library takes floating-point numbers, which are exact enough for a chart.
      data={days.map(day => ({ day: formatDay(day.day), [name]: barOf(day) }))}
      dataKey="day"
      series={[{ name, color: 'teal.7' }]}
      valueFormatter={hasAmounts ? amount => withMinus(money.format(amount)) : formatCount}
      yAxisProps={
        hasAmounts
          ? { width: 64, tickFormatter: (amount: number) => withMinus(shortMoney.format(amount)) }
          : { allowDecimals: false, width: 40 }
      }
      xAxisProps={{ minTickGap: 24 }}
      // `ChartPlace` presents the chart as one image with a text alternative, so no part of it takes the focus.
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false }}
      tickLine="none"
    />
  )
}
