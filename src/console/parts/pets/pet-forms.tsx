import { Select, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import {
  ApiError,
  type ApiResponse,
  type Client,
  type InventoryItem,
  type NewPet,
  type Pet,
  type PetStatus,
} from '../../../client/petstore-client.ts'
import type { Sending } from '../../data/change.ts'
import { ChangedMeanwhile, useConfirmation, useEdit, type Version } from '../../data/edit.ts'
import { nameText } from '../../data/name-text.ts'
import { readPet } from '../../data/pets.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { CategorySelect } from '../categories/category-select.tsx'
import { Name } from '../events/name.tsx'
import { CategoryName } from '../events/names.tsx'
import { ChangedFacts, EditConflict } from '../generic/conflict.tsx'
import { FormDialog } from '../generic/form-dialog.tsx'
import { formatUnits } from '../generic/format.ts'
import { sentenceOf } from '../generic/refusal.tsx'
import { UnitsInput } from '../inventory/units-input.tsx'
import { petStatuses } from './status.tsx'

interface PetFields {
  readonly name: string
  readonly categoryId: bigint | undefined
}

interface PetInputsProps {
  readonly values: PetFields
  readonly onChange: (values: PetFields) => void
  readonly errors: Readonly<Record<string, string>>
}

/** The fields of a pet, for the dialog that adds a pet and the dialog that edits one. */
function PetInputs({ values, onChange, errors }: PetInputsProps) {
  return (
    <>
      <TextInput
        label="Name"
        value={values.name}
        onChange={({ currentTarget }) => onChange({ ...values, name: currentTarget.value })}
        error={errors.name}
        data-autofocus
        required
      />
      <CategorySelect
        value={values.categoryId}
        onChange={categoryId => onChange({ ...values, categoryId })}
        error={errors.categoryId}
        placeholder="Start of the name"
        required
      />
    </>
  )
}

interface AddPetProps {
  readonly onClose: () => void
  readonly onAdded: (pet: Pet) => void
}

/** The dialog that adds a pet. */
export function AddPet({ onClose, onAdded }: AddPetProps) {
  const { client } = useSession()
  const [values, setValues] = useState<PetFields>({ name: '', categoryId: undefined })
  const [status, setStatus] = useState<PetStatus>('available')
  const [units, setUnits] = useState<bigint | undefined>(1n)
  const canCount = useCan()('inventory:write')
  const hasUnits = canCount && status !== 'sold'
  return (
    <FormDialog
      title="Add a pet"
      action="Add pet"
      done={`${nameText(values.name)} was added.`}
      values={{ ...values, status, units }}
      check={() => ({ ...(hasUnits && units === undefined && { units: 'Enter a number of units.' }) })}
      submit={sending => addPet(client, { ...bodyOf(values), status }, hasUnits ? units : undefined, sending)}
      onDone={({ data }) => onAdded(data)}
      fields={{ name: 'Name', categoryId: 'Category', status: 'Status' }}
      onClose={onClose}
    >
      {errors => (
        <>
          <PetInputs values={values} onChange={setValues} errors={errors} />
          <Select
            label="Status"
            description={
              canCount
                ? 'A pending pet is on hold. A sold pet has no units.'
                : 'Available and pending pets start with one unit in stock, sold ones with none.'
            }
            data={petStatuses}
            value={status}
            onChange={value => setStatus(value ?? 'available')}
            error={errors.status}
            allowDeselect={false}
          />
          {hasUnits && (
            <UnitsInput
              label="Units"
              description="The number of units on hand"
              value={units}
              onChange={setUnits}
              error={errors.units}
              allowNegative={false}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}

/**
 * Creates a pet. A new pet has one unit, so a second request sets the stock only if `units` is another number. Each
 * request has its own idempotency key, so both can be repeated safely.
 */
async function addPet(
  client: Client,
  body: NewPet,
  units: bigint | undefined,
  sending: Sending,
): Promise<ApiResponse<Pet>> {
  const created = await client.createPet({ body }, sending)
  if (units === undefined || units === 1n) return created
  const { id: petId, name } = created.data
  const idempotencyKey = `${sending.idempotencyKey}-stock`
  try {
    await client.setInventory({ petId, body: { quantity: units } }, { ...sending, idempotencyKey })
  } catch (error) {
    // After a lost response, the next submit has the same idempotency keys. A refusal must not keep the dialog open:
    // the pet exists, and another submit would add a second one.
    if (!(error instanceof ApiError)) throw error
    const message = `${nameText(name, petId)} was added with 1 unit: ${sentenceOf(error)}`
    notifications.show({ color: 'red', message })
  }
  return created
}

interface EditPetProps {
  readonly pet: Version<Pet>
  readonly onClose: () => void
}

/**
 * The dialog that edits the name and the category of a pet. If someone else changed the pet meanwhile, it asks which
 * values to use.
 */
export function EditPet({ pet, onClose }: EditPetProps) {
  const { client } = useSession()
  const petId = pet.data.id
  const [values, setValues] = useState<PetFields>(pet.data)
  // If the pet was deleted, the next submit reports that.
  const edit = useEdit(pet, async () => (await readPet(client, petId)) ?? pet)
  const differences = (theirs: Pet) => [
    { label: 'Name', mine: values.name, theirs: theirs.name },
    {
      label: 'Category',
      mine: values.categoryId === undefined ? '' : <CategoryName id={values.categoryId} />,
      theirs: <CategoryName id={theirs.categoryId} />,
    },
    // The form has no field for the status, but a changed status explains the conflict.
    ...(theirs.status === edit.base.data.status
      ? []
      : [{ label: 'Status', mine: edit.base.data.status, theirs: theirs.status }]),
  ]
  return (
    <FormDialog
      title="Edit the pet"
      action="Save"
      done={`${nameText(values.name)} was saved.`}
      values={bodyOf(values)}
      // A change without a category would keep the category of before, which the field does not show.
      check={() => ({ ...(values.categoryId === undefined && { categoryId: 'Category is required.' }) })}
      submit={sending =>
        edit.save(ifMatch => client.updatePet({ petId, body: bodyOf(values) }, { ...sending, ifMatch }))
      }
      fields={{ name: 'Name', categoryId: 'Category' }}
      conflict={<EditConflict edit={edit} differences={differences} onTakeTheirs={setValues} />}
      onClose={onClose}
    >
      {errors => <PetInputs values={values} onChange={setValues} errors={errors} />}
    </FormDialog>
  )
}

interface PetQuestionProps {
  readonly pet: Pet
  readonly onClose: () => void
}

/** The dialog that asks before it deletes a pet. */
export function DeletePet({ pet, onClose, onDeleted }: PetQuestionProps & { onDeleted: () => void }) {
  const { client } = useSession()
  return (
    <FormDialog
      title="Delete the pet"
      action="Delete"
      done={`${nameText(pet.name, pet.id)} was deleted.`}
      isDestructive
      submit={sending => client.deletePet({ petId: pet.id }, sending)}
      onClose={onClose}
      onDone={onDeleted}
    >
      {() => (
        <Text size="sm" className="name">
          Delete <Name name={pet.name} id={pet.id} /> and its stock? This cannot be undone. Complete orders
          are kept.
        </Text>
      )}
    </FormDialog>
  )
}

interface SellPetProps {
  readonly pet: Version<Pet>
  readonly stock: Version<InventoryItem>
  readonly onClose: () => void
}

/**
 * The dialog that asks before it marks a pet as sold, because that removes the stock of the pet. If the pet or its
 * stock changed meanwhile, it says what changed and asks again.
 */
export function SellPet({ pet, stock, onClose }: SellPetProps) {
  const { client } = useSession()
  const petId = pet.data.id
  const { shown, before, act } = useConfirmation(
    { data: { pet: pet.data, stock }, etag: pet.etag },
    async () => {
      const [current, currentStock] = await Promise.all([
        readPet(client, petId),
        client.getInventoryItem({ petId }),
      ])
      // If the pet was deleted, the next submit reports that.
      return { data: { pet: current?.data ?? pet.data, stock: currentStock }, etag: current?.etag }
    },
  )
  const sell = (ifMatch: string | undefined, sending: Sending) =>
    client.updatePet({ petId, body: { status: 'sold' } }, { ...sending, ifMatch })
  return (
    <FormDialog
      title="Mark as sold"
      action="Mark as sold"
      done={`${nameText(pet.data.name, petId)} is sold.`}
      submit={sending =>
        act(async ifMatch => {
          // The ETag of a pet does not depend on its stock, which the sale removes.
          const { etag } = await client.getInventoryItem({ petId })
          if (etag !== shown.data.stock.etag) throw new ChangedMeanwhile()
          await sell(ifMatch, sending)
        })
      }
      conflict={before && <ChangedFacts before={factsOf(before)} now={factsOf(shown.data)} />}
      onClose={onClose}
    >
      {() => (
        <Text size="sm" className="name">
          <Name name={shown.data.pet.name} id={petId} /> has {formatUnits(shown.data.stock.data.quantity)} on
          hand, and will have none. To sell it again later, set its stock.
        </Text>
      )}
    </FormDialog>
  )
}

interface ForSale {
  readonly pet: Pet
  readonly stock: Version<InventoryItem>
}

/** Returns the facts that a user needs to decide about a sale. */
function factsOf({ pet, stock: { data } }: ForSale): [label: string, text: string][] {
  return [
    ['Name', pet.name],
    ['Status', pet.status ?? ''],
    ['On hand', formatUnits(data.quantity)],
    ['Reserved', formatUnits(data.reserved ?? 0n)],
  ]
}

/** Returns the body of a request. If it lacks the category, the store refuses it with a message for the field. */
function bodyOf({ name, categoryId }: PetFields): Pick<NewPet, 'name' | 'categoryId'> {
  // Safe: the store validates each body.
  return { name, categoryId } as Pick<NewPet, 'name' | 'categoryId'>
}
