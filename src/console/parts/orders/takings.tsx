import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SalesPeriod } from '../../../client/petstore-client.ts'
import { dayAfter, daysBetween, type Period, periodBefore } from '../../data/days.ts'
import { type SoldThing, takingsOf } from '../../data/sale-lines.ts'
import { useSession } from '../../data/session-context.ts'
import { today } from '../../data/shop-clock.ts'
import { formatMoney } from '../../data/shop-currency.ts'
import { type Column, ColumnTable } from '../generic/table.tsx'
import { formatCount, formatUnits } from '../names/format.ts'
import { Refusal } from '../names/refusal.tsx'
import { periodText } from './period.tsx'

/** A longer period is shown by month. */
const DAYS_SHOWN_MAX = 62

/** A larger difference is a factor: after a first slow week, nobody reads 12,345%. */
const PERCENT_MAX = 999

/** What was sold and returned in a period, or of a pet or a category. */
type Sums = Pick<SoldThing, 'units' | 'amount' | 'returnedUnits' | 'returnedAmount'>

export const sumColumns: readonly Column<Sums>[] = [
  { head: 'Sold', isNumber: true, cell: ({ units }) => formatCount(units) },
  { head: 'Sales', isNumber: true, cell: ({ amount }) => formatMoney(amount) },
  { head: 'Returned', isNumber: true, cell: ({ returnedUnits }) => formatCount(returnedUnits) },
  { head: 'Returns', isNumber: true, cell: ({ returnedAmount }) => formatMoney(returnedAmount) },
  { head: 'Takings', isNumber: true, cell: one => formatMoney(takingsOf(one)) },
]
const columns: readonly Column<SalesPeriod>[] = [
  { head: 'Days', isShort: true, cell: periodText },
  ...sumColumns,
]

/** The takings of a period from the books, as a sentence; of several days, also by day or month if `hasTable`. */
export function Takings({ from, to, hasTable }: Period & { readonly hasTable: boolean }) {
  const { client } = useSession()
  const by = dayAfter(from, DAYS_SHOWN_MAX) > to ? 'day' : 'month'
  const { data, error, refetch } = useQuery({
    queryKey: ['orders', 'takings', from, to, by],
    queryFn: async () => (await client.listSalesTotals({ from, to, by })).data.periods,
  })
  if (error) return <Refusal error={error} onRetry={() => void refetch()} />
  const period = periodText({ from, to })
  return (
    <Stack gap="xs">
      {/* The list of orders below is printed with it: its sum has open orders, and what came back. */}
      <Text role="status" {...(hasTable && { className: 'printed' })}>
        {data ? `${period}: ${salesSentence(data)}` : `${period}: reading the books…`}
      </Text>
      {data && <Comparison from={from} to={to} takings={totalOf(data, takingsOf)} />}
      {hasTable && data && data.length > 1 && (
        <ColumnTable
          label="Takings"
          columns={columns}
          rows={data.filter(({ lines }) => lines > 0n)}
          idOf={one => BigInt(one.from.replaceAll('-', ''))}
        />
      )}
    </Stack>
  )
}

/** How much more or less the takings of a period are than those of as many days of the period before. */
function Comparison({ from, to, takings }: Period & { readonly takings: bigint }) {
  const { client } = useSession()
  const day = today.use()
  const before = periodBefore({ from, to }, day)
  const { data } = useQuery({
    queryKey: ['orders', 'takings', before?.from, before?.to, 'month'],
    queryFn: async () =>
      (await client.listSalesTotals({ from: '', to: '', ...before, by: 'month' })).data.periods,
    enabled: before !== undefined,
  })
  if (!before || !data) return null
  const earlier = totalOf(data, takingsOf)
  const days = daysBetween(before.from, before.to)
  // The lengths differ only if that is the month before.
  const length = days === daysBetween(from, to < day ? to : day) ? '' : `, ${days + 1} days`
  return (
    <Text size="sm">
      {comparisonOf(takings, earlier)} {days === 0 ? 'on' : 'from'} {periodText(before)}
      {length} ({formatMoney(earlier)}).{to >= day && ' Today is not over.'}
    </Text>
  )
}

function comparisonOf(takings: bigint, earlier: bigint): string {
  const difference = takings - earlier
  const size = difference < 0n ? -difference : difference
  const word = difference < 0n ? 'less' : 'more'
  if (difference === 0n) return 'As much as'
  // Of nothing, and of more returns than sales, there is no share.
  if (earlier <= 0n || takings < 0n) return `${formatMoney(size)} ${word} than`
  const percent = Math.round((Number(size) * 100) / Number(earlier))
  if (percent > PERCENT_MAX) return `${formatCount(Math.round(percent / 100) + 1)} times as much as`
  return percent === 0 ? 'About as much as' : `${formatCount(percent)}% ${word} than`
}

function totalOf(periods: readonly Sums[], of: (one: Sums) => bigint): bigint {
  return periods.reduce((total, one) => total + of(one), 0n)
}

/** Returns what was sold and returned as a sentence. */
export function salesSentence(periods: readonly Sums[]): string {
  const sum = (of: (one: Sums) => bigint): bigint => totalOf(periods, of)
  const sold = `${formatUnits(sum(one => one.units))} sold for ${formatMoney(sum(one => one.amount))}`
  const units = sum(one => one.returnedUnits)
  const returned =
    units === 0n ? '' : `, ${formatUnits(units)} returned for ${formatMoney(sum(one => one.returnedAmount))}`
  return `takings ${formatMoney(sum(takingsOf))}: ${sold}${returned}.`
}
