import { Alert } from '@mantine/core'
import { POLL_MS } from '../../data/live.ts'

export function SilentStream() {
  return (
    <Alert color="yellow" role="status" title="Nothing arrives live">
      The stream of the store is silent: a proxy may hold it back, or this browser follows other stores. This
      page reads its data every {POLL_MS / 1000} seconds instead.
    </Alert>
  )
}
