import { Anchor, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Category } from '../../client/petstore-client.ts'
import { nameText } from '../data/name-text.ts'
import { useSession } from '../data/store.ts'
import { useChoiceByName } from './choice-by-name.ts'

/** How long after the last letter a search starts, in milliseconds. */
const TYPING_MS = 250
/** The maximum number of categories in the list. A user who does not find a category types more letters. */
const OPTIONS_MAX = 20

interface CategorySelectProps {
  readonly value: bigint | undefined
  readonly onChange: (categoryId: bigint | undefined) => void
  readonly placeholder?: string
  readonly error?: string | undefined
  readonly clearable?: boolean
  readonly required?: boolean
}

/** A field to choose a category by the start of its name. The store searches, because there may be too many to list. */
export function CategorySelect({ value, onChange, ...props }: CategorySelectProps) {
  const { client } = useSession()
  const [text, setText] = useState('')
  const [typed] = useDebouncedValue(text.trim(), TYPING_MS)
  const { data: chosen } = useQuery({
    queryKey: ['categories', 'one', value],
    queryFn: async () =>
      value === undefined ? null : (await client.getCategory({ categoryId: value })).data,
    enabled: value !== undefined,
  })
  // The field contains the name of the chosen category, which is not a search.
  const search = chosen && typed === nameText(chosen.name, chosen.id).trim() ? '' : typed
  const { data: found, isFetching } = useQuery({
    queryKey: ['categories', 'search', search],
    queryFn: async () => {
      const name = search === '' ? undefined : search
      return (await client.listCategories({ name, sort: 'name', limit: OPTIONS_MAX })).data.items
    },
    placeholderData: keepPreviousData,
  })
  const onBlur = useChoiceByName<Category>({
    resource: 'categories',
    chosenText: chosen ? nameText(chosen.name, chosen.id).trim() : undefined,
    read: async name => (await client.listCategories({ name })).data.items,
    onChoose: ({ id }) => onChange(id),
  })
  const isNone = search === '' && found?.length === 0
  const foundIds = new Set(found?.map(({ id }) => String(id)))
  return (
    <Select
      label="Category"
      {...props}
      description={props.required && isNone && <NoCategory />}
      searchable
      allowDeselect={props.clearable ?? false}
      data={optionsFor(chosen ?? undefined, found ?? [])}
      value={value === undefined ? null : String(value)}
      onChange={id => onChange(id === null ? undefined : BigInt(id))}
      searchValue={text}
      onSearchChange={setText}
      // The data always contains the chosen category, because the field shows its name. The list shows only matches.
      filter={({ options }) =>
        options.filter(option => search === '' || ('value' in option && foundIds.has(String(option.value))))
      }
      onBlur={onBlur}
      // Typing replaces the chosen name instead of adding letters to it.
      onFocus={({ currentTarget }) => currentTarget.select()}
      nothingFoundMessage={
        isFetching
          ? 'Searching…'
          : isNone
            ? 'There is no category yet.'
            : 'No category name starts with this text.'
      }
    />
  )
}

function NoCategory() {
  return (
    <>
      There is no category yet. Add one in{' '}
      <Anchor component={Link} href="/categories" inherit underline="always">
        Categories
      </Anchor>{' '}
      first.
    </>
  )
}

/** Returns the options of the field. If several have the same name, all but the chosen one also show their ids. */
function optionsFor(chosen: Category | undefined, found: readonly Category[]) {
  const all = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found
  return all.map(({ id, name }) => ({
    value: String(id),
    label:
      id !== chosen?.id && all.some(other => other.id !== id && other.name === name)
        ? `${nameText(name)} – category ${id}`
        : nameText(name, id),
  }))
}
