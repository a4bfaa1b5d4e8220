import type { Pet } from '../../../client/petstore-client.ts'
import { nameText } from '../../data/name-text.ts'
import { t } from '../../words/sentences.tsx'

/** Returns the name of a pet for a list of options, with the id if another pet of the list has the same name. */
export function petLabel(
  { id, name }: Pick<Pet, 'id' | 'name'>,
  all: readonly Pick<Pet, 'id' | 'name'>[],
): string {
  const isShared = all.some(other => other.id !== id && other.name === name)
  const text = nameText(name, id)
  return isShared ? t('{name} – pet {id}', { name: text, id: String(id) }) : text
}
