import { Alert } from '@mantine/core'
import { connection } from '../../data/connection.ts'

export function ConnectionAlert() {
  if (!connection.isLost.use()) return null
  return (
    <Alert color="yellow" mb="md" role="status" title="The store does not respond">
      It may be restarting. This page tries again every two seconds and reconnects automatically.
    </Alert>
  )
}
