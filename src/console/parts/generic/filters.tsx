import { Select, type SelectProps, SimpleGrid } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../words/sentences.tsx'

export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" maw={1120}>
      {children}
    </SimpleGrid>
  )
}

interface FilterSelectProps extends Omit<SelectProps, 'value'> {
  /** If it is absent, the list is not filtered. */
  readonly value: string | null | undefined
}

export function FilterSelect({ value = null, ...props }: FilterSelectProps) {
  return <Select {...props} value={value} placeholder={t('Any')} clearable />
}

interface SortSelectProps {
  /** The first one is the default. */
  readonly sorts: readonly { readonly value: string; readonly label: string }[]
  readonly value: string
  /** Called with null for the default. */
  readonly onChange: (sort: string | null) => void
  /** Whether the list has an order of its own. */
  readonly isFixed?: boolean
}

export function SortSelect({ sorts, value, onChange, isFixed = false }: SortSelectProps) {
  return (
    <Select
      label={t('Sort')}
      data={sorts}
      disabled={isFixed}
      value={value}
      onChange={sort => onChange(sort === sorts[0]?.value ? null : sort)}
      allowDeselect={false}
    />
  )
}

/** The sort orders of the lists whose rows have an id and a name. */
export const nameSorts = [
  { value: 'id', label: t('Oldest first') },
  { value: '-id', label: t('Newest first') },
  { value: 'name', label: t('Name, A to Z') },
  { value: '-name', label: t('Name, Z to A') },
] as const
