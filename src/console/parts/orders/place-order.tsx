import { Checkbox, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { NewOrder } from '../../../client/petstore-client.ts'
import { useSession } from '../../data/session-context.ts'
import { FormDialog } from '../generic/form-dialog.tsx'
import { UnitsInput } from '../inventory/units-input.tsx'
import { type OrderedPet, PetSelect } from '../pets/pet-select.tsx'

interface PlaceOrderProps {
  /** The pet that is chosen at first. */
  readonly pet?: OrderedPet
  readonly onClose: () => void
}

/** The dialog that places an order. */
export function PlaceOrder({ pet, onClose }: PlaceOrderProps) {
  const { client } = useSession()
  const [petId, setPetId] = useState(pet ? String(pet.id) : '')
  const [quantity, setQuantity] = useState<bigint | undefined>(1n)
  const [reference, setReference] = useState('')
  const [isSale, setIsSale] = useState(false)
  return (
    <FormDialog
      title="Place order"
      action={isSale ? 'Sell' : 'Place order'}
      done={isSale ? 'Sold' : 'Order placed'}
      values={{ petId, quantity, reference, isSale }}
      submit={sending =>
        client.placeOrder({ body: bodyOf(petId, quantity, reference.trim(), isSale) }, sending)
      }
      fields={{ petId: 'Pet', quantity: 'Units', reference: 'Reference' }}
      onClose={onClose}
    >
      {errors => (
        <>
          <PetSelect first={pet} value={petId} onChange={setPetId} error={errors.petId} />
          <UnitsInput
            label="Units"
            value={quantity}
            onChange={setQuantity}
            error={errors.quantity}
            allowNegative={false}
            data-autofocus={pet !== undefined || undefined}
          />
          <TextInput
            label="Reference"
            description="For example, the number of a receipt"
            value={reference}
            onChange={event => setReference(event.currentTarget.value)}
            error={errors.reference}
          />
          <Checkbox
            label="The customer takes it now"
            description="The order is complete at once, and its units leave the stock."
            checked={isSale}
            onChange={event => setIsSale(event.currentTarget.checked)}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Returns the body of a request. If it lacks the pet, the store refuses it with a message for the field. */
function bodyOf(petId: string, quantity: bigint | undefined, reference: string, complete: boolean): NewOrder {
  const body = {
    ...(petId !== '' && { petId: BigInt(petId) }),
    quantity: quantity ?? 0n,
    complete,
    ...(reference !== '' && { reference }),
  }
  // Safe: the store validates each body.
  return body as NewOrder
}
