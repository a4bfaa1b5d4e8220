import { type ComponentProps, useState } from 'react'
import { amountProblem } from '../../data/shop-currency.ts'
import { TextField } from './text-field.tsx'

/** A field for an amount of money. When the user leaves it, it says what is wrong with its text. */
export function AmountField({ error, ...props }: Omit<ComponentProps<typeof TextField>, 'inputMode'>) {
  const [left, setLeft] = useState<string>()
  const problem = left === props.value ? amountProblem('amount', left).amount : undefined
  return (
    <TextField {...props} inputMode="decimal" onBlur={() => setLeft(props.value)} error={problem ?? error} />
  )
}
