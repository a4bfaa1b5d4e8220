import { Group } from '@mantine/core'
import { useState } from 'react'
import type { InventoryItem, InventorySort, PetStatus } from '../../client/petstore-client.ts'
import { readFullPage } from '../data/full-page.ts'
import { usePetName } from '../data/pets.ts'
import { useCan, useSession } from '../data/session-context.ts'
import { idIn, useUrlFilters, valueIn } from '../data/url-filters.ts'
import { Empty } from '../parts/generic/empty.tsx'
import { FilterSelect, Filters, SortSelect } from '../parts/generic/filters.tsx'
import { Page } from '../parts/generic/page.tsx'
import { RowButton } from '../parts/generic/row-button.tsx'
import { SearchField } from '../parts/generic/search-field.tsx'
import { type Column, PagedTable } from '../parts/generic/table.tsx'
import { AdjustDialog, LevelDialog } from '../parts/inventory/stock-dialogs.tsx'
import { UnitsInput } from '../parts/inventory/units-input.tsx'
import { formatCount } from '../parts/names/format.ts'
import { PetLink } from '../parts/names/names.tsx'
import { unitsForSale, words } from '../parts/names/shop-words.ts'
import { ViewLink } from '../parts/names/view-link.tsx'
import { StatusBadge, statusOptions, unsoldStatuses } from '../parts/pets/status.tsx'
import { t } from '../words/sentences.tsx'

const sorts: { value: InventorySort; label: string }[] = [
  { value: 'quantity', label: t('Fewest in stock') },
  { value: '-quantity', label: t('Most in stock') },
  { value: 'id', label: t('Oldest pet first') },
  { value: '-id', label: t('Newest pet first') },
]

type StatusFilter = PetStatus | 'unsold'

const statusFilters: { value: StatusFilter; label: string }[] = [
  ...statusOptions,
  { value: 'unsold', label: t('all but sold') },
]

const columns: readonly Column<InventoryItem>[] = [
  { head: t('Pet'), cell: ({ petId }) => <PetLink id={petId} /> },
  { head: t('Status'), isShort: true, cell: item => <StatusBadge {...item} /> },
  { head: words.quantity, isNumber: true, cell: ({ quantity }) => formatCount(quantity) },
  { head: words.reserved, isNumber: true, cell: ({ reserved = 0n }) => formatCount(reserved) },
  { head: words.forSale, isNumber: true, cell: item => formatCount(unitsForSale(item)) },
  {
    head: words.reorderAt,
    isNumber: true,
    cell: ({ reorderAt }) => (reorderAt === undefined ? '–' : formatCount(reorderAt)),
  },
]

/** An open dialog about the stock of a pet. */
interface OpenedStockDialog {
  readonly dialog: 'adjust' | 'level'
  readonly stock: InventoryItem
  readonly name: string
}

function actionColumn(onOpen: (opened: OpenedStockDialog) => void): Column<InventoryItem> {
  return { head: t('Actions'), cell: stock => <StockActions stock={stock} onOpen={onOpen} /> }
}

