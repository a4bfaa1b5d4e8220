import { Checkbox } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiResponse, NewOrder, Order } from '../../../client/petstore-client.ts'
import { request } from '../../data/change.ts'
import { readPet } from '../../data/pets.ts'
import { basePath } from '../../data/session.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { amountIn, amountProblem, amountText, formatMoney, shopCurrency } from '../../data/shop-currency.ts'
import { type DialogProps, FormDialog, useForm } from '../generic/form-dialog.tsx'
import { TextField } from '../generic/text-field.tsx'
import { UnitsInput } from '../inventory/units-input.tsx'
import { formatCount } from '../names/format.ts'
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

interface SellProps extends DialogProps {
  /** The pet that is chosen at first. */
  readonly pet?: OrderedPet
}

/** The dialog at the counter: a sale, or an order that the customer collects later. One sale can follow another. */
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

function OneSale({ pet, onClose, onSellAnother }: SellProps & { readonly onSellAnother: () => void }) {
  const { client } = useSession()
  const [complete, setComplete] = useLocalStorage({
    key: `petstore-takes-it-now ${basePath}`,
    defaultValue: true,
    getInitialValueInEffect: false,
  })
  const form = useForm<SaleFields>(
    { petId: pet ? String(pet.id) : '', quantity: 1n, unitPrice: undefined, reference: undefined },
    { petId: 'Pet', quantity: 'Units', unitPrice: `Price of one (${shopCurrency})`, reference: 'Reference' },
  )
  const proposed = useProposedReference()
  const priceOfPet = usePriceOf(form.values.petId)
  const { unitPrice = priceOfPet ?? '' } = form.values
  // An order that is collected later often has the name of the customer.
  const { reference = complete ? proposed : '' } = form.values
  return (
    <FormDialog
      name="sell"
      title="Sell"
      action={complete ? 'Sell' : 'Place order'}
      another={complete ? 'Sell another' : 'Place another'}
      done={(sale: ApiResponse<Order>) => noteSale(client, sale)}
      form={form}
      check={() => amountProblem('unitPrice', unitPrice)}
      make={() => {
        const isKnown = form.values.unitPrice !== undefined || priceOfPet !== undefined
        const price = isKnown ? (amountIn(unitPrice) ?? null) : undefined
        return request(client, 'placeOrder', { body: bodyOf(form.values, { reference, complete, price }) })
      }}
      look={{ path: '/orders', what: 'the newest orders' }}
      onClose={onClose}
      onAnother={onSellAnother}
    >
      {field => (
        <>
          {/* A price that was typed is that of the pet before. */}
          <PetSelect
            first={pet}
            {...field('petId')}
            onChange={petId => form.set({ petId, unitPrice: undefined })}
          />
          <UnitsInput
            {...field('quantity')}
            allowNegative={false}
            data-autofocus={pet !== undefined || undefined}
          />
          <TextField
            {...field('unitPrice')}
            value={unitPrice}
            inputMode="decimal"
            {...sumOf(unitPrice, form.values.quantity)}
          />
          <TextField
            {...field('reference')}
            value={reference}
            description="For example, the number of a receipt; the next one is proposed"
          />
          <Checkbox
            label="The customer takes it now"
            description="If not, the order is open: its units stay here, reserved. This page remembers the choice."
            checked={complete}
            onChange={event => setComplete(event.currentTarget.checked)}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Returns the price of a pet as a field shows it: empty for a pet without one, undefined while it is not known. */
function usePriceOf(petId: string): string | undefined {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['pets', 'one', BigInt(petId || 0)],
    queryFn: () => readPet(client, BigInt(petId)),
    enabled: petId !== '',
  })
  if (petId === '' || data === undefined) return undefined
  return data?.data.price === undefined ? '' : amountText(data.data.price)
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
function bodyOf(
  { petId, quantity }: SaleFields,
  { reference, complete, price }: { reference: string; complete: boolean; price: bigint | null | undefined },
): NewOrder {
  const body = {
    ...(petId !== '' && { petId: BigInt(petId) }),
    quantity: quantity ?? 0n,
    complete,
    ...(price !== undefined && { unitPrice: price }),
    ...(reference.trim() !== '' && { reference: reference.trim() }),
  }
  // Safe: the store validates each body.
  return body as NewOrder
}
