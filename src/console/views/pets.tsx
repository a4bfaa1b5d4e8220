import { Button, Checkbox } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import type { ListPage, Pet } from '../../client/petstore-client.ts'
import { readFullPage } from '../data/full-page.ts'
import { nameText } from '../data/name-text.ts'
import { useSimilarSearches } from '../data/pets.ts'
import { textOf } from '../data/query-client.ts'
import { useCan, useSession } from '../data/session-context.ts'
import { formatMoney } from '../data/shop-currency.ts'
import { idIn, optionIn, useUrlFilters, valueIn } from '../data/url-filters.ts'
import { CategorySelect } from '../parts/categories/category-select.tsx'
import { Empty } from '../parts/generic/empty.tsx'
import { FilterSelect, Filters, nameSorts, SortSelect } from '../parts/generic/filters.tsx'
import { Page } from '../parts/generic/page.tsx'
import { SearchField } from '../parts/generic/search-field.tsx'
import { type Column, PagedTable } from '../parts/generic/table.tsx'
import { formatCount } from '../parts/names/format.ts'
import { CategoryName, Name } from '../parts/names/names.tsx'
import { unitsForSale, words } from '../parts/names/shop-words.ts'
import { ViewLink } from '../parts/names/view-link.tsx'
import { ChosenPets } from '../parts/pets/change-many.tsx'
import { AddPet } from '../parts/pets/pet-forms.tsx'
import { petStatuses, StatusBadge, statusOptions } from '../parts/pets/status.tsx'
import { locale } from '../words/language.ts'
import { rich, t } from '../words/sentences.tsx'

const columns: readonly Column<Pet>[] = [
  {
    head: t('Name'),
    cell: ({ id, name }) => (
      <ViewLink href={`/pets/${id}`}>
        <Name name={name} id={id} />
      </ViewLink>
    ),
  },
  { head: t('Status'), isShort: true, cell: pet => <StatusBadge {...pet} /> },
  {
    head: words.forSale,
    isNumber: true,
    cell: pet => formatCount(unitsForSale(pet)),
  },
  { head: words.quantity, isNumber: true, cell: ({ quantity = 0n }) => formatCount(quantity) },
  { head: t('Price'), isNumber: true, cell: ({ price }) => (price === undefined ? '–' : formatMoney(price)) },
  { head: t('Category'), cell: ({ categoryId }) => <CategoryName id={categoryId} /> },
]

export function Pets() {
  const { client } = useSession()
  const filters = usePetFilters()
  const { search, status, categoryId, sort } = filters
  const input = {
    include: 'stock' as const,
    ...(status && { status: [status] }),
    ...(categoryId !== undefined && { categoryId: [categoryId] }),
    // What a search finds has an order of its own.
    ...(search === '' ? { sort } : { search }),
  }
  const isFiltered = search !== '' || status !== undefined || categoryId !== undefined
  return (
    <Page title={t('Pets')} actions={<AddPetButton />}>
      <PetFilters {...filters} />
      {/* A choice belongs to the pets that match the filters. */}
      <PetTable
        key={textOf(input)}
        queryKey={['pets', input]}
        read={(cursor, limit) => readFullPage(page => client.listPets({ ...input, ...page }), cursor, limit)}
        isFiltered={isFiltered}
        empty={isFiltered ? <NoMatch search={search} /> : <NoPets />}
      />
    </Page>
  )
}

interface PetTableProps {
  readonly queryKey: readonly unknown[]
  readonly read: (cursor: string | undefined, limit?: number) => Promise<ListPage<Pet>>
  readonly isFiltered: boolean
  readonly empty: ReactNode
}

