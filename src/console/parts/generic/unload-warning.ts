import { useEffect, useEffectEvent } from 'react'

/** Makes the browser ask before the page is reloaded or closed. */
export function useUnloadWarning(isGuarded: boolean): void {
  useEffect(() => {
    if (!isGuarded) return
    const onUnload = (event: Event): void => event.preventDefault()
    addEventListener('beforeunload', onUnload)
    return () => removeEventListener('beforeunload', onUnload)
  }, [isGuarded])
}

/** Makes the browser ask before a reload, and calls `ask` in place of what the Back button or a link to a view does. */
export function useGuardedPage(isGuarded: boolean, ask?: () => void): void {
  const onLeave = useEffectEvent(() => ask?.())
  useUnloadWarning(isGuarded)
  useEffect(() => {
    if (!isGuarded) return
    const onNavigate = (event: NavigateEvent): void => {
      // The fragment of an address is a place in the page, or a key.
      const isPush = event.navigationType === 'push' && event.destination.sameDocument && !event.hashChange
      if (!event.cancelable || !(isPush || event.navigationType === 'traverse')) return
      event.preventDefault()
      onLeave()
    }
    // Older browsers have no `navigation`. The compiler believes that all have it.
    const { navigation } = window as Partial<Pick<Window, 'navigation'>>
    navigation?.addEventListener('navigate', onNavigate)
    return () => navigation?.removeEventListener('navigate', onNavigate)
  }, [isGuarded])
}
