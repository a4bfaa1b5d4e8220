import { existsSync } from 'node:fs'
import type { watchFiles } from '../../src/engine/sqlite-files.ts'

const CHECK_MS = 10

/** Broken on purpose: a watch that only checks whether its files exist. */
export const watchExistence: typeof watchFiles = (files, onMissing) => {
  const timer = setInterval(() => {
    const missing = files.find(file => !existsSync(file))
    if (missing === undefined) return
    clearInterval(timer)
    onMissing(missing)
  }, CHECK_MS)
  return () => clearInterval(timer)
}
