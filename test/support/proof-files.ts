import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './root.ts'

/** The names of the test files that `npm run prove` repeats, without `.test.ts`. */
export const proofNames = [
  'races',
  'idempotency',
  'crash',
  'disk-full',
  'fuzz',
  'no-lost-events',
  'slow-streams',
  'dispatcher',
  'backlog',
  'isolation',
  'unreliable-database',
  'many-processes',
  'histories',
  'failover',
  'many-sandboxes',
  'misbehaving-sandbox',
  'catching-up',
  'clock-steps',
  'log-streams-memory',
  'host-capacity',
  'books',
  'two-currencies',
]

/** Returns the path of such a test file. Throws if there is none, because a run without it would prove nothing. */
export function proofFile(name: string): string {
  const test = join(ROOT, 'test')
  const folders = [...readdirSync(test).map(folder => join(test, folder)), join(test, 'http', 'events')]
  const path = folders.map(folder => join(folder, `${name}.test.ts`)).find(file => existsSync(file))
  if (path === undefined) throw new Error(`test has no file ${name}.test.ts in its folders`)
  return path
}
