import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { Version } from '../../data/edit.ts'
import { sentenceOf } from './refusal.tsx'

interface ReadThenOpenProps<Value> {
  readonly label: string
  /** The name of the resource, for screen readers: the buttons of all rows have the same label. */
  readonly subject: string
  readonly read: () => Promise<Version<Value>>
  readonly onRead: (version: Version<Value>) => void
}

/** A button in the row of a resource. It reads the current version of the resource, which a dialog then edits. */
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
      // Not `loading`: it would disable the button, and the dialog could not return the focus to the button.
      onClick={() => {
        if (!reading.isPending) reading.mutate()
      }}
    >
      {label}
    </Button>
  )
}
