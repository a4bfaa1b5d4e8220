import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ApiResponse, Client, NewOrder, Order, Sale } from '../../../client/petstore-client.ts'
import { type Change, request } from '../../data/change.ts'
import { nameText } from '../../data/name-text.ts'
import { readPet } from '../../data/pets.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { amountIn, amountProblem, amountText, formatMoney, shopCurrency } from '../../data/shop-currency.ts'
import { t } from '../../words/sentences.tsx'
import { useAltKey } from '../generic/alt-key.ts'
import { AmountField } from '../generic/amount-field.tsx'
import { type DialogProps, type Field, FormDialog, useForm } from '../generic/form-dialog.tsx'
import { TextField } from '../generic/text-field.tsx'
import { orderedUnitsProblem, UnitsInput } from '../inventory/units-input.tsx'
import { formatArticles, formatCount, formatUnits } from '../names/format.ts'
import { type OrderedPet, PetSelect } from '../pets/pet-select.tsx'
import { nextReference } from './next-reference.ts'
import { noteSale } from './sale-note.tsx'

interface SaleFields {
  readonly petId: string
  readonly quantity: bigint | undefined
  /** As it was typed; undefined for the price of the pet. */
  readonly unitPrice: string | undefined
  /** Undefined until the user types: the proposed one. */
  readonly reference: string | undefined
}

export interface SellProps extends DialogProps {
  /** The pet that is chosen at first. */
  readonly pet?: OrderedPet
}

/** The dialog at the counter. One sale can follow another. */
export function Sell({ pet, onClose }: SellProps) {
  const [sales, setSales] = useState(0)
  return (
    <OneSale
      key={sales}
      {...(sales === 0 && pet && { pet })}
      onClose={onClose}
      onSellAnother={() => setSales(sales + 1)}
    />
  )
}

/** An article that is in the sale already. */
interface BasketLine {
  readonly petId: bigint
  readonly name: string
  readonly quantity: bigint
  readonly unitPrice: bigint | null | undefined
}

/** The articles that are in the sale already. `added` also counts those that were removed since. */
function useBasket() {
  const [lines, setLines] = useState<readonly BasketLine[]>([])
  const [added, setAdded] = useState(0)
  return {
    lines,
    added,
    add: (line: BasketLine) => {
      setLines([...lines, line])
      setAdded(added + 1)
    },
    remove: (line: BasketLine) => setLines(lines.filter(one => one !== line)),
  }
}

function OneSale({ pet, onClose, onSellAnother }: SellProps & { readonly onSellAnother: () => void }) {
  const { client } = useSession()
  const { lines: basket, added, add, remove } = useBasket()
  const [typed, setTyped] = useState('')
  const [warned, setWarned] = useState('')
  const form = useForm<SaleFields>(
    { petId: pet ? String(pet.id) : '', quantity: 1n, unitPrice: undefined, reference: undefined },
    {
      petId: t('Pet'),
      quantity: t('Units'),
      unitPrice: t('Price of one ({currency})', { currency: shopCurrency }),
      reference: t('Reference'),
    },
  )
  const proposed = useProposedReference()
  const [found, setFound] = useState(pet)
  const { unitPrice, price, line, problems } = useArticle(form.values, found)
  const { reference = proposed } = form.values
  const forgotten = basket.length > 0 && form.values.petId === '' ? forgottenIn(form.values, typed) : ''
  const addLine = (line: BasketLine): void => {
    add(line)
    setTyped('')
    setWarned('')
    form.set({ petId: '', quantity: 1n, unitPrice: undefined })
  }
  return (
    <FormDialog
      name="sell"
      title={t('Sell')}
      action={t('Sell')}
      another={t('Sell another')}
      done={(sale: ApiResponse<Order | Sale>) => noteSale(client, sale.data)}
      form={form}
      check={() => {
        // With the next click, the articles above are sold without what was typed.
        setWarned(forgotten)
        const isNew = forgotten !== '' && forgotten !== warned
        const { petId: _, ...others } = problems
        return { ...(form.values.petId !== '' && others), ...(isNew && { petId: forgotten }) }
      }}
      make={() =>
        changeOf(client, basket, orderBody(form.values, { reference, complete: true, unitPrice: price }))
      }
      look={{ path: '/orders', what: t('the newest orders') }}
      onClose={onClose}
      onAnother={onSellAnother}
    >
      {(field, show) => (
        <>
          <Basket
            lines={basket}
            onRemove={remove}
            onAdd={() => {
              show(problems)
              if (line) addLine(line)
            }}
          />
          {/* A new field for each article. A price that was typed is that of the pet before. */}
          <PetSelect
            key={added}
            isNext={added > 0}
            onType={setTyped}
            first={added === 0 ? pet : undefined}
            {...field('petId')}
            onChange={(petId, chosen) => {
              if (chosen) setFound(chosen)
              form.set({ petId, unitPrice: undefined })
            }}
          />
          <UnitsInput {...field('quantity')} isOrdered data-autofocus={pet !== undefined || undefined} />
          <AmountField
            {...field('unitPrice')}
            value={unitPrice}
            {...sumOf(unitPrice, form.values.quantity)}
          />
          <ReferenceField {...field('reference')} value={reference} />
        </>
      )}
    </FormDialog>
  )
}

