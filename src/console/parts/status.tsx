import { Badge } from '@mantine/core'
import type { PetStatus } from '../../client/petstore-client.ts'

const colors: Readonly<Record<PetStatus, string>> = { available: 'teal', pending: 'yellow', sold: 'gray' }

/** The status of a pet, as a word in its colour. */
export function StatusBadge({ status }: { readonly status: PetStatus | undefined }) {
  if (!status) return null
  return (
    <Badge color={colors[status]} variant="light" autoContrast>
      {status}
    </Badge>
  )
}

/** Whether an order is open or complete. */
export function OrderBadge({ complete }: { readonly complete: boolean }) {
  return (
    <Badge color={complete ? 'gray' : 'blue'} variant="light">
      {complete ? 'complete' : 'open'}
    </Badge>
  )
}
