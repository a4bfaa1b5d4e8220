import { countText } from '../../values/count-text.ts'

export const petStatuses = ['available', 'pending', 'sold'] as const
export type PetStatus = (typeof petStatuses)[number]

/** The status of a new pet if the request contains none. */
export const PET_STATUS_DEFAULT: PetStatus = 'available'

/** The part of the stock of a pet that determines its status. */
export interface Stock {
  readonly quantity: bigint
  readonly reserved: bigint
  readonly onHold: boolean
}

/** Returns the status of a pet with this stock, which is also the status of its inventory item. */
export function statusOf({ quantity, reserved, onHold }: Stock): PetStatus {
  if (quantity === 0n) return 'sold'
  return onHold || quantity === reserved ? 'pending' : 'available'
}

/** Returns the initial stock of a pet that is created with the given status. */
export function openingStock(status: PetStatus): Stock {
  return { quantity: status === 'sold' ? 0n : 1n, reserved: 0n, onHold: status === 'pending' }
}

export function unitsText(count: bigint): string {
  return countText(count, 'unit')
}
