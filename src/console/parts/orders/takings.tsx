import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SalesPeriod } from '../../../client/petstore-client.ts'
import { dayAfter, daysBetween, type Period, periodBefore } from '../../data/days.ts'
import { type SoldThing, takingsOf } from '../../data/sale-lines.ts'
import { useSession } from '../../data/session-context.ts'
import { today } from '../../data/shop-clock.ts'
import { formatMoney } from '../../data/shop-currency.ts'
import { t } from '../../words/sentences.tsx'
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
  { head: t('Sold'), isNumber: true, cell: ({ units }) => formatCount(units) },
  { head: t('Sales'), isNumber: true, cell: ({ amount }) => formatMoney(amount) },
  { head: t('Returned'), isNumber: true, cell: ({ returnedUnits }) => formatCount(returnedUnits) },
  { head: t('Returns'), isNumber: true, cell: ({ returnedAmount }) => formatMoney(returnedAmount) },
  { head: t('Takings'), isNumber: true, cell: one => formatMoney(takingsOf(one)) },
]
const columns: readonly Column<SalesPeriod>[] = [
  { head: t('Days'), isShort: true, cell: periodText },
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
  const refusal = <Refusal error={error} onRetry={() => void refetch()} />
  if (error && !data) return refusal
  const period = periodText({ from, to })
  return (
    <Stack gap="xs">
      {refusal}
      {/* The list of orders below is printed with it: its sum has open orders, and what came back. */}
      <Text role="status" {...(hasTable && { className: 'printed' })}>
        {data
          ? t('{period}: {sums}', { period, sums: salesSentence(data) })
          : t('{period}: reading the books…', { period })}
      </Text>
      {data && <Comparison from={from} to={to} takings={totalOf(data, takingsOf)} />}
      {hasTable && data && data.length > 1 && (
        <ColumnTable
          label={t('Takings')}
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
  const hasOtherLength = days !== daysBetween(from, to < day ? to : day)
  const period = periodText(before)
  const when = hasOtherLength
    ? t('from {period}, {days} days', { period, days: String(days + 1) })
    : t(days === 0 ? 'on {period}' : 'from {period}', { period })
  return (
    <Text size="sm">
      {comparisonOf(takings, earlier, when)} {to >= day && t('Today is not over.')}
    </Text>
  )
}

function comparisonOf(takings: bigint, earlier: bigint, when: string): string {
  const isLess = takings < earlier
  const size = isLess ? earlier - takings : takings - earlier
  const percent = Math.round((Number(size) * 100) / Number(earlier))
  const facts = {
    when,
    earlier: formatMoney(earlier),
    amount: formatMoney(size),
    percent: formatCount(percent),
    times: formatCount(Math.round(percent / 100) + 1),
  }
  if (size === 0n) return t('As much as {when} ({earlier}).', facts)
  // Of nothing, and of more returns than sales, there is no share.
  if (earlier <= 0n || takings < 0n)
    return t(
      isLess ? '{amount} less than {when} ({earlier}).' : '{amount} more than {when} ({earlier}).',
      facts,
    )
  if (percent > PERCENT_MAX) return t('{times} times as much as {when} ({earlier}).', facts)
  if (percent === 0) return t('About as much as {when} ({earlier}).', facts)
  return t(
    isLess ? '{percent}% less than {when} ({earlier}).' : '{percent}% more than {when} ({earlier}).',
    facts,
  )
}

function totalOf(periods: readonly Sums[], of: (one: Sums) => bigint): bigint {
  return periods.reduce((total, one) => total + of(one), 0n)
}

/** Returns what was sold and returned as a sentence. */
export function salesSentence(periods: readonly Sums[]): string {
  const sum = (of: (one: Sums) => bigint): bigint => totalOf(periods, of)
  const sums = {
    takings: formatMoney(sum(takingsOf)),
    units: formatUnits(sum(one => one.units)),
    amount: formatMoney(sum(one => one.amount)),
    returned: formatUnits(sum(one => one.returnedUnits)),
    returnedAmount: formatMoney(sum(one => one.returnedAmount)),
  }
  return sum(one => one.returnedUnits) === 0n
    ? t('takings {takings}: {units} sold for {amount}.', sums)
    : t('takings {takings}: {units} sold for {amount}, {returned} returned for {returnedAmount}.', sums)
}
