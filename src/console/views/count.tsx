import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import type { Client, Pet } from '../../client/petstore-client.ts'
import { reportFailure } from '../data/query-client.ts'
import { useSession } from '../data/session-context.ts'
import { today } from '../data/shop-clock.ts'
import { formatMoney } from '../data/shop-currency.ts'
import { changeOf, stockLine, stockTake } from '../data/stock-draft.ts'
import { idIn, useUrlFilters } from '../data/url-filters.ts'
import { CategorySelect } from '../parts/categories/category-select.tsx'
import { Empty } from '../parts/generic/empty.tsx'
import { Page } from '../parts/generic/page.tsx'
import { type Column, ColumnTable } from '../parts/generic/table.tsx'
import { Booking } from '../parts/inventory/booking.tsx'
import { UnitsInput } from '../parts/inventory/units-input.tsx'
import {
  formatArticles,
  formatChange,
  formatCount,
  formatFullDay,
  formatUnitsChange,
} from '../parts/names/format.ts'
import { CategoryName, PetLink, PetName } from '../parts/names/names.tsx'
import { Refusal } from '../parts/names/refusal.tsx'
import { words } from '../parts/names/shop-words.ts'
import { countText, rich, t } from '../words/sentences.tsx'

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
  const entries = useEntries()
  const day = formatFullDay(today.use())
  return (
    <Page title={t('Stock take')}>
      <Text>
        {t(
          'Count the units on the shelf, the reserved ones too, and enter them at once: what is booked is the difference from the stock at the moment of the entry, so later sales do not matter. With a sheet of paper, enter the numbers before you sell again.',
        )}
      </Text>
      <Group align="end">
        <CategorySelect
          value={categoryId}
          onChange={id => set('categoryId', id === undefined ? null : String(id))}
          placeholder={t('All')}
          clearable
        />
        <Switch
          label={t('Hide the numbers of the store')}
          checked={isBlind}
          onChange={({ currentTarget }) => set('blind', currentTarget.checked ? 'true' : null)}
        />
        <Button variant="default" onClick={() => print()}>
          {t('Print')}
        </Button>
      </Group>
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <Empty title={t('Nothing to count')}>{t('There is no pet in this category.')}</Empty>
      )}
      {data && data.length > ARTICLES_MAX && (
        <Empty title={t('More than {count} articles', { count: formatCount(ARTICLES_MAX) })}>
          {categoryId === undefined
            ? t('Choose a category.')
            : t('The category is too large for a sheet: use “Set stock” on the pages of its pets.')}
        </Empty>
      )}
      {data && data.length > 0 && data.length <= ARTICLES_MAX && (
        <Sheet
          pets={data}
          isBlind={isBlind}
          entries={entries}
          heading={
            categoryId === undefined
              ? t('Stock take {day}', { day })
              : rich('Stock take {day}, {category}', { day, category: <CategoryName id={categoryId} /> })
          }
        />
      )}
      <Differences isBlind={isBlind} />
      <LostEntries entries={entries} />
      <Booking
        draft={stockTake}
        defaultNote={t('Stock take {day}', { day })}
        noteHelp={t('The list of movements of each article shows it')}
        settle={entries.settle}
      />
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

/** What is being entered. Each entry is compared with the stock at its moment, which the store is asked for. */
interface Entries {
  readonly isPending: (petId: bigint) => boolean
  readonly enter: (pet: Pet, units: bigint | undefined) => Promise<boolean>
  /** The pets whose last entry could not be compared. Nothing is booked while there are any. */
  readonly lost: readonly bigint[]
  readonly forgetLost: () => void
  readonly settle: () => Promise<boolean>
}

function useEntries(): Entries {
  const { client } = useSession()
  const running = useRef(new Set<Promise<boolean>>())
  /** The last entry of each pet that the store has not answered. Only it counts: answers may overtake each other. */
  const pending = useRef(new Map<bigint, object>())
  const [lost, setLost] = useState<readonly bigint[]>([])
  const enter = async ({ id: petId, price }: Pet, units: bigint | undefined): Promise<boolean> => {
    const entry = {}
    pending.current.set(petId, entry)
    setLost(all => all.filter(id => id !== petId))
    const isLast = (): boolean => pending.current.get(petId) === entry
    if (units === undefined) {
      pending.current.delete(petId)
      stockTake.update(({ lines, ...draft }) => ({
        ...draft,
        lines: lines.filter(line => line.petId !== petId),
      }))
      return true
    }
    // The page may show an older stock: its live events may be late, or the key may not read them.
    const stock = await client.getInventoryItem({ petId }).catch(reportFailure)
    if (!isLast()) return true
    pending.current.delete(petId)
    if (!stock) {
      setLost(all => [...all, petId])
      return false
    }
    const line = stockLine({ petId, units, from: stock.data.quantity, ...(price !== undefined && { price }) })
    stockTake.update(draft =>
      draft.sent ? draft : { ...draft, lines: [...draft.lines.filter(one => one.petId !== petId), line] },
    )
    return true
  }
  return {
    isPending: petId => pending.current.has(petId),
    enter: (pet, units) => {
      const entry = enter(pet, units)
      running.current.add(entry)
      void entry.finally(() => running.current.delete(entry))
      return entry
    },
    lost,
    forgetLost: () => setLost([]),
    settle: async () => (await Promise.all(running.current)).every(Boolean) && lost.length === 0,
  }
}

