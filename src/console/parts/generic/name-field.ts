import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FocusEvent, type KeyboardEvent, type SyntheticEvent, useState } from 'react'
import { caselessForm } from '../../../values/same-name.ts'

/** How long after the last letter a search starts, in milliseconds. */
const TYPING_MS = 250

interface NamedItem {
  readonly id: bigint
  readonly name: string
}

interface NameFieldOptions<Item> {
  /** The resource, as the first part of the query key. */
  readonly resource: string
  /** The text of the field if an item is chosen. */
  readonly chosenText: string | undefined
  /** Reads the options for a text; an empty text matches everything. */
  readonly search: (text: string) => Promise<readonly Item[]>
  /** Reads all items whose name starts with a text. */
  readonly read: (text: string) => Promise<readonly Item[]>
  readonly onChoose: (item: Item) => void
  /** Called when the user types instead of choosing. */
  readonly onTyped: () => void
}

/** A field that searches by name. */
interface NameField<Item> {
  /** The items that match exactly what the user typed; none until they have been read. */
  readonly found: readonly Item[]
  /** Whether `found` is still being read. */
  readonly isPending: boolean
  /** Whether the field has a text that is not the name of the chosen item. */
  readonly isTyping: boolean
  /** To be called when an option is chosen. */
  readonly endTyping: () => void
  /** The properties of the `Select`. */
  readonly props: ReturnType<typeof propsOf>
}

/** Returns the state of a field that searches by name: no option can be chosen that does not match the typed text. */
export function useNameField<Item extends NamedItem>(options: NameFieldOptions<Item>): NameField<Item> {
  const { resource, chosenText, search, onChoose, onTyped } = options
  const [typed, setTyped] = useState<string>()
  const [isOpen, setOpen] = useState(false)
  const text = typed?.trim() ?? ''
  const [searched] = useDebouncedValue(text, TYPING_MS)
  const { data } = useQuery({
    queryKey: [resource, 'search', searched],
    queryFn: () => search(searched),
    // An open list does not change by itself: the next Enter could choose another item than the one that it shows.
    enabled: ({ state }) => !isOpen || state.data === undefined,
    gcTime: 0,
  })
  const isPending = text !== searched || data === undefined
  const choose = useChoiceByName(options)
  const endTyping = (): void => setTyped(undefined)
  const found = isPending ? [] : data
  const named = onlyNamed(found, text)
  return {
    found,
    isPending,
    isTyping: typed !== undefined,
    endTyping,
    props: propsOf({
      text: typed ?? chosenText ?? '',
      isTyping: typed !== undefined,
      isOpen,
      setOpen,
      onInput: value => {
        setTyped(value)
        onTyped()
      },
      onBlur: input => {
        endTyping()
        if (typed === undefined) return
        // A click on a button leaves the field first, so the click already sends what is chosen here.
        if (named) onChoose(named)
        else void choose(input)
      },
      onEnter: () => {
        const match = named ?? (found.length === 1 ? found[0] : undefined)
        if (!match) return
        endTyping()
        setOpen(false)
        onChoose(match)
      },
    }),
  }
}

interface FieldState {
  readonly text: string
  readonly isTyping: boolean
  readonly isOpen: boolean
  readonly setOpen: (isOpen: boolean) => void
  readonly onInput: (text: string) => void
  readonly onBlur: (input: HTMLInputElement) => void
  /** Called for Enter in a typed text while no option of the list is active. */
  readonly onEnter: () => void
}

function propsOf({ text, isTyping, isOpen, setOpen, onInput, onBlur, onEnter }: FieldState) {
  return {
    searchable: true,
    dropdownOpened: isOpen,
    searchValue: text,
    onInput: ({ currentTarget }: SyntheticEvent<HTMLInputElement>) => onInput(currentTarget.value),
    onBlur: ({ currentTarget }: FocusEvent<HTMLInputElement>) => onBlur(currentTarget),
    // Typing replaces the chosen name instead of adding letters to it.
    onFocus: ({ currentTarget }: FocusEvent<HTMLInputElement>) => currentTarget.select(),
    // Without a chosen option, Enter would submit the form around the field.
    onKeyDownCapture: (event: KeyboardEvent) => {
      if (!isTyping || event.key !== 'Enter') return
      event.preventDefault()
      if (!event.currentTarget.hasAttribute('aria-activedescendant')) onEnter()
    },
    onDropdownOpen: () => setOpen(true),
    onDropdownClose: () => setOpen(false),
  } as const
}

/**
 * Returns a function for a field that the user leaves. If the user typed a whole name that only one item has, the
 * function chooses that item. Without it, the field would become empty.
 */
function useChoiceByName<Item extends NamedItem>({ resource, read, onChoose }: NameFieldOptions<Item>) {
  const queries = useQueryClient()
  return async (input: HTMLInputElement): Promise<void> => {
    const text = input.value.trim()
    if (text === '') return
    const queryKey = [resource, 'named', text]
    // A failure is reported like that of any other query, and leaves the field empty.
    const items = await queries.fetchQuery({ queryKey, queryFn: () => read(text) }).catch(() => [])
    // The user may have returned to the field, or left the page.
    if (!input.isConnected || document.activeElement === input) return
    const match = onlyNamed(items, text)
    if (match) onChoose(match)
  }
}

/** Returns the item that alone has a name; undefined if no item has it, or several. */
function onlyNamed<Item extends NamedItem>(items: readonly Item[], text: string): Item | undefined {
  const [match, ...others] = items.filter(({ name }) => caselessForm(name) === caselessForm(text))
  return others.length === 0 ? match : undefined
}
