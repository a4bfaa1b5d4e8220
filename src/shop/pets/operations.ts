import { z } from 'zod'
import { linksBy, type Operation, pagingOfAgents } from '../../contract/operation.ts'
import {
  enumParameter,
  idParameter,
  paging,
  repeated,
  sortParameter,
  textParameter,
} from '../../contract/parameter.ts'
import { invalidCursor, unknownReference } from '../../contract/refusals.ts'
import { IDS_MAX } from '../kernel/limits.ts'
import { PetStatus } from '../stock/schema.ts'
import { barcodeTaken, invalidStatusTransition, petInUse, petNotFound, RESTOCK } from './refusals.ts'
import { NewPet, Pet, PetInclude, PetPatch, SimilarSearch } from './schema.ts'

const taken = barcodeTaken('4006381333931', { id: 3n, name: 'Biscuit (Beagle)' })

/**
 * Returns the path parameters of a pet operation. Each operation has its own example id: if a later example orders a
 * pet, no earlier example may delete that pet or put it on hold.
 */
const petAt = (example: number) => ({ petId: idParameter('The id of the pet.', example) })

const linksOfPet = linksBy('petId', '$response.body#/id', {
  update: ['updatePet', 'Change the pet.'],
  delete: ['deletePet', 'Delete the pet.'],
  stock: ['getInventoryItem', 'Read the stock of the pet.'],
  setStock: ['setInventory', 'Set the stock of the pet.'],
  movements: ['listMovements', 'List the stock movements of the pet.'],
})

interface PetFilters {
  readonly id?: unknown
  readonly categoryId?: unknown
  readonly search?: string
  readonly status?: readonly unknown[]
}