interface SheetProps {
  readonly pets: readonly Pet[]
  readonly isBlind: boolean
  readonly entries: Entries
  readonly heading: ReactNode
}

function Sheet({ pets, isBlind, entries, heading }: SheetProps) {
  const { lines } = stockTake.use()
  const counted = pets.filter(({ id }) => lines.some(({ petId }) => petId === id)).length
  const columns: Column<Pet>[] = [
    { head: t('Pet'), cell: ({ id }) => <PetLink id={id} /> },
    { head: words.quantity, isNumber: true, cell: ({ quantity = 0n }) => formatCount(quantity) },
    { head: t('Counted'), cell: pet => <CountedUnits pet={pet} entries={entries} /> },
  ]
  return (
    <Stack gap="xs" className="printed">
      <Text role="status">
        {rich('{sheet}: {counted} of {articles} counted', {
          sheet: heading,
          counted: formatCount(counted),
          articles: formatArticles(pets.length),
        })}
      </Text>
      <ColumnTable
        label={t('Stock take')}
        columns={isBlind ? columns.filter(({ head }) => head !== words.quantity) : columns}
        rows={pets}
        idOf={({ id }) => id}
        minWidth={360}
      />
    </Stack>
  )
}

interface CountedUnitsProps {
  readonly pet: Pet
  readonly entries: Entries
}

/** The field for a count. It is entered when the user leaves it; Enter goes to the next one. */
function CountedUnits({ pet, entries }: CountedUnitsProps) {
  const { id, name } = pet
  const { lines, sent } = stockTake.use()
  const stored = lines.find(({ petId }) => petId === id)?.units
  const [typed, setTyped] = useState<{ readonly units: bigint | undefined }>()
  const [isLost, setIsLost] = useState(false)
  const onBlur = async (): Promise<void> => {
    if (!typed) return
    const isKnown = typed.units === stored && !entries.isPending(id) && !entries.lost.includes(id)
    const isEntered = isKnown || (await entries.enter(pet, typed.units))
    setIsLost(!isEntered)
    // The user may have typed something else meanwhile.
    if (isEntered) setTyped(current => (current === typed ? undefined : current))
  }
  return (
    <UnitsInput
      aria-label={t('Counted units of {name}', { name })}
      maw={120}
      allowNegative={false}
      disabled={sent !== undefined}
      value={typed ? typed.units : stored}
      onChange={units => setTyped({ units })}
      onBlur={onBlur}
      onKeyDown={nextFieldOnEnter}
      error={isLost && t('Not entered: the store did not respond.')}
    />
  )
}

function nextFieldOnEnter({ key, currentTarget }: KeyboardEvent<HTMLInputElement>): void {
  if (key !== 'Enter') return
  const fields = [...(currentTarget.closest('table')?.querySelectorAll('input') ?? [])]
  const next = fields[fields.indexOf(currentTarget) + 1]
  if (next) next.focus()
  else currentTarget.blur()
}

/** The counts that are missing. Their fields may be far away, or on the sheet of another category. */
function LostEntries({ entries: { lost, forgetLost } }: Pick<SheetProps, 'entries'>): ReactNode {
  if (lost.length === 0) return null
  return (
    <Alert color="red" role="alert" className="unprinted" title={t('Not entered')}>
      <Text size="sm">{t('Count these again, or clear this list. Nothing is booked before.')}</Text>
      {lost.map(petId => (
        <Text key={petId} size="sm" className="name">
          <PetName id={petId} />
        </Text>
      ))}
      <Button mt="sm" size="xs" variant="default" onClick={forgetLost}>
        {t('Clear')}
      </Button>
    </Alert>
  )
}

/** What the count found, before it is booked. A blind count shows it only when it is asked for. */
function Differences({ isBlind }: { readonly isBlind: boolean }): ReactNode {
  const { lines } = stockTake.use()
  const [isShown, setIsShown] = useState(false)
  const different = lines.filter(line => changeOf(line) !== 0n)
  if (lines.length === 0) return null
  if (isBlind && !isShown)
    return (
      <Group className="unprinted">
        <Button variant="default" onClick={() => setIsShown(true)}>
          {t('Show the differences')}
        </Button>
      </Group>
    )
  if (different.length === 0)
    return <Text className="unprinted">{t('What you counted is what the store has.')}</Text>
  const units = different.reduce((sum, line) => sum + changeOf(line), 0n)
  const value = different.reduce((sum, line) => sum + changeOf(line) * (line.price ?? 0n), 0n)
  return (
    <Stack gap={4} className="unprinted">
      <Text role="status">
        {countText(
          different.length,
          '{count} article differs: {units}, {value} at the prices of the store.',
          '{count} articles differ: {units}, {value} at the prices of the store.',
          { units: formatUnitsChange(units), value: formatMoney(value) },
        )}
      </Text>
      {different.map(line => (
        <Text key={line.petId} size="sm" className="name">
          {rich('{pet}: {stored} in the store, {counted} counted, {change}', {
            pet: <PetName id={line.petId} />,
            stored: formatCount(line.from),
            counted: formatCount(line.units),
            change: formatChange(changeOf(line)),
          })}
        </Text>
      ))}
    </Stack>
  )
}
