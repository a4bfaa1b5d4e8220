import { Button, Group, Modal, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, type SubmitEvent, useEffect, useState } from 'react'
import { ApiError } from '../../client/petstore-client.ts'
import { fieldErrors, Refusal } from './refusal.tsx'

interface FormDialogProps {
  readonly title: string
  /** The text of the button that submits, such as `Add pet`. */
  readonly action: string
  /** The notification after success, such as `Order placed`. */
  readonly done: string
  /** Whether the action deletes or revokes something. If so, its button is red. */
  readonly isDestructive?: boolean
  /** Sends the change. If it throws, the dialog shows the error and keeps the values that the user entered. */
  readonly submit: () => Promise<unknown>
  /** Returns the fields. `errors` has the messages of the store, by the name of the member of the body. */
  readonly children: (errors: Readonly<Record<string, string>>) => ReactNode
  /** The names of the members that have a field. Messages about them appear only at the field. */
  readonly fields?: readonly string[]
  /**
   * Shown instead of the refusal if the resource was changed since it was read (412). Without it, the refusal itself is
   * shown.
   */
  readonly conflict?: ReactNode
  readonly onClose: () => void
  /** Called after the change, before the dialog closes. */
  readonly onDone?: () => void
}

/** A dialog with a form for one change. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    action,
    done,
    isDestructive,
    submit,
    children,
    fields = [],
    conflict,
    onClose,
    onDone,
  } = props
  useFocusReturn()
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: submit,
    onSuccess: async () => {
      onDone?.()
      onClose()
      notifications.show({ message: done })
      await queries.invalidateQueries()
    },
  })
  const { error } = change
  const isConflict = error instanceof ApiError && error.status === 412 && conflict !== undefined
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    // In React, the event would also reach a form around the dialog, and submit it.
    event.stopPropagation()
    change.mutate()
  }
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          {children(fieldErrors(error))}
          {isConflict ? conflict : <Refusal error={error} shown={fields} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending} {...(isDestructive && { color: 'red' })}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Returns the focus to the button that opened the dialog, so that a keyboard user continues where they were. */
function useFocusReturn(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    },
    [opener],
  )
}
