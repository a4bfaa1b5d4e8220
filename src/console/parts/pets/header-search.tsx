import { type ComboboxItem, Select, type SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ApiError, type Client, type Order, type Pet } from '../../../client/petstore-client.ts'
import { findPets } from '../../data/pets.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { hasActiveOption } from '../generic/active-option.ts'
import { formatUnits } from '../generic/format.ts'
import { petLabel } from './pet-label.ts'
import { statusWord } from './shop-words.ts'

/** How long after the last letter a search starts, in milliseconds. */
const TYPING_MS = 200
const PETS_MAX = 8
/** The maximum of the API. */
const TEXT_CHARS_MAX = 200
const ORDERS_MAX = 5

/** A field that finds pets by the words of their names, and orders by the start of their reference, and opens one. */
export function HeaderSearch(props: Pick<SelectProps, 'visibleFrom' | 'hiddenFrom' | 'w' | 'mb'>) {
  const { client } = useSession()
  const can = useCan()
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  const [searched] = useDebouncedValue(text, TYPING_MS)
  const seesOrders = can('orders:read')
  const { data, isFetching } = useQuery({
    // The options change with the pets, and with the orders.
    queryKey: ['pets', 'everything', searched, seesOrders],
    queryFn: ({ signal }) => findAll(client, searched, seesOrders, signal),
    enabled: searched !== '',
  })
  const isPending = searched !== text || isFetching
  const open = (path: string): void => {
    setTyped('')
    navigate(path)
  }
  const what = seesOrders ? 'Find a pet or an order' : 'Find a pet'
  return (
    <Select
      {...props}
      size="xs"
      maxLength={TEXT_CHARS_MAX}
      searchable
      aria-label={what}
      placeholder={what}
      value={null}
      data={text === '' || isPending || !data ? [] : data}
      searchValue={typed}
      onSearchChange={setTyped}
      // The store has searched.
      filter={({ options }) => options}
      onChange={path => path !== null && open(path)}
      // Enter opens the first result. If there is none yet, the view of pets searches.
      onKeyDownCapture={event => {
        const isChoosing = hasActiveOption(event.currentTarget)
        if (event.key !== 'Enter' || text === '' || isChoosing) return
        event.preventDefault()
        event.stopPropagation()
        open(
          (isPending ? undefined : data?.[0]?.items[0]?.value) ?? `/pets?search=${encodeURIComponent(text)}`,
        )
      }}
      nothingFoundMessage={
        text === '' ? undefined : isPending ? 'Searching…' : 'No word of a name starts with this.'
      }
      rightSection={<span />}
    />
  )
}

interface OptionGroup {
  readonly group: string
  /** The value of an option is the path of its view. */
  readonly items: ComboboxItem[]
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
    ...(pets.length > 0 ? [{ group: 'Pets', items: pets.map(pet => petOption(pet, pets)) }] : []),
    ...(orders.length > 0 ? [{ group: 'Orders', items: orders.map(orderOption) }] : []),
  ]
}

/** A number of an order, as people write it. */
const ORDER_NUMBER = /^(?:order )?#?(\d{1,18})$/i

/** Finds orders by the start of the reference, as typed and in capitals, and one by its number. */
async function findOrders(client: Client, text: string, signal: AbortSignal): Promise<Order[]> {
  const prefixes = new Set([text, text.toUpperCase()])
  const lists = [...prefixes].map(async referencePrefix => {
    const { data } = await client.listOrders({ referencePrefix, limit: ORDERS_MAX }, { signal })
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
  return { value: `/pets/${pet.id}`, label: `${petLabel(pet, all)} (${statusWord(pet)})` }
}

function orderOption({ id, reference, quantity }: Order) {
  const name = reference === undefined ? `Order ${id}` : `${reference}: order ${id}`
  return { value: `/orders/${id}`, label: `${name}, ${formatUnits(quantity)}` }
}