export function Inventory() {
  const { client } = useSession()
  const can = useCan()
  const [opened, setOpened] = useState<OpenedStockDialog>()
  const close = (): void => setOpened(undefined)
  const filters = useInventoryFilters()
  const { search, status, quantityAtMost, toReorder, sort } = filters
  const input = {
    ...(status && !toReorder && { status: statusesOf(status) }),
    ...(toReorder && { toReorder }),
    ...(quantityAtMost !== undefined && { quantityAtMost }),
    ...(search === '' ? { sort } : { search }),
  }
  const isFiltered = search !== '' || status !== undefined || quantityAtMost !== undefined || toReorder
  return (
    <Page
      title={t('Inventory')}
      actions={
        <>
          <ViewLink href="/inventory/reorder">{t('List to order')}</ViewLink>
          {can('inventory:write') && <ViewLink href="/inventory/delivery">{t('Goods in')}</ViewLink>}
          {can('inventory:write') && <ViewLink href="/inventory/count">{t('Stock take')}</ViewLink>}
        </>
      }
    >
      <InventoryFilters {...filters} />
      <PagedTable
        label={t('Inventory')}
        queryKey={['inventory', 'list', input]}
        read={async cursor => ({
          data: await readFullPage(page => client.listInventory({ ...input, ...page }), cursor),
        })}
        columns={can('inventory:write') ? [...columns, actionColumn(setOpened)] : columns}
        idOf={({ petId }) => petId}
        empty={
          isFiltered ? (
            <Empty title={t('No pet matches')}>{t('Change the filters above.')}</Empty>
          ) : (
            <Empty title={t('No stock yet')}>
              {t('The stock of each pet appears here. Add a pet in the Pets view.')}
            </Empty>
          )
        }
        minWidth={520}
      />
      {/* Outside the table: the row may leave the list while the dialog is open. */}
      {opened?.dialog === 'adjust' && (
        <AdjustDialog petId={opened.stock.petId} name={opened.name} onClose={close} />
      )}
      {opened?.dialog === 'level' && (
        <LevelDialog petId={opened.stock.petId} name={opened.name} stock={opened.stock} onClose={close} />
      )}
    </Page>
  )
}

function useInventoryFilters() {
  const { get, set } = useUrlFilters()
  const quantityAtMost = idIn(get('atMost'))
  const toReorder = get('toReorder') === 'true'
  const allowed = sortsWith(toReorder || quantityAtMost !== undefined)
  return {
    status: valueIn(statusFilters, get('status')),
    quantityAtMost,
    toReorder,
    search: get('search'),
    sorts: allowed,
    sort: valueIn(allowed, get('sort')) ?? 'quantity',
    set,
  }
}

function statusesOf(filter: StatusFilter): PetStatus[] {
  return filter === 'unsold' ? unsoldStatuses : [filter]
}

/** Returns the available sort orders. A list that is limited by quantity can only be sorted by quantity. */
function sortsWith(isByQuantity: boolean) {
  return !isByQuantity ? sorts : sorts.filter(({ value }) => value.endsWith('quantity'))
}

function InventoryFilters(filters: ReturnType<typeof useInventoryFilters>) {
  const { search, status, quantityAtMost, toReorder, sorts: allowed, sort, set } = filters
  return (
    <Filters>
      <SearchField
        label={t('Search')}
        placeholder={t('A word of the name')}
        value={search}
        onChange={text => set('search', text)}
      />
      <FilterSelect
        label={t('Show')}
        data={[{ value: 'true', label: t('What to reorder') }]}
        value={toReorder ? 'true' : null}
        onChange={value => set('toReorder', value)}
      />
      <FilterSelect
        label={t('Status')}
        data={statusFilters}
        disabled={toReorder}
        value={toReorder ? null : status}
        onChange={value => set('status', value)}
      />
      <UnitsInput
        label={t('In stock, at most')}
        placeholder={t('Any number')}
        value={quantityAtMost}
        onChange={units => set('atMost', units === undefined ? null : String(units))}
        allowNegative={false}
      />
      <SortSelect
        sorts={allowed}
        value={sort}
        isFixed={search !== ''}
        onChange={value => set('sort', value)}
      />
    </Filters>
  )
}

interface StockActionsProps {
  readonly stock: InventoryItem
  readonly onOpen: (opened: OpenedStockDialog) => void
}

function StockActions({ stock, onOpen }: StockActionsProps) {
  const name = usePetName(stock.petId)
  return (
    <Group gap="xs">
      <RowButton
        label={t('Adjust')}
        subject={name}
        onClick={() => onOpen({ dialog: 'adjust', stock, name })}
      />
      <RowButton
        label={words.reorderAt}
        subject={name}
        onClick={() => onOpen({ dialog: 'level', stock, name })}
      />
    </Group>
  )
}
