import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ListPage, MovementReason, StockMovement } from '../../../client/petstore-client.ts'
import type { StockPoint } from '../../charts/stock-over-time.tsx'
import { useCan, useSession } from '../../data/session-context.ts'
import { movementMoment, readMovers } from '../../data/stock-moments.ts'
import { t } from '../../words/sentences.tsx'
import { ChartPlace, lazyChart } from '../generic/chart.tsx'
import { Empty } from '../generic/empty.tsx'
import { type Column, PagedTable } from '../generic/table.tsx'
import { formatChange, formatCount, formatInstant, formatUnits } from '../names/format.ts'
import { KeyName, OrderLink } from '../names/names.tsx'
import { words } from '../names/shop-words.ts'

const StockOverTime = lazyChart(async () => (await import('../../charts/stock-over-time.tsx')).StockOverTime)

const CHART_PX = 260
/** The maximum number of movements in the chart, which shows the newest ones. */
const CHART_MOVEMENTS_MAX = 100

const reasons: Readonly<Record<MovementReason, string>> = {
  opening: t('Opening stock'),
  order: t('Order placed or changed'),
  completion: t('Order completed'),
  return: t('Return'),
  cancellation: t('Order cancelled'),
  count: t('Stock count'),
  adjustment: t('Adjustment'),
  status: t('Change of status'),
  closing: t('Pet deleted'),
}

const columns: readonly Column<MovedStock>[] = [
  { head: t('When'), cell: ({ at }) => formatInstant(at) },
  { head: t('Reason'), cell: ({ reason }) => reasons[reason] ?? reason },
  { head: t('Change'), isNumber: true, cell: changeText },
  { head: words.quantity, isNumber: true, cell: ({ quantity }) => formatCount(quantity) },
  { head: words.reserved, isNumber: true, cell: ({ reserved }) => formatCount(reserved) },
  {
    head: t('Order'),
    isShort: true,
    cell: ({ orderId }) => orderId !== undefined && <OrderLink id={orderId} />,
  },
  { head: t('Note'), cell: ({ note }) => note },
]

interface MovedStock extends StockMovement {
  /** The key that made the movement; absent if the store made it. */
  readonly keyId?: bigint | undefined
}

const whoColumn: Column<MovedStock> = {
  head: t('Who'),
  cell: ({ keyId }) => (keyId === undefined ? t('The store') : <KeyName id={keyId} />),
}

export function PetMovements({ petId }: { readonly petId: bigint }) {
  const { client } = useSession()
  const canSeeWho = useCan()('audit:read')
  const read = async (cursor: string | undefined): Promise<{ readonly data: ListPage<MovedStock> }> => {
    const { data } = await client.listMovements({ petId, sort: '-id', cursor })
    if (!canSeeWho) return { data }
    const keys = await readMovers(client, petId, data.items)
    const items = data.items.map(movement => ({ ...movement, keyId: keys.get(movementMoment(movement)) }))
    return { data: { ...data, items } }
  }
  return (
    <Stack component="section" aria-label={t('Movements')}>
      <Title order={2} size="h4">
        {t('Movements')}
      </Title>
      <MovementsChart petId={petId} />
      <PagedTable
        label={t('Movements')}
        cursorName="movements"
        queryKey={['movements', petId]}
        read={read}
        columns={canSeeWho ? [...columns, whoColumn] : columns}
        idOf={({ id }) => id}
        empty={
          <Empty title={t('No movements yet')}>
            {t('Each order, count and adjustment of this pet appears here.')}
          </Empty>
        }
        minWidth={760}
      />
    </Stack>
  )
}

function MovementsChart({ petId }: { readonly petId: bigint }) {
  const { client } = useSession()
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['movements', 'chart', petId],
    queryFn: async () =>
      (await client.listMovements({ petId, sort: '-id', limit: CHART_MOVEMENTS_MAX })).data.items,
  })
  // If there are no movements, the table says so.
  if (data?.length === 0) return null
  const points = data && pointsOf(data, dataUpdatedAt)
  return (
    <ChartPlace label={data ? summaryOf(data) : t('The stock over time is loading')} height={CHART_PX}>
      {points && <StockOverTime points={points} height={CHART_PX} />}
    </ChartPlace>
  )
}

/** Returns the stock after each movement, oldest first. A final point repeats the last stock at `nowMs`. */
function pointsOf(newestFirst: readonly StockMovement[], nowMs: number): StockPoint[] {
  const points = newestFirst.map(({ at, quantity, reserved }) => ({
    atMs: Date.parse(at),
    quantity,
    reserved,
  }))
  const [last] = points
  return [...points.reverse(), ...(last ? [{ ...last, atMs: Math.max(nowMs, last.atMs) }] : [])]
}

function summaryOf(movements: readonly StockMovement[]): string {
  const last = movements.at(0)
  const first = movements.at(-1)
  if (!first || !last) return t('No movements')
  return t(
    'Stock over time: {first} in stock on {day}, now {last}, {reserved} reserved. The table below lists each movement.',
    {
      first: formatUnits(first.quantity),
      day: formatInstant(first.at),
      last: formatUnits(last.quantity),
      reserved: formatCount(last.reserved),
    },
  )
}

/** Returns a text such as `-2 in stock, -2 reserved`. A new open order changes only the reserved units. */
function changeText({ quantityChange, reservedChange }: StockMovement): string {
  const parts = [
    ...(quantityChange === 0n ? [] : [t('{change} in stock', { change: formatChange(quantityChange) })]),
    ...(reservedChange === 0n ? [] : [t('{change} reserved', { change: formatChange(reservedChange) })]),
  ]
  return parts.length === 0 ? '0' : parts.join(', ')
}