/** The pets that match the filters. A user with a key that may write can choose some, to change them together. */
function PetTable({ queryKey, read, isFiltered, empty }: PetTableProps) {
  const can = useCan()
  const [chosen, setChosen] = useState<readonly Pet[]>([])
  const isChosen = (petId: bigint): boolean => chosen.some(({ id }) => id === petId)
  const chooseAll = async (): Promise<void> => {
    const pets: Pet[] = []
    let cursor: string | undefined
    do {
      const page = await read(cursor, 100)
      pets.push(...page.items)
      cursor = page.next
    } while (cursor !== undefined && pets.length < CHOSEN_MAX)
    setChosen(pets.slice(0, CHOSEN_MAX))
    if (cursor === undefined && pets.length <= CHOSEN_MAX) return
    notifications.show({
      message: t('The first {count} pets are chosen: no more can be changed together.', {
        count: formatCount(BigInt(CHOSEN_MAX)),
      }),
    })
  }
  return (
    <PagedTable
      label={t('Pets')}
      queryKey={queryKey}
      read={async cursor => ({ data: await read(cursor) })}
      columns={can('pets:write') ? [choiceColumn(chosen, setChosen), ...columns] : columns}
      idOf={({ id }) => id}
      above={(pets, isAll) => (
        <ChosenPets
          pets={chosen}
          canChooseMore={
            (isFiltered || chosen.length > 0) && !(isAll && pets.every(({ id }) => isChosen(id)))
          }
          onChooseAll={chooseAll}
          onChange={setChosen}
        />
      )}
      empty={empty}
      minWidth={700}
    />
  )
}

/** The maximum number of pets that are changed together: as many as a person waits for. */
const CHOSEN_MAX = 1000

function choiceColumn(chosen: readonly Pet[], onChange: (chosen: readonly Pet[]) => void): Column<Pet> {
  const ids = new Set(chosen.map(({ id }) => id))
  return {
    head: t('Choose'),
    isShort: true,
    cell: pet => (
      <Checkbox
        aria-label={t('Choose {name}', { name: nameText(pet.name, pet.id) })}
        checked={ids.has(pet.id)}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.checked ? [...chosen, pet] : chosen.filter(({ id }) => id !== pet.id))
        }
      />
    ),
  }
}

function usePetFilters() {
  const { get, set } = useUrlFilters()
  return {
    search: get('search'),
    status: optionIn(petStatuses, get('status')),
    categoryId: idIn(get('categoryId')),
    sort: valueIn(nameSorts, get('sort')) ?? 'id',
    set,
  }
}

function PetFilters({ search, status, categoryId, sort, set }: ReturnType<typeof usePetFilters>) {
  return (
    <Filters>
      <SearchField
        label={t('Search')}
        placeholder={t('Name or barcode')}
        value={search}
        onChange={text => set('search', text)}
      />
      <FilterSelect
        label={t('Status')}
        data={statusOptions}
        value={status}
        onChange={value => set('status', value)}
      />
      <CategorySelect
        value={categoryId}
        onChange={id => set('categoryId', id === undefined ? null : String(id))}
        placeholder={t('Any')}
        clearable
      />
      <SortSelect
        sorts={nameSorts}
        value={sort}
        isFixed={search !== ''}
        onChange={value => set('sort', value)}
      />
    </Filters>
  )
}

function AddPetButton() {
  const can = useCan()
  const [isOpen, setIsOpen] = useState(false)
  const [, navigate] = useLocation()
  if (!can('pets:write')) return null
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t('Add pet')}</Button>
      {isOpen && <AddPet onClose={() => setIsOpen(false)} onAdded={({ id }) => navigate(`/pets/${id}`)} />}
    </>
  )
}

function NoMatch({ search }: { readonly search: string }) {
  const similar = useSimilarSearches(search)
  return (
    <Empty title={t('No pet matches')}>
      {t('Change the search or the filters above.')}{' '}
      {similar.length > 0 && rich('Did you mean {searches}?', { searches: <Searches texts={similar} /> })}
    </Empty>
  )
}

/** Links to searches, as a list in words: `rabbit, ratio or rattle`. */
function Searches({ texts }: { readonly texts: readonly string[] }) {
  const list = new Intl.ListFormat(locale, { type: 'disjunction' })
  return list.formatToParts(texts).map(({ type, value }) =>
    type === 'literal' ? (
      value
    ) : (
      <ViewLink key={value} href={`/pets?search=${encodeURIComponent(value)}`} underline="always">
        {value}
      </ViewLink>
    ),
  )
}

function NoPets() {
  const can = useCan()
  return (
    <Empty title={t('No pets yet')}>
      {can('pets:write')
        ? rich('A pet belongs to a category. Add a {category} first, then add a pet with the button above.', {
            category: (
              <ViewLink href="/categories" underline="always">
                {t('category')}
              </ViewLink>
            ),
          })
        : t('Pets appear here as soon as someone adds one. Your key may not add pets.')}
    </Empty>
  )
}
