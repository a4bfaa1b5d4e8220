import { readFileSync } from 'node:fs'

/** The calls that the session makes through a generated TypeScript client. */
export interface Calls {
  listPets(): Promise<readonly unknown[] | undefined>
  createPet(name: string): Promise<{ readonly id: number; readonly name: string } | undefined>
  placeOrder(petId: number): Promise<{ readonly quantity?: number } | undefined>
  /** Places an order that the store refuses, and returns the body of the error. */
  refusedOrder(petId: number): Promise<{ readonly code: string; readonly status: number } | undefined>
  /** Returns the message of the refusal pet_not_found, which contains the id as the store received it. */
  messageOfMissingPet(id: number): Promise<string | undefined>
  /** Returns the noun of the first event of a type, found by narrowing the union. */
  firstEvent(type: string): Promise<string>
  nounOf(event: unknown): string
  readEvent(json: unknown): unknown
  readPet(json: unknown): unknown
}

const first = {
  pet: 'petstore.pet.created',
  category: 'petstore.category.created',
  order: 'petstore.order.placed',
  inventory: 'petstore.inventory.changed',
} as const

/** Prints one line for each step, with the exact words that the runner expects. */
export async function session(calls: Calls, samples: string): Promise<void> {
  const sample = (name: string): unknown => JSON.parse(readFileSync(`${samples}/${name}.json`, 'utf8'))
  console.log(`listed ${(await calls.listPets())?.length} pets`)
  const pet = await calls.createPet('Nimbus')
  console.log(`created ${pet?.name}`)
  console.log(`ordered ${(await calls.placeOrder(pet?.id ?? 0))?.quantity}`)
  const refused = await calls.refusedOrder(pet?.id ?? 0)
  console.log(`refused ${refused?.code} ${refused?.status}`)
  const nouns: string[] = []
  for (const type of Object.values(first)) nouns.push(await calls.firstEvent(type))
  nouns.push(calls.nounOf(calls.readEvent(sample('event-webhook'))))
  console.log(`decoded ${nouns.join(' ')}`)
  // This is not a literal, because a literal would also be rounded to ...992, and the linter would report it.
  const message = await calls.messageOfMissingPet(Number('9007199254740993'))
  console.log(`id ${message?.includes('9007199254740993') ? 'exact' : 'rounded'}`)
  console.log(`event member ${handlingOf(() => calls.readEvent(sample('event-unknown-member')), 'colour')}`)
  console.log(`event type ${handlingOf(() => calls.readEvent(sample('event-unknown-type')), 'type')}`)
  console.log(`pet member ${handlingOf(() => calls.readPet(sample('pet-unknown-member')), 'colour')}`)
}

/** Returns `kept` if a decoded value has a member, `ignored` if it lacks the member, or `error` if decoding fails. */
function handlingOf(decode: () => unknown, member: string): 'kept' | 'ignored' | 'error' {
  try {
    const decoded = decode()
    return typeof decoded === 'object' && decoded !== null && member in decoded ? 'kept' : 'ignored'
  } catch {
    return 'error'
  }
}
