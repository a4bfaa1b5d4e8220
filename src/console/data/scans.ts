import { useEffect, useEffectEvent } from 'react'

/** The maximum time between two keys of a scanner, in milliseconds. Nobody types several letters this fast. */
const KEYS_MS_MAX = 50
/** The minimum length of a scan, so that two keys that a person hits together and Enter are none. */
const CHARS_MIN = 4

type TakeScan = (code: string) => void

/** The fields that take a scan. The one that appeared last takes it. */
const takers: TakeScan[] = []
let keys = ''
let lastMs = 0

function onKey(event: KeyboardEvent): void {
  const { key, timeStamp, target } = event
  const isField = target instanceof Element && target.matches('input, textarea, select, [contenteditable]')
  const isQuick = timeStamp - lastMs <= KEYS_MS_MAX
  if (isField || event.ctrlKey || event.altKey || event.metaKey) keys = ''
  else if (key.length === 1) {
    // A person's key does what it always does. The blank of a scan must not press the button with the focus.
    if (isQuick && keys !== '' && key === ' ') event.preventDefault()
    keys = isQuick ? keys + key : key
    lastMs = timeStamp
  } else if (key === 'Enter') {
    if (isQuick && keys.length >= CHARS_MIN && takers.length > 0) {
      event.preventDefault()
      event.stopImmediatePropagation()
      takers.at(-1)?.(keys)
    }
    keys = ''
  } else if (key !== 'Shift') keys = ''
}

/** Calls `take` with what a scanner types while no field has the focus. */
export function useScan(take: TakeScan, isEnabled = true): void {
  const taken = useEffectEvent(take)
  useEffect(() => {
    if (!isEnabled) return
    const taker: TakeScan = code => taken(code)
    if (takers.push(taker) === 1) addEventListener('keydown', onKey, true)
    return () => {
      takers.splice(takers.indexOf(taker), 1)
      if (takers.length === 0) removeEventListener('keydown', onKey, true)
    }
  }, [isEnabled])
}
