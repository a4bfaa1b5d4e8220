import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Category } from '../../../client/petstore-client.ts'
import { nameText } from '../../data/name-text.ts'
import { useSession } from '../../data/session-context.ts'
import { useNameField } from '../generic/name-field.ts'
import { ViewLink } from '../generic/view-link.tsx'

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
export function CategorySelect({ value, onChange, ...others }: CategorySelectProps) {
  const { client } = useSession()
  const { data: chosen } = useQuery({
    queryKey: ['categories', 'one', value],
    queryFn: async () =>
      value === undefined ? null : (await client.getCategory({ categoryId: value })).data,
    enabled: value !== undefined,
  })
  const { found, isPending, isTyping, endTyping, props } = useNameField<Category>({
    resource: 'categories',
    chosenText: chosen ? nameText(chosen.name, chosen.id) : undefined,
    search: async text => {
      const name = text === '' ? undefined : text
      return (await client.listCategories({ name, sort: 'name', limit: OPTIONS_MAX })).data.items
    },
    read: async name => (await client.listCategories({ name })).data.items,
    onChoose: ({ id }) => onChange(id),
    // In a form, the category that was chosen before is not what the field shows. A filter stays until it is replaced.
    onTyped: () => {
      if (others.required) onChange(undefined)
    },
  })
  const isNone = !isTyping && !isPending && found.length === 0
  const foundIds = new Set(found.map(({ id }) => String(id)))
  return (
    <Select
      label="Category"
      {...others}
      {...props}
      description={others.required && isNone && <NoCategory />}
      allowDeselect={others.clearable ?? false}
      data={optionsFor(chosen ?? undefined, found)}
      value={value === undefined ? null : String(value)}
      onChange={id => {
        endTyping()
        onChange(id === null ? undefined : BigInt(id))
      }}
      // The data always contains the chosen category, because the field shows its name. The list shows only matches.
      filter={({ options }) =>
        options.filter(option => !isTyping || ('value' in option && foundIds.has(String(option.value))))
      }
      nothingFoundMessage={
        isPending
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
      <ViewLink href="/categories" underline="always">
        Categories
      </ViewLink>{' '}
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
