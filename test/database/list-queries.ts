import type { Operation } from '../../src/contract/operation.ts'
import { eventTypes } from '../../src/shop/log/event-types.ts'
import { contract } from '../../src/shop/registry/operations.ts'
import type { Seeded } from '../support/seeded.ts'

/** Returns the path of a random list, with filters, a sort and a limit that the contract allows. */
export function randomListPath({ below, pick }: Seeded): string {
  const query = new URLSearchParams()
  const maybe = (add: () => void): void => (below(2) === 0 ? add() : undefined)
  const several = (name: string, countMax: number, value: () => string): void => {
    for (let count = 1 + below(countMax); count > 0; count--) query.append(name, value())
  }
  const id = (): string => String(1 + below(300))
  const status = (): string => pick(['available', 'pending', 'sold'])
  maybe(() => query.set('limit', String(1 + below(100))))
  const sorted = (...columns: string[]): void =>
    maybe(() => query.set('sort', pick(['', '-']) + pick(columns)))
  const searched = (): void => query.set('search', pick(['pe', 'p 1', 'k\u00e4the', '- -']))
  const lists: Record<string, () => void> = {
    '/pets': () => {
      maybe(() => several('status', 3, status))
      maybe(() => several('categoryId', 20, id))
      if (below(3) === 0) several('id', 100, id)
      if (below(3) === 0) query.set('name', pick(['a', 'be', 'cat', '\u{10ffff}']))
      maybe(() => query.set('include', 'stock'))
      if (!query.has('id') && !query.has('name') && below(3) === 0) return searched()
      sorted(...(query.has('name') ? ['name'] : ['id', 'name']))
    },
    '/categories': () => {
      maybe(() => query.set('name', pick(['d', 'ca'])))
      sorted(...(query.has('name') ? ['name'] : ['id', 'name']))
    },
    '/store/inventory': () => {
      maybe(() => several('status', 3, status))
      if (below(3) === 0) several('petId', 100, id)
      maybe(() => query.set('quantityAtMost', String(below(9))))
      if (!query.has('petId') && below(3) === 0) return searched()
      sorted(...(query.has('quantityAtMost') ? ['quantity'] : ['id', 'quantity']))
    },
    '/store/orders': () => {
      maybe(() => several('petId', 20, id))
      maybe(() => query.set('complete', pick(['true', 'false'])))
      if (below(3) === 0) query.set('reference', pick(['R-1', 'R-2', 'none']))
      maybe(() => query.set('shipDateAfter', '2026-01-01T00:00:00Z'))
      maybe(() => query.set('shipDateBefore', '2036-01-01T00:00:00Z'))
      sorted(...(/shipDate/.test(String(query)) ? ['shipDate'] : ['id', 'shipDate']))
    },
    '/events': () => several('type', eventTypes.length, () => pick(eventTypes)),
    '/audit': () => {
      maybe(() => query.set('keyId', id()))
      maybe(() => query.set('subject', `pets/${id()}`))
      maybe(() => query.set('since', '2026-01-01T00:00:00Z'))
    },
    '/store/inventory/1/movements': () => sorted('id'),
  }
  for (const { path, query: parameters = {}, hidden } of Object.values<Operation>(contract)) {
    const ofPet = path.replace('{petId}', '1')
    if ('cursor' in parameters && !hidden && !ofPet.includes('{')) lists[ofPet] ??= () => {}
  }
  // Pets have the most filters, so more than half of the paths list pets.
  const path = pick(['/pets', pick(Object.keys(lists))])
  lists[path]?.()
  const text = String(query)
  return text === '' ? path : `${path}?${text}`
}
