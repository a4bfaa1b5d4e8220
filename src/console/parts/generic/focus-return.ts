import { useEffect, useState } from 'react'

let lastOpener: HTMLElement | undefined

/**
 * Returns the focus to the button that opened a dialog, so that a keyboard user continues where they were. A dialog
 * that follows another dialog returns the focus to the button that opened the first dialog. If the button is gone, the
 * content gets the focus.
 */
export function useFocusReturn(): void {
  const [opener] = useState(findOpener)
  useEffect(
    () => () => {
      if (opener?.isConnected) opener.focus()
      else document.getElementById('main')?.focus({ preventScroll: true })
    },
    [opener],
  )
}

function findOpener(): HTMLElement | undefined {
  const active = document.activeElement
  const isInDialog = active?.closest('[role="dialog"]') !== null
  if (active instanceof HTMLElement && active !== document.body && !isInDialog) lastOpener = active
  return lastOpener
}

/** For a ref: the element gets the focus when it appears. On a small screen, the dialog scrolls to it. */
export function focusOnce(element: HTMLElement | null): void {
  element?.focus()
  element?.scrollIntoView({ block: 'center' })
}
