import { useQuery } from '@tanstack/react-query'
import type { Category } from '../../../client/petstore-client.ts'
import { nameText } from '../../data/name-text.ts'
import { useSession } from '../../data/session-context.ts'
import { rich, t } from '../../words/sentences.tsx'
import { NameSelect } from '../generic/name-select.tsx'
import { ViewLink } from '../names/view-link.tsx'

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
  return (
    <NameSelect<Category>
      label={t('Category')}
      {...others}
      allowDeselect={others.clearable ?? false}
      resource="categories"
      search={async text => {
        const name = text === '' ? undefined : text
        return (await client.listCategories({ name, sort: 'name', limit: OPTIONS_MAX })).data.items
      }}
      read={async name => (await client.listCategories({ name })).data.items}
      // Of several categories with the same name, all but the chosen one also show their ids.
      optionOf={({ id, name }, list) => ({
        value: String(id),
        label:
          id !== chosen?.id &&
          [...list, ...(chosen ? [chosen] : [])].some(other => other.id !== id && other.name === name)
            ? t('{name} – category {id}', { name: nameText(name), id: String(id) })
            : nameText(name, id),
      })}
      value={value === undefined ? null : String(value)}
      chosen={chosen ? { value: String(chosen.id), label: nameText(chosen.name, chosen.id) } : undefined}
      onSelect={option => onChange(option ? BigInt(option.value) : undefined)}
      noneText={t('There is no category yet.')}
      noMatchText={t('No category name starts with this text.')}
      noneHelp={others.required && <NoCategory />}
    />
  )
}

function NoCategory() {
  return rich('There is no category yet. Add one in {categories} first.', {
    categories: (
      <ViewLink href="/categories" underline="always">
        {t('Categories')}
      </ViewLink>
    ),
  })
}
