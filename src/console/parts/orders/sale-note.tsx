import { Stack, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { notifications, notificationsStore } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { ApiResponse, Client, Order } from '../../../client/petstore-client.ts'
import { request, UnknownOutcome, useChange } from '../../data/change.ts'
import { nameText } from '../../data/name-text.ts'
import { formatMoney } from '../../data/shop-currency.ts'
import { ActButton } from '../generic/act-button.tsx'
import { UnknownAlert } from '../generic/unknown-alert.tsx'
import { formatCount } from '../names/format.ts'
import { OrderLink } from '../names/names.tsx'
import { sentenceOf } from '../names/refusal.tsx'

/** How long the note of a sale is shown, in milliseconds: someone notices a wrong sale when it is printed or packed. */
const SHOWN_MS = 20_000
/** The number of characters of a name that the note shows. */
const NAME_SHOWN = 60

/** The notes of the last sales, which the page may still show. Older ones would hide the page, and the newest ones. */
const shown: string[] = []
const NOTES_MAX = 2

/** Shows a note about an order that was placed. A sale can be undone there. */
export function noteSale(client: Client, sale: ApiResponse<Order>): void {
  const { id, petId, petName = `Pet ${petId}` } = sale.data
  const note = `sale ${id}`
  shown.push(note)
  if (shown.length > NOTES_MAX) notifications.hide(shown.shift() ?? '')
  notifications.show({
    id: note,
    autoClose: SHOWN_MS,
    message: <SaleNote client={client} sale={sale} name={shortened(nameText(petName, petId))} note={note} />,
  })
}

/** Lets only the user close a note. */
function keepNote(note: string): void {
  if (shown.includes(note)) shown.splice(shown.indexOf(note), 1)
  notifications.updateState(notificationsStore, all =>
    all.map(one => (one.id === note ? { ...one, autoClose: false } : one)),
  )
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
  /** The id of the notification. */
  readonly note: string
}

function SaleNote({ client, sale, name, note }: SaleNoteProps) {
  const { id, quantity, complete, reference, unitPrice } = sale.data
  return (
    <Stack gap="xs">
      <Text size="sm" className="name">
        {complete ? 'Sold' : 'Placed'}: {formatCount(quantity)} × {name}
        {unitPrice !== undefined && `, ${formatMoney(unitPrice * quantity)}`}. <OrderLink id={id} />
        {reference !== undefined && `, ${reference}`}
      </Text>
      {complete && <Undo client={client} sale={sale} note={note} />}
    </Stack>
  )
}

/** The button that undoes a sale. The note stays until the outcome is known. */
function Undo({ client, sale, note }: Omit<SaleNoteProps, 'name'>) {
  const queries = useQueryClient()
  const { id: orderId } = sale.data
  const change = useChange<unknown>('undo-sale', {
    onDone: () => {
      notifications.hide(note)
      notifications.show({ message: `The sale was taken back: its units are in the stock again.` })
      return queries.invalidateQueries()
    },
    onFailed: error => {
      void queries.invalidateQueries()
      if (error instanceof UnknownOutcome) return
      notifications.hide(note)
      notifications.show({
        color: 'red',
        autoClose: false,
        message: <UndoRefusal id={orderId} error={error} />,
      })
    },
  })
  const button = useRef<HTMLButtonElement>(null)
  // The newest note is the last one that listens, and the list of notes is at the end of the page, after many others.
  useHotkeys([['alt+Z', () => button.current?.focus()]], [])
  const { isRunning, unknown } = change
  const mustStay = isRunning || unknown !== undefined
  useEffect(() => {
    if (mustStay) keepNote(note)
  }, [note, mustStay])
  if (unknown)
    return <UnknownAlert change={change} look={{ path: `/orders/${orderId}`, what: 'the order' }} />
  return (
    <ActButton
      size="xs"
      variant="default"
      ms="auto"
      change={change}
      aria-keyshortcuts="Alt+Z"
      title="Alt+Z moves here"
      ref={button}
      onAct={() => change.start(() => request(client, 'returnOrder', { orderId, body: {} }))}
    >
      Undo
    </ActButton>
  )
}

function UndoRefusal({ id, error }: { readonly id: bigint; readonly error: Error }) {
  return (
    <>
      Order {id} was not taken back. {sentenceOf(error)} <OrderLink id={id} />
    </>
  )
}
