import { existsSync } from 'node:fs'
import type { watchFiles } from '../../src/engine/sqlite-files.ts'

const CHECK_MS = 10

/** Broken on purpose: a watch that only checks whether its files exist. */
export const watchExistence: typeof watchFiles = (files, onGone) => {
  const timer = setInterval(() => {
    const gone = files.find(file => !existsSync(file))
    if (gone === undefined) return
    clearInterval(timer)
    onGone(gone)
  }, CHECK_MS)
  return () => clearInterval(timer)
}
