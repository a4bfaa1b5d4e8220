import { Group, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Order } from '../../client/petstore-client.ts'
import { readFullPage } from '../data/full-page.ts'
import { useSession } from '../data/session-context.ts'
import { today } from '../data/shop-clock.ts'
import { formatMoney } from '../data/shop-currency.ts'
import { optionIn, useUrlFilters } from '../data/url-filters.ts'
import { Empty, ReversedDays } from '../parts/generic/empty.tsx'
import { Page } from '../parts/generic/page.tsx'
import { SearchField } from '../parts/generic/search-field.tsx'
import { type Column, PagedTable } from '../parts/generic/table.tsx'
import { formatCount, formatInstant } from '../parts/names/format.ts'
import { OrderLink, PetName } from '../parts/names/names.tsx'
import { OrderDiary, type OrderListInput } from '../parts/orders/order-diary.tsx'
import { OverdueOrders } from '../parts/orders/overdue-orders.tsx'
import { createdIn, isReversed, PeriodField, periodIn, periodText } from '../parts/orders/period.tsx'
import { type ReportKind, reports, SalesReport } from '../parts/orders/sales-report.tsx'
import { Takings } from '../parts/orders/takings.tsx'
import { OrderBadge } from '../parts/pets/status.tsx'
import { t } from '../words/sentences.tsx'

const states = ['open', 'complete'] as const
const reportKinds = ['pets', 'categories', 'lines'] as const satisfies ReportKind[]

const columns: readonly Column<Order>[] = [
  { head: t('Order'), isShort: true, cell: ({ id }) => <OrderLink id={id} /> },
  { head: t('Placed'), isShort: true, cell: ({ createdAt }) => (createdAt ? formatInstant(createdAt) : '–') },
  { head: t('Pet'), cell: ({ petId }) => <PetName id={petId} /> },
  { head: t('Units'), isNumber: true, cell: ({ quantity }) => formatCount(quantity) },
  {
    head: t('Amount'),
    isNumber: true,
    cell: ({ quantity, unitPrice }) => (unitPrice === undefined ? '–' : formatMoney(unitPrice * quantity)),
  },
  { head: t('State'), isShort: true, cell: OrderBadge },
  {
    head: t('Ships, sold at'),
    isShort: true,
    cell: ({ completedAt, shipDate = '' }) => {
      const moment = completedAt ?? shipDate
      return moment === '' ? '–' : formatInstant(moment)
    },
  },
  { head: t('Reference'), cell: ({ reference }) => reference ?? '–' },
]

export function Orders() {
  const { client } = useSession()
  const filters = useUrlFilters()
  const state = optionIn(states, filters.get('state'))
  const reference = filters.get('reference')
  const day = today.use()
  const period = reference === '' ? periodIn(filters, day) : undefined
  const byState = state !== undefined && { complete: state === 'complete' }
  const hasTakings = period !== undefined && period.from !== '' && period.to !== '' && state === undefined
  const report = hasTakings ? optionIn(reportKinds, filters.get('show')) : undefined
  const isWord = useIsWord(reference)
  const input: OrderListInput = reference === '' ? { sort: '-id', ...byState } : inputOf(reference, isWord)
  return (
    <Page title={t('Orders')}>
      <OverdueOrders />
      <OrderFields filters={filters} state={state} reference={reference} />
      {period && isReversed(period) ? (
        <ReversedDays />
      ) : period ? (
        <>
          {hasTakings && <Takings {...period} hasTable={report === undefined} />}
          {hasTakings && <ReportField report={report} onChange={kind => filters.set('show', kind)} />}
          {report === undefined ? (
            <OrderDiary
              input={{ sort: '-createdAt', ...createdIn(period), ...byState }}
              columns={columns}
              name={
                state === undefined
                  ? periodText(period)
                  : t('{period}, {state}', { period: periodText(period), state: t(state) })
              }
            />
          ) : (
            <SalesReport {...period} kind={report} />
          )}
        </>
      ) : (
        <PagedTable
          label={t('Orders')}
          queryKey={['orders', input]}
          read={async cursor => ({
            data: await readFullPage(
              page => client.listOrders({ ...input, ...page }),
              cursor,
              undefined,
              PAGES_MAX,
            ),
          })}
          columns={columns}
          idOf={({ id }) => id}
          empty={
            state === undefined && reference === '' ? (
              <Empty title={t('No orders')}>
                {t('An order reserves units of a pet until it is completed or cancelled.')}
              </Empty>
            ) : (
              <Empty title={t('No order matches')}>
                {t(
                  'Change the state or the reference above. Its start is found in all orders, its other words in the newest 10,000.',
                )}
              </Empty>
            )
          }
        />
      )}
    </Page>
  )
}

/** The maximum number of pages of the store, each of which looks at 2,000 orders, for one page here. */
const PAGES_MAX = 5

/** Returns the list of the orders whose reference has a text at its start, or as the start of its words. */
function inputOf(reference: string, isWord: boolean): OrderListInput {
  return isWord ? { search: reference } : { referencePrefix: reference }
}

/** Returns whether no reference starts with a text, so that it is searched among their words. */
function useIsWord(reference: string): boolean {
  const { client } = useSession()
  const { data = false } = useQuery({
    queryKey: ['orders', 'start', reference],
    queryFn: async () =>
      (await client.listOrders({ referencePrefix: reference, limit: 1 })).data.items.length === 0,
    enabled: reference !== '',
  })
  return data
}

interface ReportFieldProps {
  readonly report: ReportKind | undefined
  readonly onChange: (kind: string | null) => void
}

/** Selects the orders of a period, its lines in the books, or their sums. */
function ReportField({ report, onChange }: ReportFieldProps) {
  return (
    <SegmentedControl
      aria-label={t('Show')}
      style={{ alignSelf: 'start' }}
      value={report ?? 'orders'}
      onChange={value => onChange(value === 'orders' ? null : value)}
      data={[
        { value: 'orders', label: t('Orders') },
        ...reportKinds.map(kind => ({ value: kind, label: reports[kind] })),
      ]}
    />
  )
}

interface OrderFieldsProps {
  readonly filters: ReturnType<typeof useUrlFilters>
  readonly state: (typeof states)[number] | undefined
  readonly reference: string
}

function OrderFields({ filters, state, reference }: OrderFieldsProps) {
  const { set } = filters
  return (
    <Group align="flex-end">
      {reference === '' && (
        <>
          <PeriodField filters={filters} />
          <SegmentedControl
            aria-label={t('State')}
            value={state ?? 'all'}
            onChange={value => set('state', value === 'all' ? null : value)}
            data={[
              { value: 'all', label: t('All') },
              { value: 'open', label: t('Open') },
              { value: 'complete', label: t('Complete') },
            ]}
          />
        </>
      )}
      <SearchField
        label={t('Reference')}
        placeholder={t('R-2026, or a word of it')}
        value={reference}
        onChange={text => set('reference', text)}
      />
    </Group>
  )
}
