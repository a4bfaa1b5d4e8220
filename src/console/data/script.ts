import { connection } from './connection.ts'

/** The member of the state of the history that says that this page was reloaded for a missing script. */
const RELOADED = 'reloadedForScript'

/**
 * Loads a script. While the store does not respond, waits until it does. Throws if the script is still missing then: a
 * browser keeps the failure of a script, and an updated store has other scripts.
 */
export async function loadScript<Script>(load: () => Promise<Script>): Promise<Script> {
  for (;;) {
    try {
      return await connection.watch(load())
    } catch (error) {
      if (await connection.responds()) throw error
      await connection.untilRestored()
    }
  }
}

/**
 * Loads the script of a whole view. If it is missing although the store responds, reloads the page to get it again.
 * Throws if the page was already reloaded for this, so that the page never reloads in a loop.
 */
export async function loadView<Script>(load: () => Promise<Script>): Promise<Script> {
  try {
    const script = await loadScript(load)
    if (isReloaded()) markReloaded(false)
    return script
  } catch (error) {
    if (isReloaded()) throw error
    markReloaded(true)
    location.reload()
    // The page shows its placeholder until the browser has replaced it.
    return await new Promise<never>(() => {})
  }
}

function isReloaded(): boolean {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null && RELOADED in state
}

/** Only the entry of the history keeps the mark: a link to another view removes it, and a reload does not. */
function markReloaded(is: boolean): void {
  history.replaceState(is ? { [RELOADED]: true } : null, '')
}
