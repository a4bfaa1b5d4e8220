import type { ImportProgress } from '../../catalogue/importer.ts'
import { sql } from '../../database/statement.ts'
import { programFile } from '../../files/program-files.ts'
import type { StoreEngine } from '../../serving/open.ts'
import { readMetadata } from '../../shop/kernel/metadata.ts'

const countIssuedIds = sql<{ issued: bigint }>()(
  `SELECT CAST(sum(last) AS BIGINT) AS issued FROM counter WHERE noun IN ('category', 'pet')`,
)

export const silent: ImportProgress = {
  onBytes: () => {},
  onChecked: () => {},
  onStaged: () => {},
  onProblems: () => {},
  onLoaded: () => {},
}

/** The metadata of a store that must stay empty until its owner fills it. */
export const WITHOUT_DEMO = { demo: 'none' }

/**
 * Loads the demo shop into a store in which no category or pet was ever created. Does nothing after
 * `petstore reset --empty`.
 */
export async function loadDemo(engine: StoreEngine, clock: () => number): Promise<void> {
  const counted = await engine.readShort(async reader => reader.one(countIssuedIds))
  if (counted?.issued !== 0n) return
  if ((await engine.readShort(reader => readMetadata(reader, 'demo'))) === WITHOUT_DEMO.demo) return
  // Only a first start needs the modules of an import.
  const [{ engineTarget }, { importFiles }, { catalogueSource }] = await Promise.all([
    import('../import/target.ts'),
    import('../../catalogue/importer.ts'),
    import('../import/catalogue-source.ts'),
  ])
  const target = engineTarget(engine, clock, 'demo')
  const files = {
    categories: catalogueSource(programFile('demo/categories.csv')),
    pets: catalogueSource(programFile('demo/pets.csv')),
  }
  // It fits into one slice, so a start that is interrupted leaves all of it or none.
  const { problems } = await importFiles(target, files, { keepGoing: false, isAlone: true }, silent)
  if (problems.length > 0)
    throw new Error(`The demo shop is invalid: ${problems.map(({ message }) => message).join('; ')}`)
}
