import { Group, Stack, Text } from '@mantine/core'
import { notifications, notificationsStore } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Client, Order, Sale } from '../../../client/petstore-client.ts'
import { request, UnknownOutcome, useChange } from '../../data/change.ts'
import { nameText } from '../../data/name-text.ts'
import { petNumber } from '../../data/pets.ts'
import { currentSession } from '../../data/session.ts'
import { formatMoney } from '../../data/shop-currency.ts'
import { t } from '../../words/sentences.tsx'
import { ActButton } from '../generic/act-button.tsx'
import { useAltKey } from '../generic/alt-key.ts'
import { UnknownAlert } from '../generic/unknown-alert.tsx'
import { formatCount, formatUnits } from '../names/format.ts'
import { OrderLink, ReceiptLink } from '../names/names.tsx'
import { sentenceOf } from '../names/refusal.tsx'

/** How long the note of a sale is shown, in milliseconds: someone notices a wrong sale when it is printed or packed. */
const SHOWN_MS = 20_000
/** The number of characters of a name that the note shows. */
const NAME_SHOWN = 60

/** The notes of the last sales, which the page may still show. Older ones would hide the page, and the newest ones. */
const shown: string[] = []
const NOTES_MAX = 2

/** Shows a note about an order that was placed, or about a sale. A sale can be undone there. */
export function noteSale(client: Client, sale: Order | Sale): void {
  if (client !== currentSession.client) return
  const note = `sale ${'lines' in sale ? sale.receipt : sale.id}`
  shown.push(note)
  if (shown.length > NOTES_MAX) notifications.hide(shown.shift() ?? '')
  notifications.show({
    id: note,
    autoClose: SHOWN_MS,
    message: <SaleNote client={client} sale={sale} note={note} />,
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
  readonly sale: Order | Sale
  /** The id of the notification. */
  readonly note: string
}

function SaleNote({ client, sale, note }: SaleNoteProps) {
  const isBasket = 'lines' in sale
  const { receipt } = sale
  return (
    <Stack gap="xs">
      <Text size="sm" className="name">
        {isBasket ? <BasketText sale={sale} /> : <OrderText order={sale} />}
      </Text>
      {receipt !== undefined && <Undo client={client} receipt={receipt} note={note} />}
    </Stack>
  )
}

function OrderText({ order }: { readonly order: Order }) {
  const { id, petId, petName = petNumber(petId), quantity, complete, reference, unitPrice } = order
  const sold = `${formatCount(quantity)} × ${shortened(nameText(petName, petId))}`
  const amount = unitPrice === undefined ? '' : `, ${formatMoney(unitPrice * quantity)}`
  return (
    <>
      {t(complete ? 'Sold: {what}.' : 'Reserved: {what}.', { what: sold + amount })} <OrderLink id={id} />
      {reference !== undefined && `, ${reference}`}
    </>
  )
}

function BasketText({ sale: { receipt, lines } }: { readonly sale: Sale }) {
  const units = lines.reduce((sum, { quantity }) => sum + quantity, 0n)
  const amount = lines.reduce((sum, line) => sum + (line.amount ?? 0n), 0n)
  const reference = lines[0]?.reference
  return (
    <>
      {t('Sold: receipt {receipt}, {units}, {amount}.', {
        receipt: String(receipt),
        units: formatUnits(units),
        amount: formatMoney(amount),
      })}{' '}
      <OrderLink id={receipt} />
      {reference !== undefined && `, ${reference}`}
    </>
  )
}

/** The button that undoes a sale. The note stays until the outcome is known. */
function Undo({ client, receipt, note }: Omit<SaleNoteProps, 'sale'> & { readonly receipt: bigint }) {
  const queries = useQueryClient()
  const change = useChange<unknown>('undo-sale', {
    onDone: () => {
      if (client !== currentSession.client) return
      notifications.hide(note)
      notifications.show({ message: t('The sale was taken back: its units are in the stock again.') })
      return queries.invalidateQueries()
    },
    onFailed: error => {
      if (client !== currentSession.client) return
      void queries.invalidateQueries()
      if (error instanceof UnknownOutcome) return
      notifications.hide(note)
      notifications.show({
        color: 'red',
        autoClose: false,
        message: <UndoRefusal id={receipt} error={error} />,
      })
    },
  })
  const button = useRef<HTMLButtonElement>(null)
  // The newest note is the last one that listens, and the list of notes is at the end of the page, after many others.
  useAltKey('Z', () => button.current?.focus())
  const { isRunning, unknown } = change
  const mustStay = isRunning || unknown !== undefined
  useEffect(() => {
    if (mustStay) keepNote(note)
  }, [note, mustStay])
  if (unknown)
    return <UnknownAlert change={change} look={{ path: `/orders/${receipt}`, what: t('the order') }} />
  return (
    <Group justify="space-between">
      <Text size="sm">
        <ReceiptLink receipt={receipt} />
      </Text>
      <ActButton
        size="xs"
        variant="default"
        change={change}
        aria-keyshortcuts="Alt+Z"
        title={t('Alt+Z moves here')}
        ref={button}
        onAct={() => change.start(() => request(client, 'returnSale', { receipt, body: {} }))}
      >
        {t('Undo')}
      </ActButton>
    </Group>
  )
}

function UndoRefusal({ id, error }: { readonly id: bigint; readonly error: Error }) {
  return (
    <>
      {t('The sale with receipt {receipt} was not taken back.', { receipt: String(id) })} {sentenceOf(error)}{' '}
      <OrderLink id={id} />
    </>
  )
}
