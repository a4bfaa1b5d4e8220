import { Button, Checkbox, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { ApiError, type Order } from '../../client/petstore-client.ts'
import { OWN_RETURN_MS } from '../../contract/scopes.ts'
import { InvalidValues, request } from '../data/change.ts'
import { useConfirmation, type Version } from '../data/edit.ts'
import { useCan, useSession } from '../data/session-context.ts'
import { useIsPast } from '../data/shop-clock.ts'
import { formatMoney, shopCurrency } from '../data/shop-currency.ts'
import { idIn } from '../data/url-filters.ts'
import { ChangedFacts } from '../parts/generic/conflict.tsx'
import { Empty } from '../parts/generic/empty.tsx'
import { type DialogProps, FormDialog, useForm } from '../parts/generic/form-dialog.tsx'
import { Page } from '../parts/generic/page.tsx'
import { TextField } from '../parts/generic/text-field.tsx'
import { UnitsInput } from '../parts/inventory/units-input.tsx'
import { formatCount, formatInstant, formatUnits } from '../parts/names/format.ts'
import { PetName, ReceiptLink } from '../parts/names/names.tsx'
import { Refusal } from '../parts/names/refusal.tsx'
import { words } from '../parts/names/shop-words.ts'
import { ViewLink } from '../parts/names/view-link.tsx'
import { StateDiagram } from '../parts/pets/state-diagram.tsx'
import { OverdueBadge } from '../parts/pets/status.tsx'
import { countText, t } from '../words/sentences.tsx'
import { EditOrder } from './edit-order.tsx'
import type { ViewProps } from './view-props.ts'

/** An open dialog about an order, with the version that the user saw when it was opened. */
interface OpenedOrderDialog {
  readonly dialog: 'edit' | 'complete' | 'return' | 'cancel'
  readonly version: Version<Order>
}

export function OrderView({ id }: ViewProps) {
  const [opened, setOpened] = useState<OpenedOrderDialog>()
  const close = (): void => setOpened(undefined)
  return (
    <>
      <OrderContent id={id} onOpen={setOpened} />
      {/* Outside the content, which changes if the order is completed or cancelled while a dialog is open. */}
      {opened?.dialog === 'edit' && <EditOrder order={opened.version} onClose={close} />}
      {opened?.dialog === 'complete' && <CompleteOrder version={opened.version} onClose={close} />}
      {opened?.dialog === 'return' && <ReturnOrder version={opened.version} onClose={close} />}
      {opened?.dialog === 'cancel' && <CancelOrder version={opened.version} onClose={close} />}
    </>
  )
}

function useOrder(id: string) {
  const { client } = useSession()
  return useQuery({
    queryKey: ['orders', 'one', id],
    queryFn: () => client.getOrder({ orderId: BigInt(id) }),
    enabled: idIn(id) !== undefined,
  })
}

function OrderContent({ id, onOpen }: ViewProps & { readonly onOpen: (opened: OpenedOrderDialog) => void }) {
  const isId = idIn(id) !== undefined
  const { data, error, refetch } = useOrder(id)
  const isMissing = !isId || (error instanceof ApiError && error.status === 404)
  if (isMissing) return <NoOrder id={id} />
  return (
    <Page title={t('Order {id}', { id })} actions={data && <OrderActions version={data} onOpen={onOpen} />}>
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      {data ? <OrderFacts order={data.data} /> : !error && <Skeleton height={200} />}
    </Page>
  )
}

function NoOrder({ id }: ViewProps) {
  return (
    <Page title={t('Order {id}', { id })}>
      <Empty title={t('There is no such order')}>
        {t('It may have been cancelled: a cancelled order is deleted.')}{' '}
        <ViewLink href="/orders" underline="always">
          {t('All orders')}
        </ViewLink>
      </Empty>
    </Page>
  )
}

function OrderFacts({ order }: { readonly order: Order }) {
  const { petId, quantity, shipDate, complete, reference, createdAt, unitPrice, completedAt } = order
  const { returned, receipt } = order
  const moment = completedAt ?? shipDate
  const can = useCan()
  const isTooLate = useIsTooLateToReturn(order)
  const facts: [label: string, value: ReactNode][] = [
    [
      t('Pet'),
      <ViewLink key="pet" href={`/pets/${petId}`} className="name">
        <PetName id={petId} />
      </ViewLink>,
    ],
    [t('Units'), formatCount(quantity)],
    ...(returned === undefined ? [] : [[t('Returned'), formatCount(returned)] satisfies [string, string]]),
    [t('Amount'), unitPrice === undefined ? '–' : formatMoney(unitPrice * quantity)],
    [t('Placed'), createdAt ? formatInstant(createdAt) : '–'],
    [
      complete ? words.soldAt : t('Ship date'),
      <>
        {moment ? formatInstant(moment) : t('No date')} {!complete && <OverdueBadge shipDate={shipDate} />}
      </>,
    ],
    [t('Reference'), reference ?? t('None')],
    ...(receipt === undefined
      ? []
      : [[t('Receipt'), <ReceiptLink key="receipt" receipt={receipt} />] satisfies [string, ReactNode]]),
    ...(isTooLate && can('orders:write') ? [[t('Return'), TOO_LATE] satisfies [string, string]] : []),
  ]
  return (
    <>
      <StateDiagram
        label={t('States of the order')}
        current={complete ? t('complete') : t('open')}
        states={[{ name: t('open') }, { name: t('complete'), reachedBy: t('complete#verb') }]}
      />
      <Paper withBorder p="md">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 6 }}>
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

interface OrderActionsProps {
  readonly version: Version<Order>
  readonly onOpen: (opened: OpenedOrderDialog) => void
}

function OrderActions({ version, onOpen }: OrderActionsProps) {
  const can = useCan()
  const isTooLate = useIsTooLateToReturn(version.data)
  if (!can('orders:write')) return null
  if (version.data.complete) {
    return (
      <>
        {leftOf(version.data) > 0n && !isTooLate && (
          <Button variant="default" onClick={() => onOpen({ dialog: 'return', version })}>
            {t('Return')}
          </Button>
        )}
        <Button variant="default" onClick={() => onOpen({ dialog: 'edit', version })}>
          {t('Change reference')}
        </Button>
      </>
    )
  }
  return (
    <>
      <Button onClick={() => onOpen({ dialog: 'complete', version })}>{t('Complete#verb')}</Button>
      <Button variant="default" onClick={() => onOpen({ dialog: 'edit', version })}>
        {t('Edit')}
      </Button>
      <Button variant="default" onClick={() => onOpen({ dialog: 'cancel', version })}>
        {t('Cancel order')}
      </Button>
    </>
  )
}

interface OrderQuestionProps extends DialogProps {
  readonly version: Version<Order>
}

function CompleteOrder({ version, onClose }: OrderQuestionProps) {
  const { client } = useSession()
  const { conflict, order, etag, look } = useOrderConfirmation(version)
  return (
    <FormDialog
      name="complete-order"
      title={t('Complete the order?')}
      action={t('Complete#verb')}
      done={t('Order completed')}
      make={() => request(client, 'updateOrder', { orderId: order.id, body: { complete: true } }, etag)}
      look={look}
      conflict={conflict}
      onClose={onClose}
    >
      <Text>
        {t('{units} will leave the stock. Later, its units can be returned.', {
          units: formatUnits(order.quantity),
        })}
      </Text>
    </FormDialog>
  )
}

function ReturnOrder({ version, onClose }: OrderQuestionProps) {
  const { client } = useSession()
  const can = useCan()
  // Another till may take back units of the order meanwhile.
  const current = useOrder(String(version.data.id))
  const order = current.data?.data ?? version.data
  const left = leftOf(order)
  const isTooLate = useIsTooLateToReturn(order)
  const form = useForm<{ quantity: bigint | undefined; note: string }>(
    { quantity: left, note: '' },
    { quantity: t('Units'), note: t('Note') },
  )
  const [restock, setRestock] = useState(true)
  const { quantity = 0n, note } = form.values
  const problemOf = (most: bigint): string | undefined => {
    if (most === 0n) return t('All units were returned already.')
    if (isTooLate) return TOO_LATE
    if (quantity >= 1n && quantity <= most) return undefined
    return countText(most, 'Enter {count} unit.', 'Enter 1 to {count} units.')
  }
  const problem = problemOf(left)
  return (
    <FormDialog
      name="return-order"
      title={t('Return units of order {id}', { id: String(order.id) })}
      action={t('Return')}
      done={t('The return is in the books')}
      form={form}
      check={() => ({ ...(problem !== undefined && { quantity: problem }) })}
      make={async () => {
        const { data: latest } = await current.refetch()
        const latestProblem = latest && problemOf(leftOf(latest.data))
        if (latestProblem !== undefined) throw new InvalidValues({ quantity: latestProblem })
        return request(client, 'returnOrder', {
          orderId: order.id,
          body: { quantity, restock, ...(note.trim() !== '' && { note: note.trim() }) },
        })
      }}
      look={lookAt(order)}
      onClose={onClose}
    >
      {field => (
        <>
          <UnitsInput {...field('quantity')} allowNegative={false} data-autofocus />
          <Checkbox
            label={t('Back into the stock')}
            description={t('Not if the units are damaged')}
            checked={restock}
            onChange={event => setRestock(event.currentTarget.checked)}
          />
          <TextField {...field('note')} description={t('For the books, such as the reason')} />
          {!can('orders:return') && (
            <Text c="dimmed" size="sm">
              {t('This key takes back only what it sold itself in the last 15 minutes.')}
            </Text>
          )}
          {problem !== undefined ? (
            <Text>{t('{units} can still be returned.', { units: formatUnits(left) })}</Text>
          ) : (
            order.unitPrice !== undefined && (
              <Text>
                {t('Money to give back: {amount}', { amount: formatMoney(order.unitPrice * quantity) })}
              </Text>
            )
          )}
        </>
      )}
    </FormDialog>
  )
}

const TOO_LATE = t('This key had 15 minutes for it. Ask somebody whose key takes back any sale.')

/** Returns whether the key could have returned units of a complete order if it sold them itself, and no more. */
function useIsTooLateToReturn(order: Order): boolean {
  const can = useCan()
  const { complete, completedAt } = order
  const isPast = useIsPast((completedAt === undefined ? 0 : Date.parse(completedAt)) + OWN_RETURN_MS)
  return complete && leftOf(order) > 0n && isPast && !can('orders:return')
}

/** Returns the units that the customer still has. */
function leftOf({ quantity, returned = 0n }: Order): bigint {
  return quantity - returned
}

function CancelOrder({ version, onClose }: OrderQuestionProps) {
  const { client } = useSession()
  const [, navigate] = useLocation()
  const { conflict, order, etag, look } = useOrderConfirmation(version)
  return (
    <FormDialog
      name="cancel-order"
      title={t('Cancel the order?')}
      action={t('Cancel order')}
      cancel={t('Keep the order')}
      done={t('Order cancelled')}
      isDestructive
      make={() => request(client, 'cancelOrder', { orderId: order.id }, etag)}
      look={look}
      conflict={conflict}
      onDone={() => navigate('/orders')}
      onClose={onClose}
    >
      <Text>{t('Its units are for sale again, and the order is deleted.')}</Text>
    </FormDialog>
  )
}

function useOrderConfirmation(version: Version<Order>) {
  const { client } = useSession()
  const read = () => client.getOrder({ orderId: version.data.id })
  const { shown, before, readAgain } = useConfirmation(version, read)
  const facts = before && <ChangedFacts before={factsOf(before)} now={factsOf(shown.data)} />
  return {
    conflict: { read: readAgain, shown: facts },
    order: shown.data,
    etag: shown.etag,
    look: lookAt(version.data),
  }
}

function lookAt({ id }: Order) {
  return { path: `/orders/${id}`, what: t('the order') }
}

/** Returns the facts that a user needs to decide about an order. */
function factsOf({
  quantity,
  unitPrice,
  shipDate,
  complete,
  reference,
}: Order): [label: string, text: string][] {
  return [
    [t('Units'), formatCount(quantity)],
    [
      t('Price of one ({currency})', { currency: shopCurrency }),
      unitPrice === undefined ? '–' : formatMoney(unitPrice),
    ],
    [t('State'), complete ? t('complete') : t('open')],
    [t('Ship date'), shipDate ? formatInstant(shipDate) : t('No date')],
    [t('Reference'), reference ?? t('None')],
  ]
}
