import { FairTurns } from '../../src/sandboxes/fair-turns.ts'

/** Serves a host whose sandboxes begin all of their requests at once. Its arguments are those of `petstore`. */
FairTurns.prototype.begin = () => undefined

process.argv.splice(2, 0, 'sandboxes')
await import('../../src/main.ts')
