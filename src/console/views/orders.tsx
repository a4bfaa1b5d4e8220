import { Anchor, Button, Group, SegmentedControl } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Order } from '../../client/petstore-client.ts'
import { useCan, useSession } from '../data/store.ts'
import { Empty } from '../parts/empty.tsx'
import { formatCount, formatInstant } from '../parts/format.ts'
import { PetName } from '../parts/names.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, PagedTable } from '../parts/paged-table.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { OrderBadge } from '../parts/status.tsx'
import { PlaceOrder } from './place-order.tsx'

const columns: readonly Column<Order>[] = [
  {
    head: 'Order',
    isShort: true,
    cell: ({ id }) => (
      <Anchor component={Link} href={`/orders/${id}`}>
        {`Order ${id}`}
      </Anchor>
    ),
  },
  { head: 'Pet', cell: ({ petId }) => <PetName id={petId} /> },
  { head: 'State', isShort: true, cell: ({ complete }) => <OrderBadge complete={complete} /> },
  { head: 'Units', isNumber: true, cell: ({ quantity }) => formatCount(quantity) },
  { head: 'Ship date', isShort: true, cell: ({ shipDate }) => (shipDate ? formatInstant(shipDate) : '–') },
  { head: 'Reference', cell: ({ reference }) => reference ?? '–' },
]

/** The orders of the store, with filters by state and reference, and a button to place one. */
export function Orders() {
  const { client } = useSession()
  const can = useCan()
  const [state, setState] = useState('all')
  const [reference, setReference] = useState('')
  const [isPlacing, placing] = useDisclosure(false)
  const input = {
    sort: '-id' as const,
    ...(state !== 'all' && { complete: state === 'complete' }),
    ...(reference !== '' && { reference }),
  }
  const place = can('orders:write') && <Button onClick={placing.open}>Place order</Button>
  return (
    <Page title="Orders" actions={place}>
      <Group align="flex-end">
        <SegmentedControl
          aria-label="State"
          value={state}
          onChange={setState}
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
          onChange={setReference}
        />
      </Group>
      <PagedTable
        label="Orders"
        queryKey={['orders', input]}
        read={async cursor => (await client.listOrders({ ...input, ...(cursor && { cursor }) })).data}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <Empty title={reference === '' ? 'No orders' : 'No order has this reference'}>
            An order reserves units of a pet until it is completed or cancelled.
          </Empty>
        }
      />
      {isPlacing && <PlaceOrder onClose={placing.close} />}
    </Page>
  )
}
