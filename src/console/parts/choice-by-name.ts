import { useQueryClient } from '@tanstack/react-query'
import type { FocusEvent } from 'react'
import { caselessForm } from '../../model/same-name.ts'

interface NamedItem {
  readonly id: bigint
  readonly name: string
}

interface ChoiceByNameOptions<Item> {
  /** The resource, as the first part of the query key. */
  readonly resource: string
  /** The text of the field if an item is chosen. */
  readonly chosenText: string | undefined
  /** Reads the items whose name starts with a text. */
  readonly read: (text: string) => Promise<readonly Item[]>
  readonly onChoose: (item: Item) => void
}

/**
 * Returns a handler for a field that searches by name. If the user leaves the field after typing a whole name that only
 * one item has, the handler chooses that item. Without the handler, the field would become empty.
 */
export function useChoiceByName<Item extends NamedItem>(options: ChoiceByNameOptions<Item>) {
  const { resource, chosenText, read, onChoose } = options
  const queries = useQueryClient()
  const choose = async (input: HTMLInputElement): Promise<void> => {
    const text = input.value.trim()
    if (text === '' || text === chosenText) return
    const queryKey = [resource, 'named', text]
    // A failure is reported like that of any other query, and leaves the field empty.
    const items = await queries.fetchQuery({ queryKey, queryFn: () => read(text) }).catch(() => [])
    // The user may have returned to the field, or left the page.
    if (!input.isConnected || document.activeElement === input) return
    const [match, ...others] = items.filter(({ name }) => caselessForm(name) === caselessForm(text))
    if (match && others.length === 0) onChoose(match)
  }
  return ({ currentTarget }: FocusEvent<HTMLInputElement>): void => void choose(currentTarget)
}
