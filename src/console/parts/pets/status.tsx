import { Badge } from '@mantine/core'
import type { PetStatus } from '../../../client/petstore-client.ts'

const colors: Readonly<Record<PetStatus, string>> = { available: 'teal', pending: 'yellow', sold: 'gray' }

export const petStatuses: PetStatus[] = ['available', 'pending', 'sold']

/** The statuses of the pets that can still be sold. */
export const unsoldStatuses: PetStatus[] = ['available', 'pending']

export function StatusBadge({ status }: { readonly status: PetStatus | undefined }) {
  if (!status) return null
  return (
    // A narrow column must not cut the word off.
    <Badge color={colors[status]} autoContrast miw="max-content">
      {status}
    </Badge>
  )
}

export function OrderBadge({ complete }: { readonly complete: boolean }) {
  return (
    <Badge color={complete ? 'gray' : 'blue'} miw="max-content">
      {complete ? 'complete' : 'open'}
    </Badge>
  )
}
