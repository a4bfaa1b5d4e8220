import { Alert } from '@mantine/core'
import { useConnectionLost } from '../../data/connection.ts'

/** An alert that is shown while the store does not respond. */
export function ConnectionAlert() {
  if (!useConnectionLost()) return null
  return (
    <Alert color="yellow" mb="md" role="status" title="The store does not respond">
      It may be restarting. This page tries again every two seconds and reconnects automatically.
    </Alert>
  )
}
