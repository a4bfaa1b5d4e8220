import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ApiError } from '../../../client/petstore-client.ts'
import { readPageAgain, UnknownOutcome, useChange } from '../../data/change.ts'
import { useSession } from '../../data/session-context.ts'
import {
  type Booked,
  bookingOf,
  canSendAgain,
  changeOf,
  emptied,
  type StockLine,
  type StoredDraft,
  withoutBooked,
} from '../../data/stock-draft.ts'
import { countText, t } from '../../words/sentences.tsx'
import { TextField } from '../generic/text-field.tsx'
import { UnknownAlert } from '../generic/unknown-alert.tsx'
import { formatArticles, formatChange, formatUnitsChange } from '../names/format.ts'
import { PetName } from '../names/names.tsx'
import { Refusal, sentenceOf } from '../names/refusal.tsx'

interface BookingProps {
  readonly draft: StoredDraft
  /** The note unless the user types one. */
  readonly defaultNote: string
  readonly noteHelp: string
  /** Waits until everything that was entered is in the draft. Returns false if something cannot be. */
  readonly settle?: () => Promise<boolean>
}

/** The note and the buttons for all lines of a draft, and what became of them. */
export function Booking({ draft, defaultNote, noteHelp, settle }: BookingProps) {
  const { lines, note = defaultNote, sent } = draft.use()
  const { change, refused, unknown, book, giveUp, isNewUnseen } = useBooking(draft, settle)
  /** The lines when the button was pressed: the press takes the focus from a field, whose entry adds another line. */
  const pressed = useRef<readonly StockLine[]>([])
  const count = lines.filter(line => changeOf(line) !== 0n).length
  return (
    <Stack gap="sm" maw={480} className="unprinted">
      <TextField
        label={t('Note')}
        description={noteHelp}
        value={sent?.note ?? note}
        onChange={text => draft.update(current => ({ ...current, note: text }))}
        disabled={sent !== undefined}
        maxLength={2000}
      />
      <UnknownAlert
        change={{ unknown, sendAgain: change.unknown ? change.sendAgain : () => book(note), giveUp }}
        look={{ path: '/inventory', what: t('the inventory') }}
      />
      <Refusal error={change.error} />
      {change.error && sent && (
        <Text size="sm">
          {t('Some of the lines may be booked already. “Book” books each of them only once.')}
        </Text>
      )}
      <RefusedLines refused={refused} />
      {isNewUnseen && (
        <Text size="sm" role="status">
          {t('Nothing is booked yet: what you entered last was added. Look at it, and book again.')}
        </Text>
      )}
      {!unknown && (
        <Group>
          <Button
            onPointerDown={() => {
              pressed.current = lines
            }}
            // A key presses the button without a pointer.
            onClick={({ detail }) => book(note, detail === 0 ? lines : pressed.current)}
            loading={change.isRunning}
            disabled={count === 0}
          >
            {count === 0 ? t('Book') : countText(count, 'Book {count} article', 'Book {count} articles')}
          </Button>
          {lines.length > 0 && !change.isRunning && (
            <Button variant="default" onClick={giveUp}>
              {t('Throw away')}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}

function RefusedLines({ refused }: Pick<Booked, 'refused'>) {
  if (refused.length === 0) return null
  return (
    <Alert
      color="red"
      role="alert"
      title={countText(refused.length, '{count} article was not booked', '{count} articles were not booked')}
    >
      {refused.map(({ subject: line, error }) => (
        <Text key={line.key} size="sm">
          <PetName id={line.petId} />, {formatChange(changeOf(line))}:{' '}
          {error instanceof ApiError && error.code === 'idempotency_key_reused'
            ? t('It is booked already, in another tab.')
            : sentenceOf(error)}
        </Text>
      ))}
    </Alert>
  )
}

function useBooking(draft: StoredDraft, settle?: () => Promise<boolean>) {
  const { client, info } = useSession()
  const queries = useQueryClient()
  const keyId = String(info.id)
  const [refused, setRefused] = useState<Booked['refused']>([])
  const [isNewUnseen, setIsNewUnseen] = useState(false)
  const change = useChange<Booked>('book-stock', {
    onDone: async booked => {
      draft.update(current => withoutBooked(current, booked))
      notifications.show({ message: bookedText(booked) })
      setRefused(booked.refused)
      await readPageAgain(queries)
    },
  })
  /** Books the lines, unless a difference is among them that was not in the `seen` ones, which the user has booked. */
  const book = async (note: string, seen?: readonly StockLine[]): Promise<void> => {
    if (change.isRunning || (settle && !(await settle()))) return
    const { sent, lines } = draft.get()
    const isUnseen = !sent && seen && lines.some(line => changeOf(line) !== 0n && !seen.includes(line))
    setIsNewUnseen(isUnseen === true)
    if (isUnseen) return
    // The page may have waited for long: this shows what the user can do.
    const isPossible = canSendAgain(draft.get(), keyId)
    draft.update(current => ({ ...current, sent: sent ?? { atMs: Date.now(), keyId, note } }))
    setRefused([])
    if (isPossible) change.start(() => bookingOf(client, draft.get()))
  }
  const giveUp = (): void => {
    change.giveUp()
    draft.update(emptied)
    setRefused([])
    setIsNewUnseen(false)
  }
  const { sent } = draft.use()
  const isRepeatable = canSendAgain(draft.get(), keyId)
  // The page was left or loaded again before the outcome was known.
  const isInterrupted = sent !== undefined && !change.isRunning && !change.unknown && !change.error
  const isUnclear = isInterrupted || (!isRepeatable && !change.isRunning)
  const unknown = isUnclear ? new UnknownOutcome({ isRepeatable }, undefined) : change.unknown
  return { change, refused, unknown, book, giveUp, isNewUnseen }
}

function bookedText({ lines, refused }: Booked): string {
  const isRefused = new Set(refused.map(({ subject }) => subject.key))
  const booked = lines.filter(line => changeOf(line) !== 0n && !isRefused.has(line.key))
  const sum = booked.reduce((total, line) => total + changeOf(line), 0n)
  return t('Booked: {articles}, {change}.', {
    articles: formatArticles(booked.length),
    change: formatUnitsChange(sum),
  })
}
