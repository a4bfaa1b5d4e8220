import { type ComboboxItem, Select, type SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from 'react'
import { hasBarcode } from '../../../values/barcode.ts'
import { caselessForm } from '../../../values/same-name.ts'
import { useScan } from '../../data/scans.ts'
import { t } from '../../words/sentences.tsx'
import { hasActiveOption } from './active-option.ts'

/** How long after the last letter a search starts, in milliseconds. */
const TYPING_MS = 250

interface NamedItem {
  readonly id: bigint
  readonly name: string
  readonly barcode?: string | undefined
}

interface NameSelectProps<Item> extends Omit<SelectProps, 'onChange' | 'onSelect'> {
  /** The resource, as the first part of the query key. */
  readonly resource: string
  /** Reads the options for a text; an empty text matches everything. */
  readonly search: (text: string, signal: AbortSignal) => Promise<readonly Item[]>
  /** Whether the field takes what a scanner types while no field has the focus. */
  readonly takesScans?: boolean
  /** Reads all items whose name starts with a text, and the one with this barcode. */
  readonly read: (text: string) => Promise<readonly Item[]>
  /** Returns texts that match items, for one that matches none. */
  readonly findSimilar?: (text: string) => Promise<readonly string[]>
  /** Returns the option of an item in a list. Other items of the list can have the same name. */
  readonly optionOf: (item: Item, list: readonly Item[]) => ComboboxItem
  /** The option of `value`; undefined if there is no value, or if its item has not been read. */
  readonly chosen: ComboboxItem | undefined
  /**
   * Called with null if the user clears the field, or types in a required field instead of choosing. The item is given
   * unless its option was the chosen one before.
   */
  readonly onSelect: (option: ComboboxItem | null, item?: Item) => void
  /** Called with the text of the field when the user types. */
  readonly onType?: ((text: string) => void) | undefined
  /** Shown in place of the options if there is no item at all, and if none matches. */
  readonly noneText: string
  readonly noMatchText: string
  /** Shown at the field if there is no item at all. */
  readonly noneHelp?: ReactNode
}

/** A field that searches by name: no option can be chosen that does not match the typed text. */
export function NameSelect<Item extends NamedItem>(props: NameSelectProps<Item>) {
  const { resource, search, read, optionOf, chosen, onSelect, onType, takesScans, noneText, ...rest } = props
  const { noneHelp, noMatchText, findSimilar: _, ...select } = rest
  const { found, isPending, isTyping, text, field, ...states } = useNameField(props)
  const options = found.map(item => optionOf(item, found))
  const isNone = !isTyping && !isPending && found.length === 0
  const similar = useSimilarTexts(props, isTyping && !isPending && found.length === 0 ? text : '')
  const similarOptions = similar.map(one => ({ value: SIMILAR + one, label: one }))
  const searchFor = (other: string): void => {
    states.setTyped(other)
    onType?.(other)
    // The choice of an option closes the list.
    setTimeout(() => states.setOpen(true))
  }
  return (
    <Select
      {...select}
      {...field}
      description={isNone && noneHelp}
      // The chosen item is always an option, because the field shows its label. The list shows only matches.
      data={[
        ...(chosen && !isIn(options, chosen) ? [chosen] : []),
        ...options,
        ...(similar.length > 0
          ? [{ group: `${noMatchText} ${t('Did you mean:')}`, items: similarOptions }]
          : []),
      ]}
      filter={({ options: all }) =>
        all.filter(option => !isTyping || !('value' in option) || isIn(options, option))
      }
      onChange={(value, option) => {
        const [one] = similar.filter(text => value === SIMILAR + text)
        if (one === undefined) field.onChange(value, option)
        else searchFor(one)
      }}
      nothingFoundMessage={isPending ? t('Searching…') : isNone ? noneText : noMatchText}
    />
  )
}

/** The start of the value of an option that is another text to search for. */
const SIMILAR = 'similar '

function useSimilarTexts<Item extends NamedItem>(
  { resource, findSimilar }: NameSelectProps<Item>,
  text: string,
): readonly string[] {
  const { data = [] } = useQuery({
    queryKey: [resource, 'similar', text],
    queryFn: () => findSimilar?.(text) ?? [],
    enabled: findSimilar !== undefined && text !== '',
  })
  return data
}

function isIn(options: readonly ComboboxItem[], { value }: ComboboxItem): boolean {
  return options.some(option => option.value === value)
}

/** Returns the items that match exactly what the user typed, and the properties of the field. */
function useNameField<Item extends NamedItem>(props: NameSelectProps<Item>) {
  const { optionOf, chosen, onSelect, onType, required, value } = props
  /** The text of the field, unless it is the name of the chosen item. */
  const [typed, setTyped] = useState<string>()
  const [isOpen, setOpen] = useState(false)
  const isTyping = typed !== undefined
  const text = typed?.trim() ?? ''
  const queue = useQueuedEnter(value)
  const data = useFoundItems(props, text, { isOpen, isHurried: queue.text === text })
  const isPending = data === undefined
  const found = data ?? []
  const named = onlyNamed(found, text)
  const choose = (item: Item): void => onSelect(optionOf(item, []), item)
  const chooseByName = useChoiceByName(props, choose, queue.inputs)
  const match = onlyMatch(found, text)
  const chooseMatch = (): void => {
    if (!match) return
    setTyped(undefined)
    setOpen(false)
    choose(match)
  }
  useEffect(() => {
    if (isPending || queue.text !== text) return
    queue.end(match !== undefined)
    chooseMatch()
  })
  useScan(code => {
    // What is being sent must not be altered.
    if (queue.input.current?.matches(':disabled')) return
    setTyped(code)
    onType?.(code)
    onSelect(null)
    queue.start(code.trim())
  }, props.takesScans === true)
  const field = {
    ref: queue.input,
    searchable: true,
    dropdownOpened: isOpen,
    searchValue: typed ?? chosen?.label ?? '',
    onChange: (_: string | null, option: ComboboxItem | null): void => {
      setTyped(undefined)
      onSelect(
        option,
        found.find(({ id }) => String(id) === option?.value),
      )
    },
    onInput: ({ currentTarget }: SyntheticEvent<HTMLInputElement>) => {
      queue.end(false)
      setTyped(currentTarget.value)
      onType?.(currentTarget.value)
      // What was chosen before is not what a form shows. A filter stays until it is replaced.
      if (required) onSelect(null)
    },
    onBlur: ({ currentTarget }: FocusEvent<HTMLInputElement>) => {
      setTyped(undefined)
      // A click on a button leaves the field first, so the click already sends what is chosen here.
      if (isTyping && named) choose(named)
      else if (isTyping) void chooseByName(currentTarget)
    },
    // Typing replaces the chosen name instead of adding letters to it.
    onFocus: ({ currentTarget }: FocusEvent<HTMLInputElement>) => currentTarget.select(),
    onKeyDownCapture: (event: KeyboardEvent<HTMLInputElement>) => {
      if (isTyping) onEnter(event, isPending && text !== '' ? () => queue.add(text) : chooseMatch)
    },
    onDropdownOpen: () => setOpen(true),
    onDropdownClose: () => setOpen(false),
  }
  return { found, isPending, isTyping, text, field, setTyped, setOpen }
}

/** Chooses by `choose` on Enter, unless an option of the list is active. */
function onEnter(event: KeyboardEvent<HTMLInputElement>, choose: () => void): void {
  if (event.key !== 'Enter') return
  // Without a chosen option, Enter would submit the form around the field.
  event.preventDefault()
  if (hasActiveOption(event.currentTarget)) return
  // A scanner types the next code after Enter: it replaces the text.
  event.currentTarget.select()
  choose()
}

/** Returns the items for a text; undefined until they have been read. `isHurried` ends the wait for more letters. */
function useFoundItems<Item extends NamedItem>(
  { resource, search }: NameSelectProps<Item>,
  text: string,
  { isOpen, isHurried }: { readonly isOpen: boolean; readonly isHurried: boolean },
): readonly Item[] | undefined {
  const [debounced] = useDebouncedValue(text, TYPING_MS)
  const searched = isHurried ? text : debounced
  const { data } = useQuery({
    queryKey: [resource, 'search', searched],
    queryFn: ({ signal }) => search(searched, signal),
    // An open list does not change by itself: the next Enter could choose another item than the one that it shows.
    enabled: ({ state }) => !isOpen || state.data === undefined,
    gcTime: 0,
  })
  return text === searched ? data : undefined
}

/**
 * Keeps the Enter that a user or a scanner presses before the list has been read. A second Enter submits the form once
 * the choice is its value.
 */
function useQueuedEnter(value: SelectProps['value']) {
  const [queued, setQueued] = useState<{ readonly text: string; readonly presses: number }>()
  const input = useRef<HTMLInputElement>(null)
  const submits = useRef(false)
  /** How often the user has typed or scanned, or an item was chosen. */
  const inputs = useRef(0)
  useEffect(() => {
    if (!submits.current || value === null) return
    submits.current = false
    input.current?.form?.requestSubmit()
  }, [value])
  return {
    text: queued?.text,
    input,
    inputs,
    /** A scan is one press, however often the same code is scanned: nobody has submitted the form. */
    start: (text: string): void => {
      inputs.current++
      setQueued({ text, presses: 1 })
    },
    add: (text: string): void => {
      setQueued({ text, presses: queued?.text === text ? queued.presses + 1 : 1 })
    },
    end: (isChosen: boolean): void => {
      inputs.current++
      if (!queued) return
      submits.current = isChosen && queued.presses > 1
      setQueued(undefined)
    },
  }
}

/**
 * Returns a function for a field that the user leaves. If the user typed a whole name that only one item has, the
 * function chooses that item, unless the number of `inputs` changes before the item is read. Without it, the field
 * would become empty.
 */
function useChoiceByName<Item extends NamedItem>(
  { resource, read }: NameSelectProps<Item>,
  choose: (item: Item) => void,
  inputs: RefObject<number>,
) {
  const queries = useQueryClient()
  return async (input: HTMLInputElement): Promise<void> => {
    const text = input.value.trim()
    if (text === '') return
    const inputsBefore = inputs.current
    const queryKey = [resource, 'named', text]
    // A failure is reported like that of any other query, and leaves the field empty.
    const items = await queries.fetchQuery({ queryKey, queryFn: () => read(text) }).catch(() => [])
    // The user may have returned to the field, or left the page.
    if (!input.isConnected || document.activeElement === input || inputs.current !== inputsBefore) return
    const match = onlyNamed(items, text)
    if (match) choose(match)
  }
}

/** Returns the item that a text means: as `onlyNamed`, or the only one that was found. */
export function onlyMatch<Item extends NamedItem>(found: readonly Item[], text: string): Item | undefined {
  return onlyNamed(found, text) ?? (found.length === 1 ? found[0] : undefined)
}

/** Returns the item with a barcode, or the one that alone has a name; undefined if no item has it, or several. */
function onlyNamed<Item extends NamedItem>(items: readonly Item[], text: string): Item | undefined {
  const [match, ...others] = items.filter(({ name }) => caselessForm(name) === caselessForm(text))
  return items.find(item => hasBarcode(item, text)) ?? (others.length === 0 ? match : undefined)
}
