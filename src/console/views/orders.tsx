import { Button, Group, SegmentedControl } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Order } from '../../client/petstore-client.ts'
import { useCan, useSession } from '../data/session-context.ts'
import { optionIn, useUrlFilters } from '../data/url-filters.ts'
import { OrderLink, PetName } from '../parts/events/names.tsx'
import { Empty } from '../parts/generic/empty.tsx'
import { formatCount, formatInstant } from '../parts/generic/format.ts'
import { Page } from '../parts/generic/page.tsx'
import { SearchField } from '../parts/generic/search-field.tsx'
import { type Column, PagedTable } from '../parts/generic/table.tsx'
import { PlaceOrder } from '../parts/orders/place-order.tsx'
import { OrderBadge } from '../parts/pets/status.tsx'

const states = ['open', 'complete'] as const

const columns: readonly Column<Order>[] = [
  { head: 'Order', isShort: true, cell: ({ id }) => <OrderLink id={id} /> },
  { head: 'Pet', cell: ({ petId }) => <PetName id={petId} /> },
  { head: 'State', isShort: true, cell: ({ complete }) => <OrderBadge complete={complete} /> },
  { head: 'Units', isNumber: true, cell: ({ quantity }) => formatCount(quantity) },
  { head: 'Ship date', isShort: true, cell: ({ shipDate }) => (shipDate ? formatInstant(shipDate) : '–') },
  { head: 'Reference', cell: ({ reference }) => reference ?? '–' },
]

export function Orders() {
  const { client } = useSession()
  const can = useCan()
  const { get, set } = useUrlFilters()
  const state = optionIn(states, get('state'))
  const reference = get('reference')
  const [isPlacing, placing] = useDisclosure(false)
  const input = {
    sort: '-id' as const,
    ...(state !== undefined && { complete: state === 'complete' }),
    ...(reference !== '' && { reference }),
  }
  const place = can('orders:write') && <Button onClick={placing.open}>Place order</Button>
  return (
    <Page title="Orders" actions={place}>
      <Group align="flex-end">
        <SegmentedControl
          aria-label="State"
          value={state ?? 'all'}
          onChange={value => set('state', value === 'all' ? null : value)}
          data={[
            { value: 'all', label: 'All' },
            { value: 'open', label: 'Open' },
            { value: 'complete', label: 'Complete' },
          ]}
        />
        <SearchField
          label="Reference"
          placeholder="The exact reference"
          value={reference}
          onChange={text => set('reference', text)}
        />
      </Group>
      <PagedTable
        label="Orders"
        queryKey={['orders', input]}
        read={cursor => client.listOrders({ ...input, cursor })}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          state === undefined && reference === '' ? (
            <Empty title="No orders">
              An order reserves units of a pet until it is completed or cancelled.
            </Empty>
          ) : (
            <Empty title="No order matches">Change the state or the reference above.</Empty>
          )
        }
      />
      {isPlacing && <PlaceOrder onClose={placing.close} />}
    </Page>
  )
}
