import { useEffect } from 'react'

/** Makes the browser ask before the page is reloaded or closed. */
export function useUnloadWarning(isGuarded: boolean): void {
  useEffect(() => {
    if (!isGuarded) return
    const onUnload = (event: Event): void => event.preventDefault()
    addEventListener('beforeunload', onUnload)
    return () => removeEventListener('beforeunload', onUnload)
  }, [isGuarded])
}
