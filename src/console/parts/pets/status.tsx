import { Badge, Stack } from '@mantine/core'
import type { Order, PetStatus } from '../../../client/petstore-client.ts'
import { today } from '../../data/shop-clock.ts'
import { localDay } from '../../data/shop-zone.ts'
import { t } from '../../words/sentences.tsx'
import { formatCount } from '../names/format.ts'
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

type ShownOrder = Pick<Order, 'complete' | 'shipDate' | 'quantity' | 'returned'>

export function OrderBadge({ complete, shipDate, quantity, returned = 0n }: ShownOrder) {
  return (
    <Stack gap={2} align="start">
      <Badge color={complete ? 'gray' : 'blue'} miw="max-content">
        {complete ? t('complete') : t('open')}
      </Badge>
      {!complete && <OverdueBadge shipDate={shipDate} />}
      {returned > 0n && (
        <Badge color="gray" miw="max-content">
          {returned === quantity ? t('returned') : t('{count} returned', { count: formatCount(returned) })}
        </Badge>
      )}
    </Stack>
  )
}

/** The sign of an open order that should have left the shop before today. */
export function OverdueBadge({ shipDate }: { readonly shipDate: string | undefined }) {
  const day = today.use()
  if (!shipDate || localDay(Date.parse(shipDate)) >= day) return null
  return (
    <Badge color="red" miw="max-content">
      {t('⚠ overdue')}
    </Badge>
  )
}
