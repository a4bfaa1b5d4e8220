import { Text } from '@mantine/core'
import type {
  Client,
  InventoryItem,
  InventoryUpdate,
  StockAdjustment,
} from '../../../client/petstore-client.ts'
import { type Change, request } from '../../data/change.ts'
import { useEdit, type Version } from '../../data/edit.ts'
import { useSession } from '../../data/session-context.ts'
import { t } from '../../words/sentences.tsx'
import { editConflict } from '../generic/conflict.tsx'
import { type DialogProps, FormDialog, useForm } from '../generic/form-dialog.tsx'
import { TextField } from '../generic/text-field.tsx'
import type { Look } from '../generic/unknown-alert.tsx'
import { formatCount, formatUnits } from '../names/format.ts'
import { words } from '../names/shop-words.ts'
import { UnitsInput } from './units-input.tsx'

interface StockDialogProps extends DialogProps {
  readonly petId: bigint
  readonly name: string
}

interface Adjustment {
  readonly quantityChange: bigint | undefined
  readonly note: string
}

export function AdjustDialog({ petId, name, onClose }: StockDialogProps) {
  const { client } = useSession()
  const form = useForm<Adjustment>(
    { quantityChange: undefined, note: '' },
    { quantityChange: t('Change'), note: t('Note') },
  )
  return (
    <FormDialog
      name="adjust-stock"
      title={t('Adjust the stock')}
      action={t('Adjust')}
      done={t('The stock of {name} was adjusted.', { name })}
      form={form}
      make={() => request(client, 'adjustInventory', { petId, body: adjustmentOf(form.values) })}
      look={lookAt(petId)}
      onClose={onClose}
    >
      {field => (
        <>
          <Text size="sm" className="name">
            {name}
          </Text>
          <UnitsInput
            {...field('quantityChange')}
            description={t('The number of units to add. A negative number removes units.')}
            data-autofocus
            required
          />
          <TextField {...field('note')} description={t('The reason. The list of movements shows it.')} />
        </>
      )}
    </FormDialog>
  )
}

interface StockCount {
  readonly quantity: bigint | undefined
}

interface CountDialogProps extends StockDialogProps {
  /** The stock that the user saw. The store refuses the count if the stock has changed since. */
  readonly stock: Version<InventoryItem>
}

/** The dialog that stores the result of a count. If the stock changed meanwhile, it asks which number to use. */
export function CountDialog({ petId, name, onClose, stock }: CountDialogProps) {
  const { client } = useSession()
  const form = useForm<StockCount>({ quantity: stock.data.quantity }, { quantity: words.quantity })
  const { quantity: units } = form.values
  const edit = useEdit(stock, () => client.getInventoryItem({ petId }))
  const differences = ({ quantity, reserved = 0n }: InventoryItem) => [
    {
      label: words.quantity,
      mine: units === undefined ? '–' : formatCount(units),
      theirs: formatCount(quantity),
    },
    // The form has no field for the reserved units, but an order that reserves some explains the conflict.
    {
      label: words.reserved,
      mine: formatCount(edit.base.data.reserved ?? 0n),
      theirs: formatCount(reserved),
    },
  ]
  return (
    <FormDialog
      name="set-stock"
      title={t('Set the stock')}
      action={t('Set stock')}
      done={t('The stock of {name} was set.', { name })}
      form={form}
      make={() => {
        // Safe: if the units are missing, the store refuses the body with a message for the field.
        const body = form.values as InventoryUpdate
        return request(client, 'setInventory', { petId, body }, edit.base.etag)
      }}
      look={lookAt(petId)}
      conflict={editConflict({ edit, differences, onTakeTheirs: ({ quantity }) => form.set({ quantity }) })}
      onClose={onClose}
    >
      {field => (
        <>
          <Text size="sm" className="name">
            {name}
          </Text>
          <UnitsInput
            {...field('quantity')}
            description={t('All units on the shelf, including the reserved ones')}
            allowNegative={false}
            data-autofocus
            required
          />
        </>
      )}
    </FormDialog>
  )
}

interface Level {
  /** The text of the field. A field for units has no value for letters, and saving them would remove the level. */
  readonly reorderAt: string
}

/** As many digits as the store can read; a number above its bound gets the message of the store. */
const LEVEL = /^\d{1,18}$/

/** Returns the level in the text of a field: null for none, undefined for a text that is no level. */
export function levelIn(text: string): bigint | null | undefined {
  const digits = text.trim()
  if (digits === '') return null
  return LEVEL.test(digits) ? BigInt(digits) : undefined
}

interface LevelDialogProps extends StockDialogProps {
  readonly stock: InventoryItem
}

/** The dialog for the level at which a pet is in the list of what to reorder. */
export function LevelDialog({ petId, name, onClose, stock }: LevelDialogProps) {
  const { client } = useSession()
  const form = useForm<Level>({ reorderAt: String(stock.reorderAt ?? '') }, { reorderAt: words.reorderAt })
  const reorderAt = levelIn(form.values.reorderAt)
  return (
    <FormDialog
      name="set-level"
      title={words.reorderAt}
      action={t('Save')}
      done={
        reorderAt == null
          ? t('{name} has no level.', { name })
          : t('{name} is to reorder at {units}.', { name, units: formatUnits(reorderAt) })
      }
      form={form}
      check={() => ({
        ...(reorderAt === undefined && {
          reorderAt: t('Enter a whole number with digits only, such as 12.'),
        }),
      })}
      make={() => levelChange(client, petId, reorderAt ?? null)}
      look={lookAt(petId)}
      onClose={onClose}
    >
      {field => (
        <>
          <Text size="sm" className="name">
            {name}
          </Text>
          <TextField
            {...field('reorderAt')}
            description={t(
              'With this many units in stock or fewer, the pet is in the list “To reorder”. Empty: never.',
            )}
            inputMode="numeric"
            data-autofocus
          />
        </>
      )}
    </FormDialog>
  )
}

/**
 * Returns the change of a level. The store takes it together with the quantity, so its condition is the quantity that
 * was read just before: if a sale comes between, both are read again.
 */
export async function levelChange(
  client: Client,
  petId: bigint,
  reorderAt: bigint | null,
): Promise<Change<unknown>> {
  const { data, etag } = await client.getInventoryItem({ petId })
  return {
    ...request(client, 'setInventory', { petId, body: { quantity: data.quantity, reorderAt } }, etag),
    renew: () => levelChange(client, petId, reorderAt),
  }
}

function lookAt(petId: bigint): Look {
  return { path: `/pets/${petId}`, what: t('the pet') }
}

/** Returns the body of a request. If it lacks the units, the store refuses it with a message for the field. */
function adjustmentOf({ quantityChange, note }: Adjustment): StockAdjustment {
  // Safe: the store validates each body.
  return { quantityChange, ...(note !== '' && { note }) } as StockAdjustment
}
