import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

interface CountInputProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly description?: string
  readonly error?: ReactNode
}

const INTEGER = /^-?\d{1,18}$/

/** A field for an integer. It is text, because a number of JavaScript would round a large one. */
export function CountInput({ label, value, onChange, description, error }: CountInputProps) {
  return (
    <TextInput
      label={label}
      description={description}
      inputMode="numeric"
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      error={error ?? (value !== '' && !INTEGER.test(value.trim()) && 'Enter a whole number.')}
      required
    />
  )
}

/** Returns the integer in a field; undefined if it is empty or not an integer. */
export function countIn(value: string): bigint | undefined {
  return INTEGER.test(value.trim()) ? BigInt(value.trim()) : undefined
}
