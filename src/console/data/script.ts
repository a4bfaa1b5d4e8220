import { connection } from './connection.ts'

/** The key in `history.state` that marks a page which was reloaded because a script was missing. */
const RELOADED = 'reloadedForScript'

/**
 * Loads a script. While the store does not respond, waits until it does. Throws if the store responds but the load
 * fails. A retry would not help: browsers cache a failed module load, and an updated store serves its scripts under
 * other names.
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
 * Loads the script of a whole view. If the script cannot be loaded although the store responds, reloads the page.
 * Throws if the page was already reloaded for this reason, so that the page never reloads in a loop.
 */
export async function loadView<Script>(load: () => Promise<Script>): Promise<Script> {
  try {
    const script = await loadScript(load)
    if (isReloaded()) setReloaded(false)
    return script
  } catch (error) {
    if (isReloaded()) throw error
    setReloaded(true)
    location.reload()
    // The page shows its placeholder until the browser has reloaded it.
    return await new Promise<never>(() => {})
  }
}

function isReloaded(): boolean {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null && RELOADED in state
}

/** The mark belongs to one entry of the history: it survives a reload, and a link to another view starts without it. */
function setReloaded(isReloaded: boolean): void {
  history.replaceState(isReloaded ? { [RELOADED]: true } : null, '')
}
