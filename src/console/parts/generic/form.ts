import { useState } from 'react'

/** The values of a form, and the label of the field for each. */
export interface Form<Values> {
  readonly values: Values
  readonly labels: Readonly<Record<keyof Values, string>>
  readonly set: (changed: Partial<Values>) => void
}

/** A form whose values have the names of the members of the body, so that the store's messages are at their fields. */
export function useForm<Values extends object>(
  first: Values,
  labels: Readonly<Record<keyof Values, string>>,
): Form<Values> {
  const [values, setValues] = useState(first)
  return { values, labels, set: changed => setValues(current => ({ ...current, ...changed })) }
}

/** Returns the properties of the field for one value. `errors` has the messages by the name of the value. */
export type FieldOf<Values> = <Name extends keyof Values & string>(name: Name) => Field<Values[Name]>

export interface Field<Value> {
  readonly label: string
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly error: string | undefined
}

export function fieldsOf<Values>(
  { values, labels, set }: Form<Values>,
  errors: Readonly<Record<string, string>>,
): FieldOf<Values> {
  return name => ({
    label: labels[name],
    value: values[name],
    // Safe: the value has the type of the member with this name.
    onChange: value => set({ [name]: value } as unknown as Partial<Values>),
    error: errors[name],
  })
}
