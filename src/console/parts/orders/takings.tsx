import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SalesPeriod } from '../../../client/petstore-client.ts'
import { useSession } from '../../data/session-context.ts'
import { formatMoney } from '../../data/shop-currency.ts'
import { dayAfter } from '../../data/shop-zone.ts'
import { type Column, ColumnTable } from '../generic/table.tsx'
import { formatCount, formatUnits } from '../names/format.ts'
import { Refusal } from '../names/refusal.tsx'
import { type Period, periodText } from './period.tsx'

/** A longer period is shown by month. */
const DAYS_SHOWN_MAX = 62

const columns: readonly Column<SalesPeriod>[] = [
  { head: 'Days', isShort: true, cell: periodText },
  { head: 'Sold', isNumber: true, cell: ({ units }) => formatCount(units) },
  { head: 'Sales', isNumber: true, cell: ({ amount }) => formatMoney(amount) },
  { head: 'Returned', isNumber: true, cell: ({ returnedUnits }) => formatCount(returnedUnits) },
  { head: 'Returns', isNumber: true, cell: ({ returnedAmount }) => formatMoney(returnedAmount) },
  { head: 'Takings', isNumber: true, cell: one => formatMoney(takingsOf(one)) },
]

/** The takings of a period from the books, as a sentence; of several days, also by day or month. */
export function Takings({ from, to }: Period) {
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
      <Text role="status">{data ? `${period}: ${sentenceOf(data)}` : `${period}: reading the books…`}</Text>
      {data && data.length > 1 && (
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

function takingsOf({ amount, returnedAmount }: Pick<SalesPeriod, 'amount' | 'returnedAmount'>): bigint {
  return amount - returnedAmount
}

function sentenceOf(periods: readonly SalesPeriod[]): string {
  const sum = (of: (one: SalesPeriod) => bigint): bigint =>
    periods.reduce((total, one) => total + of(one), 0n)
  const sold = `${formatUnits(sum(one => one.units))} sold for ${formatMoney(sum(one => one.amount))}`
  const units = sum(one => one.returnedUnits)
  const returned =
    units === 0n ? '' : `, ${formatUnits(units)} returned for ${formatMoney(sum(one => one.returnedAmount))}`
  return `takings ${formatMoney(sum(takingsOf))}: ${sold}${returned}.`
}
