import { Checkbox } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiResponse, NewOrder, Order } from '../../../client/petstore-client.ts'
import { request } from '../../data/change.ts'
import { basePath } from '../../data/session.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { type DialogProps, FormDialog, useForm } from '../generic/form-dialog.tsx'
import { TextField } from '../generic/text-field.tsx'
import { UnitsInput } from '../inventory/units-input.tsx'
import { type OrderedPet, PetSelect } from '../pets/pet-select.tsx'
import { nextReference } from './next-reference.ts'
import { noteSale } from './sale-note.tsx'

interface SaleFields {
  readonly petId: string
  readonly quantity: bigint | undefined
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
    { petId: pet ? String(pet.id) : '', quantity: 1n, reference: undefined },
    { petId: 'Pet', quantity: 'Units', reference: 'Reference' },
  )
  const proposed = useProposedReference()
  // An order that is collected later often has the name of the customer.
  const { reference = complete ? proposed : '' } = form.values
  return (
    <FormDialog
      name="sell"
      title="Sell"
      action={complete ? 'Sell' : 'Place order'}
      another={complete ? 'Sell another' : 'Place another'}
      done={(sale: ApiResponse<Order>) => void noteSale(client, sale)}
      form={form}
      make={() => request(client, 'placeOrder', { body: bodyOf(form.values, reference, complete) })}
      look={{ path: '/orders', what: 'the newest orders' }}
      onClose={onClose}
      onAnother={onSellAnother}
    >
      {field => (
        <>
          <PetSelect first={pet} {...field('petId')} />
          <UnitsInput
            {...field('quantity')}
            allowNegative={false}
            data-autofocus={pet !== undefined || undefined}
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
function bodyOf({ petId, quantity }: SaleFields, reference: string, complete: boolean): NewOrder {
  const body = {
    ...(petId !== '' && { petId: BigInt(petId) }),
    quantity: quantity ?? 0n,
    complete,
    ...(reference.trim() !== '' && { reference: reference.trim() }),
  }
  // Safe: the store validates each body.
  return body as NewOrder
}
