import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { InventoryUpdate, StockAdjustment } from '../../client/petstore-client.ts'
import { useSession } from '../data/store.ts'
import { FormDialog } from './form-dialog.tsx'
import { UnitsInput } from './units-input.tsx'

interface StockDialogProps {
  readonly petId: bigint
  readonly name: string
  readonly onClose: () => void
}

/** The dialog that adds or removes units, with a note about the reason. */
export function AdjustDialog({ petId, name, onClose }: StockDialogProps) {
  const { client } = useSession()
  const [units, setUnits] = useState<bigint>()
  const [note, setNote] = useState('')
  return (
    <FormDialog
      title="Adjust the stock"
      action="Adjust"
      done={`The stock of ${name} was adjusted.`}
      submit={() =>
        client.adjustInventory({
          petId,
          body: adjustmentOf(units, note),
        })
      }
      fields={['quantityChange', 'note']}
      onClose={onClose}
    >
      {errors => (
        <>
          <Text size="sm" className="name">
            {name}
          </Text>
          <UnitsInput
            label="Change"
            description="The number of units to add. A negative number removes units."
            value={units}
            onChange={setUnits}
            error={errors.quantityChange}
            data-autofocus
            required
          />
          <TextInput
            label="Note"
            description="The reason. The list of movements shows it."
            value={note}
            onChange={({ currentTarget }) => setNote(currentTarget.value)}
            error={errors.note}
          />
        </>
      )}
    </FormDialog>
  )
}

interface CountDialogProps extends StockDialogProps {
  /** The units on hand before the count, if they are known. */
  readonly quantity: bigint | undefined
}

/** The dialog that stores the result of a count. */
export function CountDialog({ petId, name, onClose, quantity }: CountDialogProps) {
  const { client } = useSession()
  const [units, setUnits] = useState(quantity)
  return (
    <FormDialog
      title="Set the stock"
      action="Set stock"
      done={`The stock of ${name} was set.`}
      submit={() => client.setInventory({ petId, body: countOf(units) })}
      fields={['quantity']}
      onClose={onClose}
    >
      {errors => (
        <>
          <Text size="sm" className="name">
            {name}
          </Text>
          <UnitsInput
            label="On hand"
            description="All units on the shelf, including the reserved ones"
            value={units}
            onChange={setUnits}
            error={errors.quantity}
            data-autofocus
            required
          />
        </>
      )}
    </FormDialog>
  )
}

/** Returns the body of a request. It may lack the units: the store refuses it then with a message for the field. */
function adjustmentOf(quantityChange: bigint | undefined, note: string): StockAdjustment {
  // Safe: the store validates each body.
  return { quantityChange, ...(note !== '' && { note }) } as StockAdjustment
}

/** Returns the body of a request, like `adjustmentOf`. */
function countOf(quantity: bigint | undefined): InventoryUpdate {
  // Safe: the store validates each body.
  return { quantity } as InventoryUpdate
}
