import type { ApiError, PetStatus } from '../../../client/petstore-client.ts'
import { t } from '../../words/sentences.tsx'
import { formatUnits } from './format.ts'

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

/** What someone does to a pet that gets a new status, in the English messages: it is put on hold. */
const statusVerbs: Readonly<Record<PetStatus, string>> = {
  available: 'released',
  pending: 'put on hold',
  sold: 'marked as sold',
}

/** Rewrites a message. It keeps the subject, such as `Pet 3`, which the page replaces with the name. */
type Rewording = (message: string) => string

const isGone: Rewording = message => {
  const [, id] = /\bpet (\d{1,19})\b/i.exec(message) ?? []
  return id === undefined ? message : `Pet ${id} is no longer in the shop.`
}

/** The English messages of the store that the shop words otherwise, by their code. */
const rewordings: Partial<Record<ApiError['code'], Rewording>> = {
  precondition_failed: () => 'Someone else has changed it meanwhile.',
  pet_not_found: isGone,
  inventory_item_not_found: isGone,
  insufficient_stock: message =>
    message.replace(
      /(\d{1,19}) of \d{1,19} units? available; (\d{1,19}) (?:is|are) requested/,
      (_, free, asked) => `${formatUnits(BigInt(free))} for sale, and you asked for ${asked}`,
    ),
  stock_below_reserved: message => message.replace('on hand', 'in stock'),
  pet_not_available: message => message.replace('cannot be ordered', 'cannot be sold'),
  invalid_status_transition: message =>
    message.replace(
      /is [a-z]{1,20} and cannot become ([a-z]{1,20})/,
      (_, status: PetStatus) => `cannot be ${statusVerbs[status]}`,
    ),
}

/** Returns the message of a refusal in the words of the shop. A message of another form stays as it is. */
export function rewordRefusal({ code, message }: ApiError): string {
  return rewordings[code]?.(message) ?? message
}
