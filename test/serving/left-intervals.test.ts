import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ROOT } from '../support/root.ts'

/** Runs a program in which a store is opened, watches a file, and is closed. Returns its exit code and its errors. */
function closeStore(end: string): [number, string] {
  const program = `
    const { noteClosedStore, noteOpenedStore } = await import('${join(ROOT, 'test/support/left-intervals.ts')}')
    const { watchFiles } = await import('${join(ROOT, 'src/database/sqlite/files.ts')}')
    noteOpenedStore()
    noteOpenedStore()
    const stop = watchFiles(['${import.meta.path}'], () => {})
    noteClosedStore()
    ${end}
    noteClosedStore()`
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', program], { timeout: 15_000 })
  return [exitCode, stderr.toString()]
}

test('the last store of a process may leave no interval', () => {
  expect(closeStore('stop()')).toEqual([0, ''])
})

test('control: a closed store that leaves an interval is noticed', () => {
  const [exitCode, errors] = closeStore('')
  expect(exitCode).toBe(1)
  expect(errors).toContain('a closed store left intervals of src/database/sqlite/files.ts')
})
