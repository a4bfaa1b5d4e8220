import { Button } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Pet } from '../../client/petstore-client.ts'
import { readFullPage } from '../data/full-page.ts'
import { useSimilarSearches } from '../data/pets.ts'
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
      <PagedTable
        label={t('Pets')}
        queryKey={['pets', input]}
        read={async cursor => ({
          data: await readFullPage(page => client.listPets({ ...input, ...page }), cursor),
        })}
        columns={columns}
        idOf={({ id }) => id}
        empty={isFiltered ? <NoMatch search={search} /> : <NoPets />}
        minWidth={700}
      />
    </Page>
  )
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
        placeholder={t('A word of the name, or a scan')}
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
