import { Anchor, Button, Group, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ApiError, type Order } from '../../client/petstore-client.ts'
import type { Version } from '../data/edit.ts'
import { useCan, useSession } from '../data/store.ts'
import { idIn } from '../data/url-filters.ts'
import { Empty } from '../parts/empty.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { formatCount, formatInstant } from '../parts/format.ts'
import { PetName } from '../parts/names.tsx'
import { Page } from '../parts/page.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { StateDiagram } from '../parts/state-diagram.tsx'
import { EditOrder } from './edit-order.tsx'
import type { ViewProps } from './views.ts'

/** One order, with its values and the actions on it. */
export function OrderView({ id }: ViewProps) {
  const { client } = useSession()
  const isId = idIn(id) !== undefined
  const { data, error, refetch } = useQuery({
    queryKey: ['orders', 'one', id],
    queryFn: async () => {
      const { data: value, etag } = await client.getOrder({ orderId: BigInt(id) })
      return { value, etag }
    },
    enabled: isId,
  })
  const isMissing = !isId || (error instanceof ApiError && error.status === 404)
  if (isMissing) return <NoOrder id={id} />
  return (
    <Page title={`Order ${id}`} actions={data && <OrderActions version={data} />}>
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      {data ? <OrderFacts order={data.value} /> : !error && <Skeleton height={200} />}
    </Page>
  )
}

function NoOrder({ id }: ViewProps) {
  return (
    <Page title={`Order ${id}`}>
      <Empty title="There is no such order">
        It may have been cancelled: a cancelled order is deleted.{' '}
        <Anchor component={Link} href="/orders">
          All orders
        </Anchor>
      </Empty>
    </Page>
  )
}

function OrderFacts({ order }: { readonly order: Order }) {
  const { petId, quantity, shipDate, complete, reference } = order
  const facts: [label: string, value: ReactNode][] = [
    [
      'Pet',
      <Anchor key="pet" component={Link} href={`/pets/${petId}`} className="name">
        <PetName id={petId} />
      </Anchor>,
    ],
    ['Units', formatCount(quantity)],
    [complete ? 'Shipped' : 'Ship date', shipDate ? formatInstant(shipDate) : 'No date'],
    ['Reference', reference ?? 'None'],
  ]
  return (
    <>
      <StateDiagram
        label="States of the order"
        current={complete ? 'complete' : 'open'}
        states={[{ name: 'open' }, { name: 'complete', reachedBy: 'complete' }]}
      />
      <Paper withBorder p="md">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
          {facts.map(([label, value]) => (
            <div key={label}>
              <Text size="sm" c="dimmed">
                {label}
              </Text>
              <Text className="name" component="div">
                {value}
              </Text>
            </div>
          ))}
        </SimpleGrid>
      </Paper>
    </>
  )
}

type Opened = 'edit' | 'complete' | 'cancel'

interface OrderActionsProps {
  readonly version: Version<Order>
}

function OrderActions({ version }: OrderActionsProps) {
  const { client } = useSession()
  const can = useCan()
  const [, navigate] = useLocation()
  const [opened, setOpened] = useState<Opened>()
  const order = version.value
  if (order.complete || !can('orders:write')) return null
  const close = (): void => setOpened(undefined)
  const orderId = order.id
  return (
    <>
      <Button onClick={() => setOpened('complete')}>Complete</Button>
      <Button variant="default" onClick={() => setOpened('edit')}>
        Edit
      </Button>
      <Button variant="default" onClick={() => setOpened('cancel')}>
        Cancel order
      </Button>
      {opened === 'edit' && <EditOrder order={version} onClose={close} />}
      {opened === 'complete' && (
        <FormDialog
          title="Complete the order?"
          action="Complete"
          done="Order completed"
          submit={() => client.updateOrder({ orderId, body: { complete: true } })}
          onClose={close}
        >
          {() => <Text>Its units leave the stock. A complete order cannot be changed.</Text>}
        </FormDialog>
      )}
      {opened === 'cancel' && (
        <FormDialog
          title="Cancel the order?"
          action="Cancel order"
          done="Order cancelled"
          isDestructive
          submit={() => client.cancelOrder({ orderId })}
          onDone={() => navigate('/orders')}
          onClose={close}
        >
          {() => (
            <Group>
              <Text>Its units become free again, and the order is deleted.</Text>
            </Group>
          )}
        </FormDialog>
      )}
    </>
  )
}
