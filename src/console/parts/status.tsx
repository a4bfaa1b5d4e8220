import { Badge } from '@mantine/core'
import type { PetStatus } from '../../client/petstore-client.ts'

const colors: Readonly<Record<PetStatus, string>> = { available: 'teal', pending: 'yellow', sold: 'gray' }

/** The statuses of a pet, to choose from. */
export const petStatuses: PetStatus[] = ['available', 'pending', 'sold']

/** The status of a pet, as a word in its colour. */
export function StatusBadge({ status }: { readonly status: PetStatus | undefined }) {
  if (!status) return null
  return (
    // A narrow column must not cut the word off.
    <Badge color={colors[status]} variant="light" autoContrast miw="max-content">
      {status}
    </Badge>
  )
}

/** Whether an order is open or complete. */
export function OrderBadge({ complete }: { readonly complete: boolean }) {
  return (
    <Badge color={complete ? 'gray' : 'blue'} variant="light" miw="max-content">
      {complete ? 'complete' : 'open'}
    </Badge>
  )
}
