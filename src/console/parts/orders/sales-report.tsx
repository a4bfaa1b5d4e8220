import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { SaleLine } from '../../../client/petstore-client.ts'
import { type CategoriesOfPets, readCategoriesOf } from '../../data/categories.ts'
import type { Period } from '../../data/days.ts'
import { nameText } from '../../data/name-text.ts'
import { petNumber, readPets } from '../../data/pets.ts'
import { LINES_MAX, readLines, type SoldThing, salesBy, takingsOf } from '../../data/sale-lines.ts'
import { useSession } from '../../data/session-context.ts'
import { formatMoney, shopCurrency } from '../../data/shop-currency.ts'
import { shopName } from '../../data/shop-name.ts'
import { shopZone } from '../../data/shop-zone.ts'
import { countText, rich, type Sentence, t } from '../../words/sentences.tsx'
import { Empty } from '../generic/empty.tsx'
import { type Column, ColumnTable } from '../generic/table.tsx'
import { formatCount, formatInstant } from '../names/format.ts'
import { Name, ReceiptLink } from '../names/names.tsx'
import { Refusal } from '../names/refusal.tsx'
import { csvFile } from './csv-file.ts'
import { ListActions, ReadingNote } from './list-actions.tsx'
import { createdIn, periodText } from './period.tsx'
import { salesSentence, sumColumns } from './takings.tsx'

/** What a report lists. */
export const reports = {
  pets: t('By pet'),
  categories: t('By category'),
  lines: t('Sales and returns'),
} as const
export type ReportKind = keyof typeof reports

const titles = {
  pets: '{shop}: by pet',
  categories: '{shop}: by category',
  lines: '{shop}: sales and returns',
} as const satisfies Record<ReportKind, Sentence>

/** The maximum number of rows that are shown and printed. A file has all. */
const ROWS_MAX = 1000

interface ReportProps extends Period {
  readonly kind: ReportKind
}

/** The lines of the books in a period, or their sums by pet or category, as they were when they were read. */
export function SalesReport({ from, to, kind }: ReportProps) {
  const { client } = useSession()
  const queries = useQueryClient()
  const [count, setCount] = useState(0)
  const queryKey = ['sale lines', from, to]
  const read = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      setCount(0)
      return readLines(client, createdIn({ from, to }), { signal, onRead: setCount })
    },
    // A report needs up to a hundred requests, so no event repeats them.
    staleTime: 'static',
  })
  const ids = new Set(read.data?.lines.map(({ petId }) => petId))
  const places = useQuery({
    queryKey: ['sale lines', 'categories', from, to, read.data?.atMs],
    queryFn: async () => readCategoriesOf(client, await readPets(client, [...ids])),
    enabled: kind === 'categories' && read.data !== undefined,
    staleTime: 'static',
  })
  const period = periodText({ from, to })
  const isReady = read.data !== undefined && (kind !== 'categories' || places.data !== undefined)
  const again = (
    <Button variant="default" size="xs" disabled={read.isFetching} onClick={() => void read.refetch()}>
      {t('Read again')}
    </Button>
  )
  const error = read.error ?? places.error
  const refusal = <Refusal error={error} onRetry={() => void (read.error ? read : places).refetch()} />
  if (error && !isReady) return refusal
  return (
    <Stack className="printed report">
      {refusal}
      <Title order={2} size="h4" className="name">
        {rich(titles[kind], { shop: <Name name={shopName} /> })}
      </Title>
      {(read.isFetching || !read.data) && (
        <Group className="unprinted" gap="xs">
          {read.isFetching ? (
            <ReadingNote
              text={countText(count, '{count} line read…', '{count} lines read…')}
              onStop={() => void queries.cancelQueries({ queryKey, exact: true })}
            />
          ) : (
            again
          )}
        </Group>
      )}
      {read.data?.hasMore && (
        <Text role="alert">
          {t('Only the newest {count} lines are in this report; there are more. Choose fewer days.', {
            count: formatCount(LINES_MAX),
          })}
        </Text>
      )}
      {isReady && read.data && (
        <Report {...{ from, to, kind, period, again }} {...read.data} places={places.data ?? noPlaces} />
      )}
    </Stack>
  )
}

interface ReadReportProps extends ReportProps {
  readonly period: string
  readonly lines: readonly SaleLine[]
  readonly atMs: number
  readonly places: CategoriesOfPets
  /** The button that reads the lines again. */
  readonly again: ReactNode
}

