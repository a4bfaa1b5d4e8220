import type { Pet } from '../../../client/petstore-client.ts'
import { nameText } from '../../data/name-text.ts'
import { formatMoney } from '../../data/shop-currency.ts'
import { t } from '../../words/sentences.tsx'

/**
 * Returns the name of a pet for a list of options. If another pet of the list has the same name, it is with the price,
 * which a person knows, or with the id if the price does not tell them apart.
 */
export function petLabel(
  { id, name, price }: Pick<Pet, 'id' | 'name' | 'price'>,
  all: readonly Pick<Pet, 'id' | 'name' | 'price'>[],
): string {
  const namesakes = all.filter(other => other.id !== id && other.name === name)
  const text = nameText(name, id)
  if (namesakes.length === 0) return text
  return price === undefined || namesakes.some(other => other.price === price)
    ? t('{name} – pet {id}', { name: text, id: String(id) })
    : t('{name}, {price}', { name: text, price: formatMoney(price) })
}
