import { Alert, Button, Group, Text } from '@mantine/core'
import { ApiError, ConnectionError } from '../../client/petstore-client.ts'

/** Returns the sentence to show for an error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  if (error instanceof ConnectionError)
    return 'The store does not respond. Your change may or may not be saved.'
  return 'Something went wrong in this page. Reload it and try again.'
}

/** Returns the sentences of a refusal about single members of a body, by the name of the member. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  const fields = error.errors.filter(({ pointer }) => pointer !== undefined && pointer !== '')
  return Object.fromEntries(fields.map(({ pointer = '', message }) => [pointer.split('/')[1] ?? '', message]))
}

interface RefusalProps {
  readonly error: unknown
  /** Names of members whose sentences appear at their fields instead. */
  readonly shown?: readonly string[]
  readonly onRetry?: () => void
}

/** Shows an error as an alert, unless all of it is shown at fields. Shows nothing without an error. */
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
      title={error instanceof ApiError ? 'Refused' : 'Not done'}
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
