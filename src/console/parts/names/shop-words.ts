import type { PetStatus } from '../../../client/petstore-client.ts'
import { t } from '../../words/sentences.tsx'

/** What the people of the shop call the numbers and the times that the API has. */
export const words = {
  quantity: t('In stock'),
  reserved: t('Reserved'),
  /** `unitsForSale` returns the number. */
  forSale: t('For sale'),
  /** The level at which a pet should be reordered. */
  reorderAt: t('Reorder at'),
  /** The ship date of a complete order. */
  soldAt: t('Sold at'),
} as const

/** The members of a pet or of an inventory item on which the words depend. */
export interface PetStock {
  readonly status?: PetStatus | undefined
  readonly quantity?: bigint | undefined
  readonly reserved?: bigint | undefined
}

/** Returns the number of units that can be sold now: none while the pet is on hold. */
export function unitsForSale({ status, quantity = 0n, reserved = 0n }: PetStock): bigint {
  return status === 'pending' ? 0n : quantity - reserved
}

/** Returns the word for a status. Without the stock, it is not known whether a hold or orders set a pet aside. */
export function statusWord({ status, quantity, reserved = 0n }: PetStock): string {
  if (status === 'available') return t('available')
  if (status === 'sold') return t('sold')
  if (status !== 'pending') return status ?? ''
  if (quantity === undefined) return t('set aside')
  return quantity > reserved ? t('on hold') : t('all reserved')
}
