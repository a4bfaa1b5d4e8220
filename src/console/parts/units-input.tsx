import { NumberInput, type NumberInputProps } from '@mantine/core'

interface UnitsInputProps extends Omit<NumberInputProps<bigint>, 'value' | 'onChange'> {
  readonly value: bigint | undefined
  readonly onChange: (units: bigint | undefined) => void
}

/** A field for a whole number of units. It is exact for every int64. */
export function UnitsInput({ value, onChange, ...props }: UnitsInputProps) {
  return (
    <NumberInput<bigint>
      {...props}
      value={value ?? ''}
      onChange={units => onChange(typeof units === 'bigint' ? units : bigintIn(units))}
      allowDecimal={false}
    />
  )
}

function bigintIn(text: string): bigint | undefined {
  return /^-?\d+$/.test(text) ? BigInt(text) : undefined
}
