import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'

/** How long after the last letter a search starts, in milliseconds. */
const TYPING_MS = 250

interface SearchFieldProps {
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  /** Called with the trimmed text when the user stops typing. */
  readonly onChange: (text: string) => void
}

export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const search = useDebouncedCallback(onChange, TYPING_MS)
  // A link to the same view can change the filter. A trailing space stays, because the user may still be typing.
  useEffect(() => setText(current => (current.trim() === value ? current : value)), [value])
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={text}
      // Enter searches at once, and what a scanner types next replaces the text.
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Enter') return
        search.flush()
        currentTarget.select()
      }}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        search(currentTarget.value.trim())
      }}
    />
  )
}