/** Returns why a sale asks before it leaves out what was typed without a pet; empty if nothing was. */
function forgottenIn({ quantity, unitPrice = '' }: SaleFields, typed: string): string {
  const price = unitPrice.trim()
  const units = quantity === undefined ? t('the units') : formatUnits(quantity)
  const what = price === '' ? units : t('{units} at {price}', { units, price })
  const isPlain = quantity === 1n && price === ''
  const name = typed.trim()
  if (name === '') {
    return isPlain ? '' : t('No pet was chosen for {what}. Choose a pet, or sell without it.', { what })
  }
  return isPlain
    ? t('“{name}” was not chosen. Choose a pet, or sell without it.', { name })
    : t('“{name}” was not chosen for {what}. Choose a pet, or sell without it.', { name, what })
}

function ReferenceField(field: Field<string | undefined> & { readonly value: string }) {
  return (
    <TextField {...field} description={t('For example, the number of a receipt; the next one is proposed')} />
  )
}

/** Returns the price that is shown and sent for the article in the fields, and its line, or why there is none. */
function useArticle({ petId, quantity, unitPrice: typed }: SaleFields, found: OrderedPet | undefined) {
  const pet = useChosenPet(petId, found)
  const priceOfPet = pet && (pet.price === undefined ? '' : amountText(pet.price))
  const unitPrice = typed ?? priceOfPet ?? ''
  const isKnown = typed !== undefined || priceOfPet !== undefined
  const price = isKnown ? (amountIn(unitPrice) ?? null) : undefined
  const unitsProblem = orderedUnitsProblem(quantity)
  const problems: Readonly<Record<string, string>> = {
    ...(!pet && { petId: t('Choose a pet.') }),
    ...(unitsProblem !== undefined && { quantity: unitsProblem }),
    ...amountProblem('unitPrice', unitPrice),
  }
  const line: BasketLine | undefined =
    pet && quantity !== undefined && Object.keys(problems).length === 0
      ? { petId: pet.id, name: nameText(pet.name, pet.id), quantity, unitPrice: price }
      : undefined
  return { unitPrice, price, line, problems }
}

/** Returns the change that sells the articles of a basket and that of the fields, or places an order for one pet. */
function changeOf(
  client: Client,
  basket: readonly BasketLine[],
  order: NewOrder,
): Change<ApiResponse<Order | Sale>> {
  if (basket.length === 0) return request(client, 'placeOrder', { body: order })
  const { petId, quantity, unitPrice, reference } = order
  const last = petId === undefined ? [] : [{ petId, quantity, unitPrice }]
  const lines = [...basket.map(({ name: _, ...line }) => line), ...last]
  return request(client, 'recordSale', { body: { lines, ...(reference !== undefined && { reference }) } })
}

