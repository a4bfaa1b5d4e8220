import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { escapedFormula } from '../../../catalogue/cell.ts'
import type { Client, Order } from '../../../client/petstore-client.ts'
import { csvLine, excelText } from '../../../values/csv.ts'
import { readPetNames } from '../../data/pets.ts'
import { useSession } from '../../data/session-context.ts'
import { amountText, formatMoney, shopCurrency } from '../../data/shop-currency.ts'
import { localTime, shopZone } from '../../data/shop-zone.ts'
import { downloadCsv } from '../generic/download.ts'
import { Empty } from '../generic/empty.tsx'
import { type Column, ColumnTable } from '../generic/table.tsx'
import { countText, formatCount, formatUnits } from '../names/format.ts'
import { Refusal } from '../names/refusal.tsx'

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
  if (error) return <Refusal error={error} onRetry={() => void refetch()} />
  if (data?.orders.length === 0) {
    return <Empty title={`${name}: no orders`}>Change the days or the state above.</Empty>
  }
  return (
    <Stack className="printed">
      <Group justify="space-between">
        <Text role="status">{data ? `${name}: ${totalsOf(data)}` : `${name}: reading…`}</Text>
        {data && <DiaryActions input={input} read={data} name={name} />}
      </Group>
      <ColumnTable label="Orders" columns={columns} rows={data?.orders} idOf={({ id }) => id} />
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
  const openText =
    open.length === 0 ? '' : `, of which ${formatCount(open.length)} open with ${unitsAndAmount(open)}`
  const shown = hasMore ? `the newest ${formatCount(ORDERS_MAX)} orders; there are more. ` : ''
  const sums = `${countText(orders.length, 'order', 'orders')}, ${unitsAndAmount(orders)}${openText}`
  return `${shown}${sums}. Times: ${shopZone}.`
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

interface DiaryActionsProps extends Pick<OrderDiaryProps, 'input' | 'name'> {
  readonly read: ReadOrders
}

function DiaryActions({ input, read, name }: DiaryActionsProps) {
  const { save, stop, count } = useSaving(input, read, name)
  return (
    <Stack gap="xs" className="unprinted">
      <Group gap="xs">
        {save.isPending && (
          <>
            <Text size="sm" role="status">
              {countText(count, 'order', 'orders')} read…
            </Text>
            <Button variant="default" size="xs" onClick={stop}>
              Stop
            </Button>
          </>
        )}
        <Button variant="default" size="xs" onClick={() => print()}>
          Print
        </Button>
        <Button variant="default" size="xs" disabled={save.isPending} onClick={() => save.mutate(false)}>
          CSV
        </Button>
        <Button variant="default" size="xs" disabled={save.isPending} onClick={() => save.mutate(true)}>
          CSV for Excel
        </Button>
      </Group>
      <Refusal error={save.error} />
    </Stack>
  )
}

/** Saves all orders of a list as a file, also those that the page does not show. If it is stopped, there is no file. */
function useSaving(input: OrderListInput, { orders: shown, hasMore }: ReadOrders, name: string) {
  const { client } = useSession()
  const [count, setCount] = useState(0)
  const stopping = useRef<AbortController>(undefined)
  const readAll = async (signal: AbortSignal): Promise<Order[]> => {
    const orders: Order[] = []
    for await (const order of client.listOrders({ ...input, limit: PAGE_MAX }, { signal })) {
      orders.push(order)
      if (orders.length % PAGE_MAX === 0) setCount(orders.length)
    }
    return orders
  }
  const save = useMutation({
    mutationFn: async (isForExcel: boolean) => {
      stopping.current = new AbortController()
      const { signal } = stopping.current
      setCount(0)
      try {
        const orders = hasMore ? await readAll(signal) : shown
        const names = await readPetNames(client, [...new Set(orders.map(({ petId }) => petId))])
        if (signal.aborted) return
        const file = name.toLowerCase().replace(',', '').replaceAll(' ', '-')
        downloadCsv(fileOf(orders, names, isForExcel), `orders-${file}${isForExcel ? '-excel' : ''}.csv`)
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
  })
  return { save, stop: () => stopping.current?.abort(), count }
}

const csvHead = [
  'order',
  'placed',
  'pet',
  'petId',
  'units',
  'state',
  'shipDate',
  'reference',
  'timeZone',
  'unitPrice',
  'amount',
  'currency',
  'completedAt',
  'receipt',
  'returnedUnits',
]

/**
 * Returns the orders as CSV, with local times. The file for Excel begins with a byte order mark, has the delimiter that
 * Excel expects, and no text in it becomes a formula, a number or a date.
 */
function fileOf(orders: readonly Order[], names: ReadonlyMap<bigint, string>, isForExcel: boolean): string {
  const cell = (text: string | undefined): string | undefined =>
    isForExcel && text !== undefined ? excelText(escapedFormula(text)) : text
  const time = (instant: string | undefined): string | undefined =>
    instant && localTime(Date.parse(instant)).replace('T', ' ')
  // Excel reads a number only with the decimal sign of its reader, which is that of this browser.
  const money = (amount: bigint | undefined): string | undefined =>
    amount === undefined
      ? undefined
      : isForExcel
        ? amountText(amount).replace('.', decimalSign())
        : amountText(amount)
  const rows = orders.map(
    ({
      id,
      createdAt,
      petId,
      petName,
      quantity,
      complete,
      shipDate,
      reference,
      unitPrice,
      completedAt,
      receipt,
      returned,
    }) => [
      id,
      time(createdAt),
      cell(petName ?? names.get(petId)),
      petId,
      quantity,
      complete ? 'complete' : 'open',
      time(shipDate),
      cell(reference),
      shopZone,
      money(unitPrice),
      money(unitPrice === undefined ? undefined : unitPrice * quantity),
      unitPrice === undefined ? undefined : shopCurrency,
      time(completedAt),
      receipt,
      returned,
    ],
  )
  const delimiter = isForExcel ? excelDelimiter() : ','
  return (isForExcel ? '\ufeff' : '') + [csvHead, ...rows].map(row => csvLine(row, delimiter)).join('')
}

function decimalSign(): string {
  return new Intl.NumberFormat().format(1.5).includes(',') ? ',' : '.'
}

/** Returns the delimiter that Excel expects: a semicolon where the decimal sign is a comma. */
function excelDelimiter(): ',' | ';' {
  return decimalSign() === ',' ? ';' : ','
}
