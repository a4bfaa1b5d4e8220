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

/** Adds or removes units, with the reason as a note. */
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
            description="Units to add, or to remove with a minus"
            value={units}
            onChange={setUnits}
            error={errors.quantityChange}
            data-autofocus
            required
          />
          <TextInput
            label="Note"
            description="The reason, for the list of movements"
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

/** Stores the result of a count. */
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
            description="Units on the shelf, as counted, with those that are reserved"
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

/** Returns the body of an adjustment. Without units, the store says at their field that they are required. */
function adjustmentOf(quantityChange: bigint | undefined, note: string): StockAdjustment {
  // Safe: the store checks each body.
  return { quantityChange, ...(note !== '' && { note }) } as StockAdjustment
}

/** Returns the body of a count, in the same way. */
function countOf(quantity: bigint | undefined): InventoryUpdate {
  // Safe: the store checks each body.
  return { quantity } as InventoryUpdate
}
