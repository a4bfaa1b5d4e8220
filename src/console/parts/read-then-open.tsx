import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { Version } from '../data/edit.ts'
import { sentenceOf } from './refusal.tsx'

interface ReadThenOpenProps<Value> {
  readonly label: string
  /** What the button is about, for screen readers: every row has the same button. */
  readonly subject: string
  readonly read: () => Promise<Version<Value>>
  readonly onRead: (version: Version<Value>) => void
}

/** A button in a row that reads the current version of its resource before a dialog edits it. */
export function ReadThenOpen<Value>({ label, subject, read, onRead }: ReadThenOpenProps<Value>) {
  const reading = useMutation({
    mutationFn: read,
    onSuccess: onRead,
    onError: error => notifications.show({ color: 'red', message: sentenceOf(error) }),
  })
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`${label} ${subject}`}
      aria-busy={reading.isPending}
      // Without the state of a loading button: it is disabled, so it would lose the focus that the dialog returns.
      onClick={() => {
        if (!reading.isPending) reading.mutate()
      }}
    >
      {label}
    </Button>
  )
}
