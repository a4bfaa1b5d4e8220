import { loadStaged } from '../../catalogue/importer.ts'
import type { LoadSeed } from '../../sandboxes/host/templates.ts'
import { IMPORT_ROWS_MAX } from '../../shop/imports/limits.ts'
import type { ImportedPet } from '../../shop/imports/schema.ts'
import { engineTarget } from '../import/target.ts'
import { loadDemo, silent } from '../serve/demo.ts'

/** The number of pets and of categories of the seed `large`. */
const LARGE_PETS = 10_000
const LARGE_CATEGORIES = 20

const names = [
  'Argos',
  'Bella',
  'Coco',
  'Daisy',
  'Elsa',
  'Finn',
  'Gizmo',
  'Hazel',
  'Ivy',
  'Juno',
  'Koda',
  'Luna',
]

/** Loads a seed into the empty store of a template. Every load has the same rows with the same ids. */
export const loadSandboxSeed: LoadSeed = async (seed, engine, clock) => {
  if (seed === 'demo') await loadDemo(engine, clock)
  if (seed !== 'large') return
  const target = engineTarget(engine, clock, 'large', 1n)
  const categories = Array.from({ length: LARGE_CATEGORIES }, (_, index) => ({
    line: BigInt(index + 1),
    name: categoryName(index),
  }))
  await target.stage({ categories, pets: [] })
  for (let first = 0; first < LARGE_PETS; first += IMPORT_ROWS_MAX) {
    const pets = Array.from({ length: IMPORT_ROWS_MAX }, (_, index) => largePet(first + index))
    await target.stage({ categories: [], pets })
  }
  const { problems } = await loadStaged(target, { isAlone: true }, silent)
  if (problems.length > 0) throw new Error('the seed "large" is invalid')
}

function largePet(index: number): ImportedPet {
  return {
    line: BigInt(index + 1),
    name: `${names[index % names.length]} ${index + 1}`,
    category: categoryName(index % LARGE_CATEGORIES),
    // A tenth of the pets are sold out, and a twentieth are on hold.
    quantity: BigInt(index % 10),
    hold: index % 20 === 1,
  }
}

function categoryName(index: number): string {
  return `Category ${String(index + 1).padStart(2, '0')}`
}
