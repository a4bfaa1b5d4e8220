import { z } from 'zod'
import { NewPet, Pet, PetPatch, PetStatus } from '../model/pet.ts'
import type { Operation } from './operation.ts'
import { enumParameter, idParameter, paging, repeated, sortParameter, textParameter } from './parameter.ts'

/** The example of each operation: the pet that an order reserves later is neither put on hold nor deleted. */
const petAt = (example: number) => ({ petId: idParameter('The id of the pet.', example) })

export const pets = {
  listPets: {
    method: 'GET',
    path: '/pets',
    tag: 'Pets',
    summary: 'List pets',
    description:
      'Filters are joined by AND; the values of one repeated filter by OR. With `id` it reads up to 100 pets by their ids, and missing ones are left out; narrowed to one id, the answer carries the ETag of that pet. With `name` the list is sorted by name, and no other sort is taken.',
    scope: 'public',
    stability: 'stable',
    reads: 'scan',
    query: {
      ...paging,
      id: repeated(100, idParameter('Pets with one of these ids; the limit is then 100 unless given.')),
      status: repeated(3, enumParameter(PetStatus, 'Pets with one of these statuses.')),
      categoryId: repeated(20, idParameter('Pets of one of these categories.', 1)),
      name: textParameter(1, 200, 'Pets whose name begins so; upper and lower case are alike.', 'bis'),
      sort: sortParameter(
        'PetSort',
        z.enum(['id', '-id', 'name', '-name']),
        'name',
        'The order; a minus reverses it.',
      ),
    },
    success: { status: 200, list: Pet, description: 'A page of pets.' },
    errors: ['invalid_cursor'],
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    tag: 'Pets',
    summary: 'Create a pet',
    description:
      'As `available` (or without a status) it starts with one unit in stock, as `pending` with one on hold, as `sold` with none.',
    scope: 'pets:write',
    stability: 'stable',
    body: NewPet,
    success: { status: 201, resource: Pet, description: 'The pet.' },
    location: (pet: Pet) => `/pets/${pet.id}`,
    etag: true,
    errors: ['unknown_reference'],
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    tag: 'Pets',
    summary: 'Read a pet',
    description: 'Deprecated: `GET /pets?id=` reads one pet or a hundred in one request.',
    scope: 'public',
    stability: 'deprecated',
    deprecation: {
      deprecatedAtMs: 1_795_132_800_000,
      sunsetAtMs: Date.parse('2027-12-31T23:59:59Z'),
      successor: path => `/pets?id=${encodeURIComponent(path.petId ?? '')}`,
      docs: '/docs#tag/pets/GET/pets/%7BpetId%7D',
    },
    reads: 'row',
    pathParameters: petAt(3),
    success: { status: 200, resource: Pet, description: 'The pet.' },
    etag: true,
    errors: ['pet_not_found'],
  },
  updatePet: {
    method: 'PATCH',
    path: '/pets/{petId}',
    tag: 'Pets',
    summary: 'Change a pet',
    description:
      'A JSON Merge Patch. Writing a status acts on the stock: `pending` puts the pet on hold, `available` lifts the hold, `sold` takes the stock to 0.',
    scope: 'pets:write',
    stability: 'stable',
    pathParameters: petAt(4),
    body: PetPatch,
    success: { status: 200, resource: Pet, description: 'The pet after the change.' },
    etag: true,
    errors: ['pet_not_found', 'unknown_reference', 'invalid_status_transition'],
  },
  deletePet: {
    method: 'DELETE',
    path: '/pets/{petId}',
    tag: 'Pets',
    summary: 'Delete a pet',
    description: 'Its complete orders stay and keep their petId.',
    scope: 'pets:write',
    stability: 'stable',
    pathParameters: petAt(350),
    success: { status: 204, description: 'The pet is gone.' },
    etag: true,
    errors: ['pet_not_found', 'pet_in_use'],
  },
} as const satisfies Record<string, Operation>
