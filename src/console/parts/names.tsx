import { useQuery } from '@tanstack/react-query'
import { useSession } from '../data/store.ts'

/** How long a name is used without asking again, in milliseconds. An event about the resource replaces it earlier. */
const NAME_FRESH_MS = 300_000

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
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['pets', 'name', id],
    queryFn: async () => (await client.listPets({ id: [id] })).data.items[0]?.name ?? null,
    staleTime: NAME_FRESH_MS,
  })
  return <>{data ?? `Pet ${id}`}</>
}
