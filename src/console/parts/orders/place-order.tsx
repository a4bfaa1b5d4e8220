import { Checkbox } from '@mantine/core'
import type { NewOrder } from '../../../client/petstore-client.ts'
import { useSession } from '../../data/session-context.ts'
import { type DialogProps, FormDialog, useForm } from '../generic/form-dialog.tsx'
import { TextField } from '../generic/text-field.tsx'
import { UnitsInput } from '../inventory/units-input.tsx'
import { type OrderedPet, PetSelect } from '../pets/pet-select.tsx'

interface OrderFields {
  readonly petId: string
  readonly quantity: bigint | undefined
  readonly reference: string
  readonly complete: boolean
}

/** `pet` is chosen at first. */
export function PlaceOrder({ pet, onClose }: DialogProps & { readonly pet?: OrderedPet }) {
  const { client } = useSession()
  const form = useForm<OrderFields>(
    { petId: pet ? String(pet.id) : '', quantity: 1n, reference: '', complete: false },
    { petId: 'Pet', quantity: 'Units', reference: 'Reference', complete: 'The customer takes it now' },
  )
  const { complete } = form.values
  return (
    <FormDialog
      title="Place order"
      action={complete ? 'Sell' : 'Place order'}
      done={complete ? 'Sold' : 'Order placed'}
      form={form}
      submit={sending => client.placeOrder({ body: bodyOf(form.values) }, sending)}
      onClose={onClose}
    >
      {field => (
        <>
          <PetSelect first={pet} {...field('petId')} />
          <UnitsInput
            {...field('quantity')}
            allowNegative={false}
            data-autofocus={pet !== undefined || undefined}
          />
          <TextField {...field('reference')} description="For example, the number of a receipt" />
          <Checkbox
            label={form.labels.complete}
            description="The order is complete at once, and its units leave the stock."
            checked={complete}
            onChange={event => form.set({ complete: event.currentTarget.checked })}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Returns the body of a request. If it lacks the pet, the store refuses it with a message for the field. */
function bodyOf({ petId, quantity, reference, complete }: OrderFields): NewOrder {
  const body = {
    ...(petId !== '' && { petId: BigInt(petId) }),
    quantity: quantity ?? 0n,
    complete,
    ...(reference.trim() !== '' && { reference: reference.trim() }),
  }
  // Safe: the store validates each body.
  return body as NewOrder
}
