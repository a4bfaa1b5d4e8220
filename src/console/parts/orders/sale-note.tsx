import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiResponse, Client, Order } from '../../../client/petstore-client.ts'
import { nameText } from '../../data/name-text.ts'
import { readPetNames } from '../../data/pets.ts'
import { OrderLink } from '../events/names.tsx'
import { formatCount } from '../generic/format.ts'
import { sentenceOf } from '../generic/refusal.tsx'

/** How long the note of a sale is shown, in milliseconds: someone notices a wrong sale when it is printed or packed. */
const SHOWN_MS = 20_000
/** The number of characters of a name that the note shows. */
const NAME_SHOWN = 60

/** The notes of the last sales, which the page may still show. Older ones would hide the page, and the newest ones. */
const shown: string[] = []
const NOTES_MAX = 2

/** Shows a note about an order that was placed. A sale can be undone there. */
export async function noteSale(client: Client, sale: ApiResponse<Order>): Promise<void> {
  const { id, petId } = sale.data
  // Without the name, the note still has the number of the order.
  const names = await readPetNames(client, [petId]).catch(() => new Map<bigint, string>())
  const note = `sale ${id}`
  shown.push(note)
  if (shown.length > NOTES_MAX) notifications.hide(shown.shift() ?? '')
  notifications.show({
    id: note,
    autoClose: SHOWN_MS,
    message: (
      <SaleNote
        client={client}
        sale={sale}
        name={shortened(nameText(names.get(petId) ?? `Pet ${petId}`, petId))}
        onEnd={() => notifications.hide(note)}
      />
    ),
  })
}

/** Returns a name that leaves room for the rest of the note. */
function shortened(name: string): string {
  const points = [...name]
  return points.length <= NAME_SHOWN ? name : `${points.slice(0, NAME_SHOWN).join('')}…`
}

interface SaleNoteProps {
  readonly client: Client
  readonly sale: ApiResponse<Order>
  readonly name: string
  /** Called when there is nothing more to undo. */
  readonly onEnd: () => void
}

function SaleNote({ client, sale, name, onEnd }: SaleNoteProps) {
  const queries = useQueryClient()
  const [isRunning, setIsRunning] = useState(false)
  const { id, quantity, complete, reference } = sale.data
  const undo = async (): Promise<void> => {
    setIsRunning(true)
    await undoSale(client, sale, queries)
    onEnd()
  }
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" className="name">
        {complete ? 'Sold' : 'Placed'}: {formatCount(quantity)} × {name}. <OrderLink id={id} />
        {reference !== undefined && `, ${reference}`}
      </Text>
      {complete && (
        <Button size="xs" variant="default" flex="none" loading={isRunning} onClick={() => void undo()}>
          Undo
        </Button>
      )}
    </Group>
  )
}

/**
 * Opens a complete order again, and cancels it. Each step changes only the version that this page knows: a sale that
 * someone else has changed stays as it is.
 */
async function undoSale(client: Client, sale: ApiResponse<Order>, queries: QueryClient): Promise<void> {
  const { id: orderId } = sale.data
  let isOpen = false
  try {
    const opened = await client.updateOrder({ orderId, body: { complete: false } }, { ifMatch: sale.etag })
    isOpen = true
    await client.cancelOrder({ orderId }, { ifMatch: opened.etag })
    notifications.show({ message: `Order ${orderId} was undone: its units are back in the stock.` })
  } catch (error) {
    const state = isOpen
      ? `Order ${orderId} is open again, but it was not cancelled.`
      : `Order ${orderId} was not undone.`
    notifications.show({
      color: 'red',
      autoClose: false,
      message: (
        <>
          {state} {sentenceOf(error, 'repeatable')} <OrderLink id={orderId} />
        </>
      ),
    })
  }
  await queries.invalidateQueries()
}
