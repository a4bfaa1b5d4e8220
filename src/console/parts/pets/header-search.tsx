import { type ComboboxItem, Select, type SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { ApiError, type Client, type Order, type Pet } from '../../../client/petstore-client.ts'
import { hasBarcode } from '../../../values/barcode.ts'
import { caselessForm } from '../../../values/same-name.ts'
import { findPets, useSimilarSearches } from '../../data/pets.ts'
import { useScan } from '../../data/scans.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { t } from '../../words/sentences.tsx'
import { hasActiveOption } from '../generic/active-option.ts'
import { formatUnits } from '../names/format.ts'
import { petLabel } from '../names/pet-label.ts'
import { statusWord } from '../names/shop-words.ts'

/** How long after the last letter a search starts, in milliseconds. */
const TYPING_MS = 200
const PETS_MAX = 8
/** The maximum of the API. */
const TEXT_CHARS_MAX = 200
const ORDERS_MAX = 5

interface HeaderSearchProps extends Pick<SelectProps, 'visibleFrom' | 'hiddenFrom' | 'w' | 'miw' | 'mb'> {
  /** Whether it takes what a scanner types while no field has the focus. */
  readonly takesScans?: boolean
}

/**
 * A field that finds pets by their barcode or the words of their names, and orders by their reference, and opens one.
 */
export function HeaderSearch({ takesScans = false, ...props }: HeaderSearchProps) {
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  /** The text after which Enter was pressed, until its results are there. */
  const [queued, setQueued] = useState<string>()
  const seesOrders = useCan()('orders:read')
  const { data, isPending, isError, options } = useFound(text, queued === text, seesOrders)
  const open = (path: string): void => {
    setTyped('')
    navigate(path)
  }
  useEffect(() => {
    if (queued === undefined || isPending) return
    setQueued(undefined)
    if (queued === text && !hasDialog()) open(targetOf(text, isError ? undefined : data))
  })
  useScan(code => {
    if (hasDialog()) return
    setTyped(code)
    setQueued(code.trim())
  }, takesScans)
  const what = seesOrders ? t('Find a pet or an order') : t('Find a pet')
  return (
    <Select
      {...props}
      size="xs"
      maxLength={TEXT_CHARS_MAX}
      searchable
      aria-label={what}
      placeholder={what}
      value={null}
      data={options}
      searchValue={typed}
      onSearchChange={setTyped}
      // The store has searched.
      filter={({ options }) => options}
      onChange={path => path !== null && open(path)}
      // Enter opens a result with exactly this barcode, name or reference, or else the first one that the user sees.
      onKeyDownCapture={event => {
        const { currentTarget } = event
        if (event.key !== 'Enter' || text === '' || hasActiveOption(currentTarget)) return
        event.preventDefault()
        event.stopPropagation()
        // A scanner types the next code after Enter: it replaces the text.
        currentTarget.select()
        if (isPending) setQueued(text)
        else open(exactIn(text, data) ?? data?.[0]?.items[0]?.value ?? searchFor(text))
      }}
      nothingFoundMessage={text === '' ? undefined : isPending ? t('Searching…') : NO_MATCH}
      rightSection={<span />}
    />
  )
}

/** Returns whether a dialog is open: what was entered there would be lost with the page. */
function hasDialog(): boolean {
  return document.querySelector('[role=dialog]') !== null
}

const NO_MATCH = t('No word of a name starts with this.')

/** Finds what a text matches. The options are other searches if it matches nothing. `isHurried` does not wait. */
function useFound(text: string, isHurried: boolean, seesOrders: boolean) {
  const { client } = useSession()
  const [debounced] = useDebouncedValue(text, TYPING_MS)
  const searched = isHurried ? text : debounced
  const { data, isFetching, isError } = useQuery({
    queryKey: ['pets', 'everything', searched, seesOrders],
    queryFn: ({ signal }) => findAll(client, searched, seesOrders, signal),
    // A list does not change by itself: the next Enter could open another item than the one that the user sees.
    enabled: ({ state }) => searched !== '' && state.data === undefined,
    gcTime: 0,
  })
  const isPending = searched !== text || isFetching
  const found = text === '' || isPending || !data ? [] : data
  const isNone = text !== '' && !isPending && data?.length === 0
  const similar = useSimilarSearches(isNone ? text : '').map(label => ({ value: searchFor(label), label }))
  const options =
    similar.length > 0 ? [{ group: `${NO_MATCH} ${t('Did you mean:')}`, items: similar }] : found
  return { data, isPending, isError, options }
}

interface OptionGroup {
  readonly group: string
  readonly items: Found[]
}

interface Found extends ComboboxItem {
  /** The path of its view. */
  readonly value: string
  /** The name of the pet, or the reference of the order. */
  readonly key: string
  readonly barcode?: string | undefined
}

function searchFor(text: string): string {
  return `/pets?search=${encodeURIComponent(text)}`
}

/** Returns the path of the result with this barcode, or of the only one with this name or reference. */
function exactIn(text: string, groups: readonly OptionGroup[] = []): string | undefined {
  const all = groups.flatMap(({ items }) => items)
  const [exact, ...others] = all.filter(({ key }) => caselessForm(key) === caselessForm(text))
  const scanned = all.find(item => hasBarcode(item, text))
  return scanned?.value ?? (others.length === 0 ? exact?.value : undefined)
}

/** Returns the path that Enter opens without a list: that of the exact or the only result, or else a search. */
function targetOf(text: string, groups: readonly OptionGroup[] = []): string {
  const all = groups.flatMap(({ items }) => items)
  const only = all.length === 1 ? all[0]?.value : undefined
  const hasOrdersOnly = groups.length > 0 && groups.every(({ group }) => group === t('Orders'))
  const search = hasOrdersOnly
    ? `/orders?reference=${encodeURIComponent(text.toUpperCase())}`
    : searchFor(text)
  return exactIn(text, groups) ?? only ?? search
}

async function findAll(
  client: Client,
  text: string,
  seesOrders: boolean,
  signal: AbortSignal,
): Promise<OptionGroup[]> {
  const [pets, orders] = await Promise.all([
    findPets(client, text, { limit: PETS_MAX, signal }),
    seesOrders ? findOrders(client, text, signal) : [],
  ])
  return [
    ...(pets.length > 0 ? [{ group: t('Pets'), items: pets.map(pet => petOption(pet, pets)) }] : []),
    ...(orders.length > 0 ? [{ group: t('Orders'), items: orders.map(orderOption) }] : []),
  ]
}

/** A number of an order, as people write it. */
const ORDER_NUMBER = /^(?:order )?#?(\d{1,18})$/i

/**
 * Finds orders by the start of the reference, as typed and in capitals, the newest open and newest other ones by any of
 * its words, and one by its number.
 */
async function findOrders(client: Client, text: string, signal: AbortSignal): Promise<Order[]> {
  const filters = [
    ...[...new Set([text, text.toUpperCase()])].map(referencePrefix => ({ referencePrefix })),
    { complete: false, search: text },
    { search: text },
  ]
  const lists = filters.map(async filter => {
    const { data } = await client.listOrders({ ...filter, limit: ORDERS_MAX }, { signal })
    return data.items
  })
  const [, number] = ORDER_NUMBER.exec(text) ?? []
  const numbered = number === undefined ? [] : [readOrder(client, BigInt(number), signal)]
  const found = (await Promise.all([...numbered, ...lists])).flat()
  return [...new Map(found.map(order => [order.id, order])).values()]
}

async function readOrder(client: Client, orderId: bigint, signal: AbortSignal): Promise<Order[]> {
  try {
    return [(await client.getOrder({ orderId }, { signal })).data]
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return []
    throw error
  }
}

function petOption(pet: Pet, all: readonly Pet[]) {
  const { id, name: key, barcode } = pet
  return { value: `/pets/${id}`, key, barcode, label: `${petLabel(pet, all)} (${statusWord(pet)})` }
}

function orderOption({ id, reference, quantity }: Order) {
  const units = formatUnits(quantity)
  const label =
    reference === undefined
      ? t('Order {id}, {units}', { id: String(id), units })
      : t('{reference}: order {id}, {units}', { reference, id: String(id), units })
  return { value: `/orders/${id}`, key: reference ?? String(id), label }
}
