import { TextInput, type TextInputProps } from '@mantine/core'

export interface TextFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly value: string
  readonly onChange: (text: string) => void
}

export function TextField({ onChange, ...props }: TextFieldProps) {
  return <TextInput {...props} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
}
