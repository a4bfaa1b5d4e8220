import { TextInput, type TextInputProps } from '@mantine/core'
import { type MouseEvent, useRef, useState } from 'react'
import { ORDER_QUANTITY_MAX } from '../../../contract/limits.ts'
import { t } from '../../words/sentences.tsx'
import { formatCount } from '../names/format.ts'

interface UnitsInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly value: bigint | undefined
  /** Called with undefined while the field does not contain a whole number. */
  readonly onChange: (units: bigint | undefined) => void
  readonly allowNegative?: boolean
  /** Whether they are the units of an order: when the user leaves the field, it says that they are none or too many. */
  readonly isOrdered?: boolean
}

/** The largest int64. */
const UNITS_MAX = 2n ** 63n - 1n

/**
 * A field for a whole number of units. It is exact up to `UNITS_MAX`. It keeps any other text unchanged, with a message
 * below, because a field that drops characters would turn a pasted 1e5 into 15.
 */
export function UnitsInput(all: UnitsInputProps) {
  const { value, onChange, error, isOrdered = false, allowNegative = !isOrdered, ...props } = all
  const [typed, setTyped] = useState('')
  const [left, setLeft] = useState<string>()
  // The value can also change without typing in the field, for example after a conflict.
  const text = unitsIn(typed, allowNegative) === value ? typed : String(value ?? '')
  const isWrong = text.trim() !== '' && unitsIn(text, allowNegative) === undefined
  // A sign alone is not a problem: the user may still be typing the number.
  const problem = isWrong && !(allowNegative && /^\s*[+-]\s*$/.test(text)) && problemOf(allowNegative)
  const selection = useSelectionOnFocus()
  return (
    <TextInput
      {...props}
      {...selection}
      // The keyboard for digits has no sign on some phones.
      {...(!allowNegative && { inputMode: 'numeric' })}
      value={text}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onChange(unitsIn(currentTarget.value, allowNegative))
      }}
      onBlur={event => {
        setLeft(text)
        props.onBlur?.(event)
      }}
      error={problem || (isOrdered && left === text && orderedUnitsProblem(value)) || error}
    />
  )
}

/** Selects all text when the field gets the focus, so that typing replaces the number instead of adding digits. */
function useSelectionOnFocus() {
  const isEntered = useRef(false)
  return {
    onFocus: ({ currentTarget }: { currentTarget: HTMLInputElement }) => currentTarget.select(),
    onMouseDown: ({ currentTarget }: MouseEvent<HTMLInputElement>) => {
      isEntered.current = document.activeElement !== currentTarget
    },
    // After the focus, the click sets the caret, which ends the selection. A selection that the user drags stays.
    onMouseUp: ({ currentTarget }: MouseEvent<HTMLInputElement>) => {
      const { selectionStart, selectionEnd } = currentTarget
      if (isEntered.current && selectionStart === selectionEnd) currentTarget.select()
    },
  }
}

/** Returns a message if the units of an order are none, less than one, or too many, such as a scanned barcode. */
export function orderedUnitsProblem(units: bigint | undefined): string | undefined {
  if (units === undefined || units < 1n) return t('Units must be at least 1.')
  if (units <= ORDER_QUANTITY_MAX) return undefined
  return t('Units must be at most {most}.', { most: formatCount(ORDER_QUANTITY_MAX) })
}

function problemOf(allowNegative: boolean): string {
  return allowNegative
    ? t('Enter a whole number with digits only, such as 12 or -3.')
    : t('Enter a whole number with digits only, such as 12.')
}

/** Returns the number in a text of digits; undefined for any other text, and for a number beyond `UNITS_MAX`. */
function unitsIn(text: string, allowNegative: boolean): bigint | undefined {
  const digits = text.trim()
  if (!(allowNegative ? /^[+-]?\d{1,19}$/ : /^\d{1,19}$/).test(digits)) return undefined
  const units = BigInt(digits)
  return units >= -UNITS_MAX && units <= UNITS_MAX ? units : undefined
}
