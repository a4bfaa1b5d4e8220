import { useQuery } from '@tanstack/react-query'
import type { Client, Pet } from '../../client/petstore-client.ts'
import type { Version } from './edit.ts'
import { nameText } from './name-text.ts'
import { useSession } from './session-context.ts'

/** The maximum number of pets in one request by id. */
const IDS_MAX = 100
/** How long a name is used before it is read again, in milliseconds. An event about a pet makes it outdated earlier. */
const NAME_FRESH_MS = 300_000

/** Reads a pet with its ETag. Returns null if it does not exist. */
export async function readPet(client: Client, petId: bigint): Promise<Version<Pet> | null> {
  const { data, etag } = await client.listPets({ id: [petId] })
  const [pet] = data.items
  return pet ? { data: pet, etag } : null
}

/** The data is null if the pet does not exist. */
export function usePet(petId: bigint) {
  const { client } = useSession()
  return useQuery({ queryKey: ['pets', 'one', petId], queryFn: () => readPet(client, petId) })
}

export function useStock(petId: bigint) {
  const { client } = useSession()
  return useQuery({
    queryKey: ['inventory', 'one', petId],
    queryFn: () => client.getInventoryItem({ petId }),
  })
}

/**
 * Returns the name of a pet as plain text, for places that cannot contain HTML elements, such as a label. Returns
 * `Pet 7` until the name is known, and if the pet does not exist.
 */
export function usePetName(petId: bigint): string {
  return nameText(useStoredPetName(petId), petId)
}

/** Returns the name of a pet as it is stored; a text such as `Pet 7` if it is not known. */
export function useStoredPetName(petId: bigint): string {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['pets', 'name', petId],
    queryFn: () => readPetName(client, petId),
    staleTime: NAME_FRESH_MS,
  })
  return data ?? `Pet ${petId}`
}

interface NameRequest {
  readonly petId: bigint
  readonly resolve: (name: string | null) => void
  readonly reject: (error: unknown) => void
}

const waitingByClient = new WeakMap<Client, NameRequest[]>()

/**
 * Reads the name of a pet; null if the pet does not exist. The names that the rows of a table need are read together,
 * in requests for at most `IDS_MAX` pets.
 */
function readPetName(client: Client, petId: bigint): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const waiting = waitingByClient.get(client) ?? []
    waiting.push({ petId, resolve, reject })
    if (waiting.length > 1) return
    waitingByClient.set(client, waiting)
    setTimeout(() => {
      waitingByClient.delete(client)
      for (let start = 0; start < waiting.length; start += IDS_MAX)
        void readNames(client, waiting.slice(start, start + IDS_MAX))
    })
  })
}

async function readNames(client: Client, waiting: readonly NameRequest[]): Promise<void> {
  try {
    const { data } = await client.listPets({ id: waiting.map(({ petId }) => petId) })
    const names = new Map(data.items.map(({ id, name }) => [id, name]))
    for (const { petId, resolve } of waiting) resolve(names.get(petId) ?? null)
  } catch (error) {
    for (const { reject } of waiting) reject(error)
  }
}
