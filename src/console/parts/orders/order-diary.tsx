import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Client, Order } from '../../../client/petstore-client.ts'
import { readPetNames } from '../../data/pets.ts'
import { useSession } from '../../data/session-context.ts'
import { formatMoney, shopCurrency } from '../../data/shop-currency.ts'
import { shopZone } from '../../data/shop-zone.ts'
import { countText, type PlainSentence, t } from '../../words/sentences.tsx'
import { Empty } from '../generic/empty.tsx'
import { type Column, ColumnTable } from '../generic/table.tsx'
import { formatCount, formatUnits } from '../names/format.ts'
import { Refusal } from '../names/refusal.tsx'
import { type CellWriter, type CsvCells, csvFile } from './csv-file.ts'
import { ListActions, type RowReading } from './list-actions.tsx'

/** The maximum number of orders that are listed, summed up and printed. A file has all. */
const ORDERS_MAX = 1000
const PAGE_MAX = 100

/** The filters of a list of orders. */
export type OrderListInput = Parameters<Client['listOrders']>[0]

interface OrderDiaryProps {
  readonly input: OrderListInput
  readonly columns: readonly Column<Order>[]
  /** What is listed: `2026-11-22, open`. */
  readonly name: string
}

/** All orders of a period on one page, with their number and units, to print or to save. */
export function OrderDiary({ input, columns, name }: OrderDiaryProps) {
  const { client } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: ['orders', 'diary', input],
    queryFn: () => readOrders(client, input),
  })
  const refusal = <Refusal error={error} onRetry={() => void refetch()} />
  if (error && !data) return refusal
  if (data?.orders.length === 0) {
    return (
      <Empty title={t('{period}: no orders', { period: name })}>
        {t('Change the days or the state above.')}
      </Empty>
    )
  }
  return (
    <Stack className="printed">
      {refusal}
      <Group justify="space-between">
        <Text role="status">
          {data
            ? t('{period}: {sums}', { period: name, sums: totalsOf(data) })
            : t('{period}: reading…', { period: name })}
        </Text>
        {data && (
          <ListActions
            name={name}
            file="orders"
            textOf={(isForExcel, reading) => fileOf(client, data, { input, isForExcel, ...reading })}
          />
        )}
      </Group>
      <ColumnTable label={t('Orders')} columns={columns} rows={data?.orders} idOf={({ id }) => id} />
    </Stack>
  )
}

interface ReadOrders {
  readonly orders: readonly Order[]
  readonly hasMore: boolean
}

async function readOrders(client: Client, input: OrderListInput): Promise<ReadOrders> {
  const orders: Order[] = []
  for await (const order of client.listOrders({ ...input, limit: PAGE_MAX })) {
    if (orders.length === ORDERS_MAX) return { orders, hasMore: true }
    orders.push(order)
  }
  return { orders, hasMore: false }
}

function totalsOf({ orders, hasMore }: ReadOrders): string {
  const open = orders.filter(({ complete }) => !complete)
  const all = {
    orders: countText(orders.length, '{count} order', '{count} orders'),
    units: unitsAndAmount(orders),
    open: formatCount(open.length),
    openUnits: unitsAndAmount(open),
    zone: shopZone,
  }
  const sums =
    open.length === 0
      ? t('{orders}, {units}. Times: {zone}.', all)
      : t('{orders}, {units}, of which {open} open with {openUnits}. Times: {zone}.', all)
  const shown = t('the newest {count} orders; there are more.', { count: formatCount(ORDERS_MAX) })
  return hasMore ? `${shown} ${sums}` : sums
}

/** Returns the units of orders, and their amount if one of them has a price. */
function unitsAndAmount(orders: readonly Order[]): string {
  const units = formatUnits(orders.reduce((sum, { quantity }) => sum + quantity, 0n))
  const amounts = orders.flatMap(({ quantity, unitPrice }) =>
    unitPrice === undefined ? [] : [unitPrice * quantity],
  )
  return amounts.length === 0
    ? units
    : `${units}, ${formatMoney(amounts.reduce((sum, one) => sum + one, 0n))}`
}

/** Returns all orders of a list as a file, also those that the page does not show. */
async function fileOf(
  client: Client,
  { orders: shown, hasMore }: ReadOrders,
  { input, isForExcel, signal, onRead }: RowReading & { input: OrderListInput; isForExcel: boolean },
): Promise<string> {
  const orders = hasMore ? [] : [...shown]
  if (hasMore)
    for await (const order of client.listOrders({ ...input, limit: PAGE_MAX }, { signal })) {
      orders.push(order)
      if (orders.length % PAGE_MAX === 0) onRead(orders.length)
    }
  const names = await readPetNames(client, [...new Set(orders.map(({ petId }) => petId))])
  return csvFile(csvHead, orders, (order, write) => cellsOf(order, names, write), isForExcel)
}

const csvHead: readonly PlainSentence[] = [
  ...(['order', 'placed', 'pet', 'petId', 'units', 'state', 'shipDate', 'reference', 'timeZone'] as const),
  ...(['unitPrice', 'amount', 'currency', 'completedAt', 'receipt', 'returnedUnits'] as const),
]

function cellsOf(
  order: Order,
  names: ReadonlyMap<bigint, string>,
  { text, time, money }: CellWriter,
): CsvCells {
  const { id, petId, petName = names.get(petId), quantity, complete, unitPrice } = order
  const amount = unitPrice === undefined ? undefined : unitPrice * quantity
  return [
    id,
    time(order.createdAt),
    text(petName),
    petId,
    quantity,
    complete ? t('complete') : t('open'),
    time(order.shipDate),
    text(order.reference),
    shopZone,
    money(unitPrice),
    money(amount),
    amount === undefined ? undefined : shopCurrency,
    time(order.completedAt),
    order.receipt,
    order.returned,
  ]
}
