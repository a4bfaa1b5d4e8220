import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readPageAgain, UnknownOutcome, useChange } from '../../data/change.ts'
import { useSession } from '../../data/session-context.ts'
import {
  bookingOf,
  canSendAgain,
  changeOf,
  emptyDraft,
  type RefusedLines,
  type StockDraft,
  stockLine,
} from '../../data/stock-draft.ts'
import { TextField } from '../generic/text-field.tsx'
import { UnknownAlert } from '../generic/unknown-alert.tsx'
import { countText, formatChange } from '../names/format.ts'
import { PetName } from '../names/names.tsx'
import { Refusal, sentenceOf } from '../names/refusal.tsx'

interface BookingProps {
  readonly draft: StockDraft
  readonly onChange: (draft: StockDraft) => void
  /** An example of a note. */
  readonly noteHelp: string
}

/** The note and the button that book all lines of a draft, and what became of them. */
export function Booking({ draft, onChange, noteHelp }: BookingProps) {
  const { client } = useSession()
  const queries = useQueryClient()
  const [refused, setRefused] = useState<RefusedLines>([])
  const change = useChange<RefusedLines>('book-stock', {
    onDone: async result => {
      notifications.show({ message: bookedText(draft, result) })
      setRefused(result)
      // What was refused can be altered, and then is another change.
      const lines = result.map(({ line: { petId, units, from } }) => stockLine('book', petId, units, from))
      onChange(lines.length > 0 ? { lines, note: draft.note } : emptyDraft)
      await readPageAgain(queries)
    },
  })
  const book = (): void => {
    if (change.isRunning) return
    setRefused([])
    const sent = { ...draft, sentAt: draft.sentAt ?? Date.now() }
    onChange(sent)
    change.start(() => bookingOf(client, sent))
  }
  const giveUp = (): void => {
    change.giveUp()
    onChange(emptyDraft)
  }
  // The page was left or loaded again before the outcome was known.
  const isInterrupted = draft.sentAt !== undefined && !change.isRunning && !change.unknown && !change.error
  const unknown = isInterrupted
    ? new UnknownOutcome({ isRepeatable: canSendAgain(draft) }, undefined)
    : change.unknown
  const sendAgain = isInterrupted ? book : change.sendAgain
  const changes = draft.lines.filter(line => changeOf(line) !== 0n)
  const isLocked = draft.sentAt !== undefined
  return (
    <Stack gap="sm" maw={480} className="unprinted">
      <TextField
        label="Note"
        description={noteHelp}
        value={draft.note}
        onChange={note => onChange({ ...draft, note })}
        disabled={isLocked}
        maxLength={2000}
      />
      <UnknownAlert
        change={{ unknown, sendAgain, giveUp }}
        look={{ path: '/inventory', what: 'the inventory' }}
      />
      <Refusal error={change.error} />
      {refused.length > 0 && (
        <Alert
          color="red"
          role="alert"
          title={`${countText(refused.length, 'article was', 'articles were')} not booked`}
        >
          {refused.map(({ line, error }) => (
            <Text key={line.key} size="sm">
              <PetName id={line.petId} />, {formatChange(changeOf(line))}: {sentenceOf(error)}
            </Text>
          ))}
        </Alert>
      )}
      {!unknown && (
        <Group>
          <Button onClick={book} loading={change.isRunning} disabled={changes.length === 0}>
            {changes.length === 0 ? 'Book' : `Book ${countText(changes.length, 'article', 'articles')}`}
          </Button>
          {change.error && isLocked && (
            <Button variant="default" onClick={giveUp}>
              Throw these lines away
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}

function bookedText({ lines }: StockDraft, refused: RefusedLines): string {
  const isRefused = new Set(refused.map(({ line }) => line.key))
  const booked = lines.filter(line => changeOf(line) !== 0n && !isRefused.has(line.key))
  const sum = booked.reduce((total, line) => total + changeOf(line), 0n)
  return `Booked: ${countText(booked.length, 'article', 'articles')}, ${formatChange(sum)} units.`
}
