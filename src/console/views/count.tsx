import { Button, Group, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Client, Pet } from '../../client/petstore-client.ts'
import { useSession } from '../data/session-context.ts'
import { today } from '../data/shop-clock.ts'
import { formatMoney } from '../data/shop-currency.ts'
import { changeOf, type StockDraft, stockLine, useStockDraft } from '../data/stock-draft.ts'
import { idIn, useUrlFilters } from '../data/url-filters.ts'
import { CategorySelect } from '../parts/categories/category-select.tsx'
import { Empty } from '../parts/generic/empty.tsx'
import { Page } from '../parts/generic/page.tsx'
import { type Column, ColumnTable } from '../parts/generic/table.tsx'
import { Booking } from '../parts/inventory/booking.tsx'
import { UnitsInput } from '../parts/inventory/units-input.tsx'
import { countText, formatChange, formatCount } from '../parts/names/format.ts'
import { CategoryName, PetLink, PetName } from '../parts/names/names.tsx'
import { Refusal } from '../parts/names/refusal.tsx'
import { words } from '../parts/names/shop-words.ts'

const PAGE_MAX = 100
/** More fields would make a page slow, and a sheet long. */
const ARTICLES_MAX = 500

/** A stock take: a sheet to count with, and the differences, which are booked together. */
export function Count() {
  const { client } = useSession()
  const { get, set } = useUrlFilters()
  const categoryId = idIn(get('categoryId'))
  const isBlind = get('blind') === 'true'
  const { data, error, refetch } = useQuery({
    queryKey: ['pets', 'sheet', categoryId],
    queryFn: () => readSheet(client, categoryId),
  })
  const [stored, setDraft] = useStockDraft('count')
  const day = today.use()
  const draft =
    stored.lines.length === 0 && stored.note === '' ? { ...stored, note: `Stock take ${day}` } : stored
  return (
    <Page title="Stock take">
      <Text>
        Count the units on the shelf, the reserved ones too, and enter them. Sales during the count do not
        matter: what is booked is the difference from the stock at the moment of the entry.
      </Text>
      <Group align="end">
        <CategorySelect
          value={categoryId}
          onChange={id => set('categoryId', id === undefined ? null : String(id))}
          placeholder="All"
          clearable
        />
        <Switch
          label="Hide the numbers of the store"
          checked={isBlind}
          onChange={({ currentTarget }) => set('blind', currentTarget.checked ? 'true' : null)}
        />
        <Button variant="default" onClick={() => print()}>
          Print
        </Button>
      </Group>
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <Empty title="Nothing to count">There is no pet in this category.</Empty>}
      {data && data.length > ARTICLES_MAX && (
        <Empty title={`More than ${formatCount(ARTICLES_MAX)} articles`}>Choose a category.</Empty>
      )}
      {data && data.length > 0 && data.length <= ARTICLES_MAX && (
        <Sheet
          pets={data}
          isBlind={isBlind}
          draft={draft}
          onChange={setDraft}
          heading={
            <>
              Stock take {day}
              {categoryId !== undefined && ', '}
              {categoryId !== undefined && <CategoryName id={categoryId} />}
            </>
          }
        />
      )}
      <Differences draft={draft} prices={new Map(data?.map(({ id, price }) => [id, price]))} />
      <Booking draft={draft} onChange={setDraft} noteHelp="The list of movements of each article shows it" />
    </Page>
  )
}

/** Reads the pets of a category, or of all, by name; one more than `ARTICLES_MAX` if there are more. */
async function readSheet(client: Client, categoryId: bigint | undefined): Promise<Pet[]> {
  const pets: Pet[] = []
  const filter = categoryId === undefined ? {} : { categoryId: [categoryId] }
  const input = { ...filter, include: 'stock', sort: 'name', limit: PAGE_MAX } as const
  for await (const pet of client.listPets(input)) {
    pets.push(pet)
    if (pets.length > ARTICLES_MAX) break
  }
  return pets
}

interface DraftProps {
  readonly draft: StockDraft
  readonly onChange: (draft: StockDraft) => void
}

interface SheetProps extends DraftProps {
  readonly pets: readonly Pet[]
  readonly isBlind: boolean
  readonly heading: ReactNode
}

function Sheet({ pets, isBlind, draft, onChange, heading }: SheetProps) {
  const counted = pets.filter(({ id }) => draft.lines.some(({ petId }) => petId === id)).length
  const columns: Column<Pet>[] = [
    { head: 'Pet', cell: ({ id }) => <PetLink id={id} /> },
    { head: words.quantity, isNumber: true, cell: ({ quantity = 0n }) => formatCount(quantity) },
    { head: 'Counted', cell: pet => <CountedUnits pet={pet} draft={draft} onChange={onChange} /> },
  ]
  return (
    <Stack gap="xs" className="printed">
      <Text role="status">
        {heading}: {formatCount(counted)} of {countText(pets.length, 'article', 'articles')} counted
      </Text>
      <ColumnTable
        label="Stock take"
        columns={isBlind ? columns.filter(({ head }) => head !== words.quantity) : columns}
        rows={pets}
        idOf={({ id }) => id}
        minWidth={360}
      />
    </Stack>
  )
}

interface CountedUnitsProps extends DraftProps {
  readonly pet: Pet
}

function CountedUnits({ pet: { id, name, quantity = 0n }, draft, onChange }: CountedUnitsProps) {
  const line = draft.lines.find(({ petId }) => petId === id)
  return (
    <UnitsInput
      aria-label={`Counted units of ${name}`}
      maw={120}
      allowNegative={false}
      disabled={draft.sentAt !== undefined}
      value={line?.units}
      onChange={units => {
        const others = draft.lines.filter(one => one !== line)
        const lines = units === undefined ? others : [...others, stockLine('count', id, units, quantity)]
        onChange({ ...draft, lines })
      }}
    />
  )
}

interface DifferencesProps {
  readonly draft: StockDraft
  /** The prices of the articles on the sheet. */
  readonly prices: ReadonlyMap<bigint, bigint | undefined>
}

/** What the count found, before it is booked. */
function Differences({ draft, prices }: DifferencesProps): ReactNode {
  const different = draft.lines.filter(line => changeOf(line) !== 0n)
  if (different.length === 0)
    return (
      draft.lines.length > 0 && <Text className="unprinted">What you counted is what the store has.</Text>
    )
  const units = different.reduce((sum, line) => sum + changeOf(line), 0n)
  const value = different.reduce((sum, line) => sum + changeOf(line) * (prices.get(line.petId) ?? 0n), 0n)
  return (
    <Stack gap={4} className="unprinted">
      <Text role="status">
        {countText(different.length, 'article differs', 'articles differ')}: {formatChange(units)} units,{' '}
        {formatMoney(value)} at the prices of the store.
      </Text>
      {different.map(line => (
        <Text key={line.petId} size="sm">
          <PetName id={line.petId} />: {formatCount(line.from)} in the store, {formatCount(line.units)}{' '}
          counted, {formatChange(changeOf(line))}
        </Text>
      ))}
    </Stack>
  )
}
