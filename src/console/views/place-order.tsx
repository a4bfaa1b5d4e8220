import { Checkbox, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { toJson } from '../../client/petstore-client.ts'
import { useSession } from '../data/store.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { PetSelect } from '../parts/pet-select.tsx'
import { UnitsInput } from '../parts/units-input.tsx'

/** The dialog that places an order. */
export function PlaceOrder({ onClose }: { readonly onClose: () => void }) {
  const { client } = useSession()
  const [petId, setPetId] = useState('')
  const [quantity, setQuantity] = useState<bigint | undefined>(1n)
  const [reference, setReference] = useState('')
  const [isSale, setIsSale] = useState(false)
  const sent = useRef({ content: '', key: '' })
  const submit = () => {
    const body = {
      petId: petId === '' ? 0n : BigInt(petId),
      quantity: quantity ?? 0n,
      complete: isSale,
      ...(reference.trim() !== '' && { reference: reference.trim() }),
    }
    const content = toJson(body)
    // The same values are sent with the same key: if a response is lost, a second submit places no second order.
    if (sent.current.content !== content) sent.current = { content, key: newKey() }
    return client.placeOrder({ body }, { idempotencyKey: sent.current.key })
  }
  return (
    <FormDialog
      title="Place order"
      action={isSale ? 'Sell' : 'Place order'}
      done={isSale ? 'Sold' : 'Order placed'}
      submit={submit}
      fields={['petId', 'quantity', 'reference']}
      onClose={onClose}
    >
      {errors => (
        <>
          <PetSelect value={petId} onChange={setPetId} error={errors.petId} />
          <UnitsInput label="Units" value={quantity} onChange={setQuantity} error={errors.quantity} />
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

/** Returns a random idempotency key. Outside a secure context, `crypto.randomUUID` does not exist. */
function newKey(): string {
  return crypto.getRandomValues(new BigUint64Array(2)).join('-')
}
