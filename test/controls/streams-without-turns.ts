import { TimeSlices } from '../../src/engine/time-slices.ts'

/** Broken on purpose: serves a store whose event streams never leave the thread. The arguments are those of `serve`. */
TimeSlices.prototype.next = () => Promise.resolve()

process.argv.splice(2, 0, 'serve')
await import('../../src/main.ts')
