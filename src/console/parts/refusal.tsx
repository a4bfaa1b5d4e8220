import { Alert, Button, Group, Text } from '@mantine/core'
import { ApiError, ConnectionError } from '../../client/petstore-client.ts'

/** Returns the message to show for an error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  if (error instanceof ConnectionError)
    return 'The store does not respond. If you submitted a change, it may or may not be saved.'
  return 'Something went wrong in this page. Reload the page and try again.'
}

/** Returns the messages of a refusal that are about one member of the body, by the name of the top-level member. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  const fields = error.errors.filter(({ pointer }) => pointer !== undefined && pointer !== '')
  return Object.fromEntries(fields.map(({ pointer = '', message }) => [pointer.split('/')[1] ?? '', message]))
}

interface RefusalProps {
  readonly error: unknown
  /** The names of the members whose messages are shown at their fields. */
  readonly shown?: readonly string[]
  readonly onRetry?: () => void
}

/** Shows an error as an alert, unless all of its messages are shown at fields. Shows nothing if there is no error. */
export function Refusal({ error, shown = [], onRetry }: RefusalProps) {
  if (!error) return null
  const fields = Object.keys(fieldErrors(error))
  if (fields.length > 0 && fields.every(name => shown.includes(name))) return null
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      title={error instanceof ApiError ? 'Request refused' : 'Request failed'}
    >
      <Text size="sm">{sentenceOf(error)}</Text>
      <Group justify="space-between" mt="xs">
        {requestId && (
          <Text size="xs" c="dimmed">
            Request {requestId}
          </Text>
        )}
        {onRetry && (
          <Button size="xs" variant="light" color="red" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  )
}
