import { useQuery } from '@tanstack/react-query'
import { makeCall } from '../../client/client.ts'
import type { Client, Pet, PetStatus } from '../../client/petstore-client.ts'
import { t } from '../words/sentences.tsx'
import type { Version } from './edit.ts'
import { readFullPage } from './full-page.ts'
import { nameText } from './name-text.ts'
import { usePastName } from './past-names.ts'
import { baseUrl } from './session.ts'
import { useSession } from './session-context.ts'

const IDS_MAX = 100

interface FoundPets {
  readonly status?: readonly PetStatus[]
  readonly limit: number
  /** Aborted when the text has changed. */
  readonly signal?: AbortSignal
}

/** Searches pets, with their stock. An empty text finds all. */
export async function findPets(
  client: Client,
  text: string,
  { status, limit, signal }: FoundPets,
): Promise<Pet[]> {
  const input = { include: 'stock' as const, ...(status && { status }), search: text }
  return (await readFullPage(page => client.listPets({ ...input, ...page }, { signal }), undefined, limit))
    .items
}

/** An operation that is not in the OpenAPI description. */
const similarSearches = {
  method: 'GET',
  path: '/similar-searches',
  query: ['search'],
  list: true,
} as const

/** Returns searches that find pets, for one that finds none. */
export async function findSimilarSearches(key: string, search: string): Promise<readonly string[]> {
  const { data } = await makeCall({ baseUrl, key })('similar', similarSearches, { search })
  // Safe: the contract of the operation has this type.
  return (data as readonly { readonly search: string }[]).map(similar => similar.search)
}

/** Like `findSimilarSearches`; none for an empty search. */
export function useSimilarSearches(search: string): readonly string[] {
  const { key } = useSession()
  const { data = [] } = useQuery({
    queryKey: ['pets', 'similar', search],
    queryFn: () => findSimilarSearches(key, search),
    enabled: search !== '',
  })
  return data
}

/** Shown until a name is read. */
export const UNREAD = '…'

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
 * `Pet 7` until the name is known.
 */
export function usePetName(petId: bigint): string {
  const name = useStoredPetName(petId)
  return name === UNREAD ? petNumber(petId) : nameText(name, petId)
}

/**
 * Returns the name of a pet as it is stored, or as it was at a position of the log. A pet that was deleted has its last
 * name. The name is `UNREAD` until it is read, and a text such as `Pet 7` if it cannot be.
 */
export function useStoredPetName(petId: bigint, at?: bigint): string {
  const { client } = useSession()
  const { data, isPending } = useQuery({
    queryKey: ['pets', 'name', petId],
    queryFn: () => readPetName(client, petId),
    staleTime: NAME_FRESH_MS,
  })
  const enabled = at !== undefined || data === null
  const past = usePastName({ resource: 'pets', id: petId, at, enabled })
  return past ?? data ?? (isPending ? UNREAD : petNumber(petId))
}

/** Returns what stands for the name of a pet that is not known. */
export function petNumber(petId: bigint | undefined): string {
  return t('Pet {id}', { id: String(petId) })
}

/** The names of at most `IDS_MAX` pets, which one request reads. */
interface NameBatch {
  readonly ids: bigint[]
  readonly names: Promise<ReadonlyMap<bigint, string>>
}

/** The batch of each client whose request has not been sent. */
const openBatches = new WeakMap<Client, NameBatch>()

/** Reads the name of a pet together with the others that the rows of a table need; null if the pet does not exist. */
async function readPetName(client: Client, petId: bigint): Promise<string | null> {
  let batch = openBatches.get(client)
  if (!batch || batch.ids.length === IDS_MAX) {
    const ids: bigint[] = []
    batch = { ids, names: readNames(client, ids) }
    openBatches.set(client, batch)
  }
  batch.ids.push(petId)
  return (await batch.names).get(petId) ?? null
}

async function readNames(client: Client, ids: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
  // The other rows ask for their names in the same turn.
  await new Promise(resolve => setTimeout(resolve))
  if (openBatches.get(client)?.ids === ids) openBatches.delete(client)
  return readPetNames(client, ids)
}

/** Reads the names of pets, by their id. A pet that does not exist is absent. */
export async function readPetNames(
  client: Client,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, string>> {
  return new Map((await readPets(client, ids)).map(({ id, name }) => [id, name]))
}

/** Reads pets by their ids. A pet that does not exist is absent. */
export async function readPets(client: Client, ids: readonly bigint[]): Promise<Pet[]> {
  const pets: Pet[] = []
  for (let from = 0; from < ids.length; from += IDS_MAX) {
    const { data } = await client.listPets({ id: ids.slice(from, from + IDS_MAX) })
    pets.push(...data.items)
  }
  return pets
}
