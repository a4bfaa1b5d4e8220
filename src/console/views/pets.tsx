import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { Pet, PetSort, PetStatus } from '../../client/petstore-client.ts'
import { useSession } from '../data/store.ts'
import { Empty } from '../parts/empty.tsx'
import { formatCount } from '../parts/format.ts'
import { CategoryName } from '../parts/names.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, PagedTable } from '../parts/paged-table.tsx'
import { StatusBadge } from '../parts/status.tsx'

const TYPING_MS = 250

const columns: readonly Column<Pet>[] = [
  { head: 'Name', cell: ({ name }) => name },
  { head: 'Category', cell: ({ categoryId }) => <CategoryName id={categoryId} /> },
  { head: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { head: 'On hand', isNumber: true, cell: ({ quantity = 0n }) => formatCount(quantity) },
  {
    head: 'Free',
    isNumber: true,
    cell: ({ quantity = 0n, reserved = 0n }) => formatCount(quantity - reserved),
  },
]

export function Pets() {
  const { client } = useSession()
  const [name, setName] = useState('')
  const [status, setStatus] = useState<PetStatus | null>(null)
  const [sort, setSort] = useState<PetSort>('id')
  const [search] = useDebouncedValue(name.trim(), TYPING_MS)
  const input = {
    include: 'stock' as const,
    ...(search !== '' && { name: search }),
    ...(status && { status: [status] }),
    // A search lists in the order of the names.
    sort: search !== '' && !sort.endsWith('name') ? ('name' as const) : sort,
  }
  return (
    <Page title="Pets">
      <Group align="flex-end">
        <TextInput
          label="Search"
          placeholder="Start of a name"
          value={name}
          onChange={e => setName(e.target.value)}
        />
        <Select
          label="Status"
          data={['available', 'pending', 'sold']}
          value={status}
          onChange={value => setStatus(value)}
          placeholder="Any"
          clearable
        />
        <Select
          label="Sort"
          data={[
            { value: 'id', label: 'Oldest first' },
            { value: '-id', label: 'Newest first' },
            { value: 'name', label: 'Name, A to Z' },
            { value: '-name', label: 'Name, Z to A' },
          ]}
          value={sort}
          onChange={value => setSort(value ?? 'id')}
          allowDeselect={false}
        />
      </Group>
      <PagedTable
        label="Pets"
        queryKey={['pets', input]}
        read={async cursor => (await client.listPets({ ...input, ...(cursor && { cursor }) })).data}
        columns={columns}
        idOf={({ id }) => id}
        empty={<Empty title="No pets">No pet matches. Change the search, or add a pet.</Empty>}
      />
    </Page>
  )
}
