import { useQuery } from '@tanstack/react-query'
import type { Pet } from '../../../client/petstore-client.ts'
import { nameText } from '../../data/name-text.ts'
import { usePastName } from '../../data/past-names.ts'
import { findPets, findSimilarSearches, petNumber, readPet } from '../../data/pets.ts'
import { useSession } from '../../data/session-context.ts'
import { t } from '../../words/sentences.tsx'
import { NameSelect } from '../generic/name-select.tsx'
import { petLabel } from '../names/pet-label.ts'

/** The maximum number of pets in the list. A user who does not find a pet types more letters. */
const OPTIONS_MAX = 20

interface PetFilterProps {
  readonly value: bigint | undefined
  /** Called with null if the user clears the field. */
  readonly onChange: (petId: string | null) => void
}

/** A filter by a pet, which the user finds by the words of its name. It also shows a pet that was deleted since. */
export function PetFilter({ value, onChange }: PetFilterProps) {
  const { client, key } = useSession()
  const { data } = useQuery({
    queryKey: ['pets', 'one', value],
    queryFn: () => (value === undefined ? null : readPet(client, value)),
    enabled: value !== undefined,
  })
  const isDeleted = value !== undefined && data === null
  const past = usePastName({ resource: 'pets', id: value ?? 0n, enabled: isDeleted })
  const name = nameText(data?.data.name ?? past ?? petNumber(value), value)
  return (
    <NameSelect<Pet>
      label={t('Pet')}
      placeholder={t('Any')}
      clearable
      resource="pets"
      search={(text, signal) => findPets(client, text, { limit: OPTIONS_MAX, signal })}
      read={async text => (await client.listPets({ name: text })).data.items}
      findSimilar={text => findSimilarSearches(key, text)}
      optionOf={(pet, list) => ({ value: String(pet.id), label: petLabel(pet, list) })}
      value={value === undefined ? null : String(value)}
      chosen={value === undefined ? undefined : { value: String(value), label: name }}
      onSelect={option => onChange(option?.value ?? null)}
      noneText={t('There is no pet yet.')}
      noMatchText={t('No word of a pet name starts with this.')}
    />
  )
}