function Report({ from, to, kind, period, lines, atMs, places, again }: ReadReportProps) {
  if (lines.length === 0) return <Empty title={t('{period}: no sales', { period })}>{again}</Empty>
  const byPet = salesBy(lines, line => ({ id: line.petId, name: petNameOf(line) }))
  const sums = kind === 'categories' ? salesBy(lines, ({ petId }) => places.get(petId) ?? gone) : byPet
  const rows = kind === 'lines' ? lines.length : sums.length
  return (
    <>
      <Group justify="space-between">
        <Text role="status">
          {t('{period}: {sums} Read: {instant}.', {
            period,
            sums: salesSentence(byPet),
            instant: formatInstant(new Date(atMs).toISOString()),
          })}{' '}
          {rows > ROWS_MAX &&
            t('The first {count} rows are listed; a file has all.', { count: formatCount(ROWS_MAX) })}
        </Text>
        <ListActions
          name={period}
          file={`sales-${kind}`}
          textOf={isForExcel =>
            kind === 'lines' ? linesFile(lines, isForExcel) : sumsFile(sums, kind, { from, to }, isForExcel)
          }
        >
          {again}
        </ListActions>
      </Group>
      {kind === 'lines' ? (
        <ColumnTable
          label={reports[kind]}
          columns={lineColumns}
          rows={lines.slice(0, ROWS_MAX)}
          idOf={({ id }) => id}
        />
      ) : (
        <ColumnTable
          label={reports[kind]}
          columns={[{ head: kind === 'pets' ? t('Pet') : t('Category'), cell: NameOfSum }, ...sumColumns]}
          rows={sums.slice(0, ROWS_MAX)}
          idOf={({ id }) => id ?? ''}
        />
      )}
    </>
  )
}

function NameOfSum({ id, name }: SoldThing) {
  return <Name name={name} {...(id !== undefined && { id })} />
}

/** The name that a pet had when it was sold. */
function petNameOf({ petId, petName = petNumber(petId) }: SaleLine): string {
  return nameText(petName, petId)
}

const noPlaces: CategoriesOfPets = new Map()
const gone = { id: undefined, name: t('Deleted pets') } as const

const lineColumns: readonly Column<SaleLine>[] = [
  { head: t('At'), isShort: true, cell: ({ at }) => formatInstant(at) },
  { head: t('Receipt'), isShort: true, cell: ({ receipt }) => <ReceiptLink receipt={receipt} /> },
  { head: t('Pet'), cell: line => <Name name={petNameOf(line)} /> },
  { head: t('Units'), isNumber: true, cell: ({ quantity }) => formatCount(quantity) },
  {
    head: t('Price'),
    isNumber: true,
    cell: ({ unitPrice }) => (unitPrice === undefined ? '–' : formatMoney(unitPrice)),
  },
  {
    head: t('Amount'),
    isNumber: true,
    cell: ({ amount }) => (amount === undefined ? '–' : formatMoney(amount)),
  },
  { head: t('Reference'), cell: ({ reference }) => reference ?? '–' },
  { head: t('Note'), cell: ({ note = '' }) => note || '–' },
]

function linesFile(lines: readonly SaleLine[], isForExcel: boolean): string {
  return csvFile(
    [
      ...(['line', 'at', 'receipt', 'order', 'pet', 'petId', 'units', 'unitPrice', 'amount'] as const),
      ...(['currency', 'reference', 'note', 'restocked', 'timeZone'] as const),
    ],
    lines,
    (line, { text, time, money }) => [
      line.id,
      time(line.at),
      line.receipt,
      line.orderId,
      text(petNameOf(line)),
      line.petId,
      line.quantity,
      money(line.unitPrice),
      money(line.amount),
      line.unitPrice === undefined ? undefined : shopCurrency,
      text(line.reference),
      text(line.note),
      line.restocked === undefined ? undefined : line.restocked ? t('yes') : t('no'),
      shopZone,
    ],
    isForExcel,
  )
}

function sumsFile(
  sums: readonly SoldThing[],
  kind: Exclude<ReportKind, 'lines'>,
  { from, to }: Period,
  isForExcel: boolean,
): string {
  const thing = kind === 'pets' ? (['pet', 'petId'] as const) : (['category', 'categoryId'] as const)
  return csvFile(
    [...thing, 'sold', 'sales', 'returned', 'returns', 'takings', 'currency', 'from', 'to'],
    sums,
    (sum, { text, money }) => [
      text(sum.name),
      sum.id,
      sum.units,
      money(sum.amount),
      sum.returnedUnits,
      money(sum.returnedAmount),
      money(takingsOf(sum)),
      shopCurrency,
      from,
      to,
    ],
    isForExcel,
  )
}
