import { Badge } from '@mantine/core'
import type { PetStatus } from '../../../client/petstore-client.ts'
import { type PetStock, statusWord } from '../names/shop-words.ts'

const colors: Readonly<Record<PetStatus, string>> = { available: 'teal', pending: 'yellow', sold: 'gray' }

export const petStatuses: PetStatus[] = ['available', 'pending', 'sold']

/** The statuses of the pets that can still be sold. */
export const unsoldStatuses: PetStatus[] = ['available', 'pending']

/** The statuses as options of a filter. */
export const statusOptions = petStatuses.map(status => ({ value: status, label: statusWord({ status }) }))

export function StatusBadge(pet: PetStock) {
  const { status } = pet
  if (!status) return null
  return (
    // A narrow column must not cut the word off.
    <Badge color={colors[status]} autoContrast miw="max-content">
      {statusWord(pet)}
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