interface BasketProps {
  readonly lines: readonly BasketLine[]
  readonly onRemove: (line: BasketLine) => void
  readonly onAdd: () => void
}

/** The articles of the sale so far, and the button that adds the one in the fields. */
function Basket({ lines, onRemove, onAdd }: BasketProps) {
  const button = useRef<HTMLButtonElement>(null)
  // A click does nothing while the sale is being sent, which disables the button.
  useAltKey('A', () => button.current?.click())
  const known = lines.flatMap(({ quantity, unitPrice }) =>
    typeof unitPrice === 'bigint' ? unitPrice * quantity : [],
  )
  const sum = known.reduce((total, amount) => total + amount, 0n)
  return (
    <Stack gap="xs">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same pet may be in several lines
        <Group key={index} justify="space-between" wrap="nowrap">
          <Text size="sm" className="name">
            {formatCount(line.quantity)} × {line.name}
            {typeof line.unitPrice === 'bigint' && `, ${formatMoney(line.unitPrice * line.quantity)}`}
          </Text>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={t('Remove {name}', { name: line.name })}
            onClick={() => {
              onRemove(line)
              // The button with the focus disappears.
              button.current?.focus()
            }}
          >
            {t('Remove')}
          </Button>
        </Group>
      ))}
      <Group justify="space-between">
        <Text size="sm" role="status">
          {lines.length > 0 &&
            t('{articles}, {amount} so far', {
              articles: formatArticles(lines.length),
              amount: formatMoney(sum),
            })}
        </Text>
        <Button
          size="compact-sm"
          variant="light"
          ref={button}
          aria-keyshortcuts="Alt+A"
          title={t('Alt+A does the same')}
          onClick={onAdd}
        >
          {t('Add another article')}
        </Button>
      </Group>
    </Stack>
  )
}

/** Returns the chosen pet, until it is read as the search found it: the next article may be scanned before. */
function useChosenPet(petId: string, found: OrderedPet | undefined): OrderedPet | undefined {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['pets', 'one', BigInt(petId || 0)],
    queryFn: () => readPet(client, BigInt(petId)),
    enabled: petId !== '',
  })
  return petId === '' ? undefined : (data?.data ?? (String(found?.id) === petId ? found : undefined))
}

/** The sum below the price, once there is one for several units. */
function sumOf(unitPrice: string, quantity: bigint | undefined): { description?: string } {
  const price = amountIn(unitPrice)
  if (price === undefined || quantity === undefined || quantity < 2n) return {}
  return {
    description: `${formatCount(quantity)} × ${formatMoney(price)} = ${formatMoney(price * quantity)}`,
  }
}

/** The number of newest orders among which a reference with a number is searched. */
const ORDERS_READ = 20

/**
 * Returns the reference after the newest one that ends in a number; an empty text without one. The name of a customer
 * in between does not end the series.
 */
function useProposedReference(): string {
  const { client } = useSession()
  const can = useCan()
  const { data: next = '' } = useQuery({
    queryKey: ['orders', 'next reference'],
    queryFn: async () => {
      const { data: page } = await client.listOrders({ sort: '-id', limit: ORDERS_READ })
      return page.items.map(({ reference = '' }) => nextReference(reference)).find(text => text !== '') ?? ''
    },
    enabled: can('orders:read'),
    staleTime: 0,
  })
  return next
}

/** Returns the body of a request. If it lacks the pet, the store refuses it with a message for the field. */
export function orderBody(
  { petId, quantity }: Pick<SaleFields, 'petId' | 'quantity'>,
  { reference, unitPrice, ...others }: Omit<NewOrder, 'petId' | 'quantity'> & { reference: string },
): NewOrder {
  const body = {
    ...(petId !== '' && { petId: BigInt(petId) }),
    quantity: quantity ?? 0n,
    ...others,
    ...(unitPrice !== undefined && { unitPrice }),
    ...(reference.trim() !== '' && { reference: reference.trim() }),
  }
  // Safe: the store validates each body.
  return body as NewOrder
}
