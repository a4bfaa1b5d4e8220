import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { InventoryItem, InventoryUpdate, StockAdjustment } from '../../../client/petstore-client.ts'
import { useEdit, type Version } from '../../data/edit.ts'
import { useSession } from '../../data/session-context.ts'
import { EditConflict } from '../generic/conflict.tsx'
import { FormDialog } from '../generic/form-dialog.tsx'
import { formatCount } from '../generic/format.ts'
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
      values={{ units, note }}
      submit={sending => client.adjustInventory({ petId, body: adjustmentOf(units, note) }, sending)}
      fields={{ quantityChange: 'Change', note: 'Note' }}
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
  /** The stock that the user saw. The store refuses the count if the stock has changed since. */
  readonly stock: Version<InventoryItem>
}

/** The dialog that stores the result of a count. If the stock changed meanwhile, it asks which number to use. */
export function CountDialog({ petId, name, onClose, stock }: CountDialogProps) {
  const { client } = useSession()
  const [units, setUnits] = useState<bigint | undefined>(stock.data.quantity)
  const edit = useEdit(stock, () => client.getInventoryItem({ petId }))
  const differences = ({ quantity, reserved = 0n }: InventoryItem) => [
    { label: 'On hand', mine: units === undefined ? '–' : formatCount(units), theirs: formatCount(quantity) },
    // The form has no field for the reserved units, but an order that reserves some explains the conflict.
    { label: 'Reserved', mine: formatCount(edit.base.data.reserved ?? 0n), theirs: formatCount(reserved) },
  ]
  return (
    <FormDialog
      title="Set the stock"
      action="Set stock"
      done={`The stock of ${name} was set.`}
      values={units}
      submit={sending =>
        edit.save(ifMatch => client.setInventory({ petId, body: countOf(units) }, { ...sending, ifMatch }))
      }
      fields={{ quantity: 'On hand' }}
      conflict={
        <EditConflict
          edit={edit}
          differences={differences}
          onTakeTheirs={({ quantity }) => setUnits(quantity)}
        />
      }
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
            allowNegative={false}
            data-autofocus
            required
          />
        </>
      )}
    </FormDialog>
  )
}

/** Returns the body of a request. If it lacks the units, the store refuses it with a message for the field. */
function adjustmentOf(quantityChange: bigint | undefined, note: string): StockAdjustment {
  // Safe: the store validates each body.
  return { quantityChange, ...(note !== '' && { note }) } as StockAdjustment
}

/** Returns the body of a request, like `adjustmentOf`. */
function countOf(quantity: bigint | undefined): InventoryUpdate {
  // Safe: the store validates each body.
  return { quantity } as InventoryUpdate
}