export const pets = {
  listPets: {
    method: 'GET',
    path: '/pets',
    tag: 'Pets',
    summary: 'List pets',
    description:
      'Filters are combined with AND, the values of one repeated filter with OR. `id` selects up to 100 pets by id; ids that do not exist are left out. With a single `id`, the response carries the ETag of that pet, for `If-Match` on `/pets/{petId}`. With `name`, the list can only be sorted by `name` (the default) or `-name`.\n\n`search` finds the pet with exactly this barcode first, then pets by the words of their names, without case and accents: those that have words that start with each word of the text, so `kathe ret` finds "Käthe (Golden Retriever)", then those that have them inside their words: `fisch` finds "Goldfisch", 犬 finds 小型犬. Letters such as ä are also found as they are spelled without marks: `baer` finds "Bär". An apostrophe can be left out: `obrien` finds "O’Brien"; hiragana finds katakana, and the reverse. A text without a letter, digit or symbol finds nothing. The pets are in the order of the words that they were found by. It cannot be combined with `id`, `name` or `sort`. **A page can be short, or even empty, although a next page follows**: a page reads a bounded number of words, so continue until there is no `next` link.\n\nWith `include=stock`, each pet also has its `quantity` and `reserved`; the units that can be ordered are `quantity` minus `reserved`. The ETag then changes with the stock, so it is weak even with a single `id`: it is not the ETag of the pet. A cursor can be used with and without `include`.',
    scope: 'public',
    query: {
      ...paging,
      id: repeated(
        IDS_MAX,
        idParameter('Pets with one of these ids. With this filter, the default limit is 100.'),
      ),
      status: repeated(3, enumParameter(PetStatus, 'Pets with one of these statuses.')),
      categoryId: repeated(20, idParameter('Pets in one of these categories.', 1)),
      name: textParameter(1, 200, 'Pets whose name starts with this text; case is ignored.', 'bis'),
      search: textParameter(
        1,
        200,
        'The pet with this barcode, and pets whose names have each word of this text, also inside their words. An empty text is no filter.',
        '',
      ),
      sort: sortParameter(
        'PetSort',
        z.enum(['id', '-id', 'name', '-name']),
        'name',
        'The sort order; a leading minus reverses it.',
      ),
      include: enumParameter(PetInclude, 'Adds the stock to each pet, as `quantity` and `reserved`.'),
    },
    success: {
      status: 200,
      list: Pet,
      description: 'A page of pets.',
      example: [
        { id: 1, name: 'Anansi (Rhodesian Ridgeback)', categoryId: 1, status: 'available', price: 66000 },
        { id: 2, name: 'Argos (Greyhound)', categoryId: 1, status: 'available', price: 75000 },
        { id: 3, name: 'Biscuit (Beagle)', categoryId: 1, status: 'available', price: 69000 },
      ],
    },
    errors: [invalidCursor()],
    represents: { table: 'pet' },
    isShort: ({ id, status, categoryId, search }: PetFilters) =>
      !id && !categoryId && !search && (status === undefined || status.length === 1),
    agent: {
      name: 'find_pets',
      about: 'Find pets by words of the name, category, status or id. Each has its stock.',
      takes: {
        search: 'Words of the name, or parts of them, such as "gold ret", or a barcode; not with id.',
        categoryId: true,
        status: true,
        id: 'Exactly these pets.',
        ...pagingOfAgents,
      },
      sends: { include: 'stock' },
    },
  },
  listSimilarSearches: {
    method: 'GET',
    path: '/similar-searches',
    tag: 'Pets',
    summary: 'List searches that find pets, for one that finds none',
    scope: 'public',
    hidden: true,
    query: { search: textParameter(1, 200, 'The search.', 'dakel') },
    success: {
      status: 200,
      list: SimilarSearch,
      description: 'At most three searches, the most similar first.',
    },
    represents: { table: 'pet' },
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    tag: 'Pets',
    summary: 'Create a pet',
    description:
      'The status sets the initial stock: one unit for `available` (the default), one unit on hold for `pending`, none for `sold`.',
    scope: 'pets:write',
    body: NewPet,
    success: {
      status: 201,
      resource: Pet,
      description: 'The pet.',
      example: { id: 350, name: 'Juniper (Whippet)', categoryId: 1, status: 'available', price: 45000 },
    },
    location: '/pets/{id}',
    resourceHasEtag: true,
    errors: [unknownReference('Category', 404n), taken],
    links: linksOfPet,
    agent: {
      name: 'add_pet',
      about: 'Add a pet to the catalogue, with one unit in stock.',
      takes: {
        name: true,
        categoryId: 'Its category: find_categories.',
        status: 'pending puts the unit on hold; sold means no unit.',
        barcode: true,
      },
    },
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    tag: 'Pets',
    summary: 'Read a pet',
    description: 'Deprecated: use `GET /pets?id=`, which reads up to 100 pets in one request.',
    scope: 'public',
    stability: 'deprecated',
    deprecation: {
      deprecatedAtMs: 1_795_132_800_000,
      sunsetAtMs: Date.parse('2027-12-31T23:59:59Z'),
      successor: path => `/pets?id=${encodeURIComponent(path.petId ?? '')}`,
      docs: '/docs#tag/pets/GET/pets/%7BpetId%7D',
    },
    pathParameters: petAt(3),
    success: { status: 200, resource: Pet, description: 'The pet.' },
    resourceHasEtag: true,
    errors: [petNotFound(404n)],
    represents: { table: 'pet', rowId: 'petId' },
  },
  updatePet: {
    method: 'PATCH',
    path: '/pets/{petId}',
    tag: 'Pets',
    summary: 'Change a pet',
    description:
      'A JSON Merge Patch. A status changes the stock: `pending` puts the pet on hold, `available` lifts the hold, `sold` sets the stock to 0.',
    scope: 'pets:write',
    pathParameters: petAt(4),
    body: PetPatch,
    success: {
      status: 200,
      resource: Pet,
      description: 'The pet after the change.',
      example: { id: 4, name: 'Bramble (Border Terrier)', categoryId: 1, status: 'pending', price: 93000 },
    },
    resourceHasEtag: true,
    errors: [
      petNotFound(404n),
      unknownReference('Category', 404n),
      invalidStatusTransition(3n, 'available', RESTOCK),
      taken,
    ],
    agent: {
      name: 'change_pet',
      about:
        'Rename a pet, move it to another category, change its price or barcode, or put it on hold. Only what you send changes.',
      takes: {
        petId: true,
        name: true,
        categoryId: true,
        status: 'pending puts it on hold, available lifts the hold, sold sets the stock to 0.',
        price: 'In minor units of the currency, such as cents.',
        barcode: true,
      },
    },
  },
  deletePet: {
    method: 'DELETE',
    path: '/pets/{petId}',
    tag: 'Pets',
    summary: 'Delete a pet',
    description: 'Complete orders for the pet are kept, with their petId.',
    scope: 'pets:write',
    pathParameters: petAt(350),
    success: { status: 204, description: 'The pet was deleted.' },
    resourceHasEtag: true,
    errors: [petNotFound(404n), petInUse(3n, 2n)],
  },
} as const satisfies Record<string, Operation>
