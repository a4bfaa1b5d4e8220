import { FairTurns } from '../../src/sandboxes/fair-turns.ts'

/**
 * Broken on purpose: serves a host on which every request begins at once, without waiting for its turn. The arguments
 * are those of `petstore sandboxes`.
 */
FairTurns.prototype.begin = () => undefined

process.argv.splice(2, 0, 'sandboxes')
await import('../../src/main.ts')
