import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { usePetName } from '../data/pets.ts'
import { useCan, useSession } from '../data/store.ts'

/** How long a name is used without asking again, in milliseconds. An event about the resource replaces it earlier. */
const NAME_FRESH_MS = 300_000
/** The number of keys whose names are known. The others appear with their numbers. */
const KEYS_MAX = 100

/** The name of a category, or its number until the name is known. */
export function CategoryName({ id }: { readonly id: bigint }) {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['categories', 'name', id],
    queryFn: async () => (await client.getCategory({ categoryId: id })).data.name,
    staleTime: NAME_FRESH_MS,
  })
  return <>{data ?? `Category ${id}`}</>
}

/** The name of a pet, or its number if it is not known or deleted. */
export function PetName({ id }: { readonly id: bigint }) {
  return <>{usePetName(id)}</>
}

/** The name of a pet as a link to its view. */
export function PetLink({ id }: { readonly id: bigint }) {
  return (
    <Anchor component={Link} href={`/pets/${id}`} inherit>
      <PetName id={id} />
    </Anchor>
  )
}

/** The name of a key, or its number if the key of the session may not read it or it was revoked. */
export function KeyName({ id }: { readonly id: bigint }) {
  const { client } = useSession()
  const can = useCan()
  const { data } = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: async () => {
      const { items } = (await client.listKeys({ limit: KEYS_MAX })).data
      return new Map(items.map(key => [key.id, key.name]))
    },
    staleTime: NAME_FRESH_MS,
    enabled: can('keys:manage'),
  })
  return <>{data?.get(id) ?? `Key ${id}`}</>
}
