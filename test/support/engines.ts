const ENGINES = ['sqlite', 'postgres'] as const

export type EngineName = (typeof ENGINES)[number]

/** Whether every store on SQLite is a sandbox: `ENGINE=sandbox npm run tests -- test/shop`. */
export const isSandboxRun = process.env.ENGINE === 'sandbox'
const chosenEngine = isSandboxRun ? 'sqlite' : process.env.ENGINE

/**
 * The engines of this run: both, or only one, as in `ENGINE=sqlite npm test`. A run without PostgreSQL starts no
 * PostgreSQL server, and skips the tests that need one.
 */
export const testedEngines: readonly EngineName[] = ENGINES.filter(name => (chosenEngine ?? name) === name)
if (testedEngines.length === 0) throw new Error(`ENGINE must be one of ${ENGINES.join(', ')}, sandbox.`)
