import { TextInput, type TextInputProps } from '@mantine/core'
import { instantOf } from '../../data/shop-zone.ts'
import { t } from '../../words/sentences.tsx'

interface TextFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly value: string
  readonly onChange: (text: string) => void
}

export function TextField({ onChange, ...props }: TextFieldProps) {
  return <TextInput {...props} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
}

/** A field for an instant, in the time zone of the shop. Its text is local time such as `2026-11-22T08:30`. */
export function InstantInput(props: Omit<TextFieldProps, 'type'>) {
  // A year has four digits in RFC 3339. Without a limit, the browser offers six.
  return <TextField {...props} type="datetime-local" max="9999-12-31T23:59" />
}

/** The message at a field whose text is not an instant. */
export const NOT_AN_INSTANT = t('This is not a valid date: the year has at most four digits.')

/** Returns the text of a field as an RFC 3339 instant; undefined if it is not an instant up to the year 9999. */
export function instantIn(text: string): string | undefined {
  const date = new Date(instantOf(text))
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ? undefined : date.toISOString()
}
