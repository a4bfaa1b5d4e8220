import { Select, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
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
import { CategoryName, Name } from '../events/names.tsx'
import { ChangedFacts, EditConflict } from '../generic/conflict.tsx'
import { type DialogProps, type Field, FormDialog, useForm } from '../generic/form-dialog.tsx'
import { formatUnits } from '../generic/format.ts'
import { sentenceOf } from '../generic/refusal.tsx'
import { TextField } from '../generic/text-field.tsx'
import { UnitsInput } from '../inventory/units-input.tsx'
import { statusWord, words } from './shop-words.ts'
import { petStatuses } from './status.tsx'

interface PetFields {
  readonly name: string
  readonly categoryId: bigint | undefined
}

const labels = { name: 'Name', categoryId: 'Category' }

function PetInputs({ name, categoryId }: { readonly [Name in keyof PetFields]: Field<PetFields[Name]> }) {
  return (
    <>
      <TextField {...name} data-autofocus required />
      <CategorySelect {...categoryId} placeholder="Start of the name" required />
    </>
  )
}

/** A new pet has no orders, so it can only be pending because it is on hold. */
const newStatuses = petStatuses.map(status => ({
  value: status,
  label: statusWord({ status, quantity: 1n }),
}))

interface NewPetFields extends PetFields {
  readonly status: PetStatus
  readonly units: bigint | undefined
}

export function AddPet({ onClose, onAdded }: DialogProps & { readonly onAdded: (pet: Pet) => void }) {
  const { client } = useSession()
  const form = useForm<NewPetFields>(
    { name: '', categoryId: undefined, status: 'available', units: 1n },
    { ...labels, status: 'Status', units: 'Units' },
  )
  const { status, units } = form.values
  const canCount = useCan()('inventory:write')
  const hasUnits = canCount && status !== 'sold'
  return (
    <FormDialog
      title="Add a pet"
      action="Add pet"
      done={`${nameText(form.values.name)} was added.`}
      form={form}
      check={() => ({ ...(hasUnits && units === undefined && { units: 'Enter a number of units.' }) })}
      submit={sending =>
        addPet(client, { ...bodyOf(form.values), status }, hasUnits ? units : undefined, sending)
      }
      onDone={({ data }) => onAdded(data)}
      onClose={onClose}
    >
      {field => (
        <>
          <PetInputs name={field('name')} categoryId={field('categoryId')} />
          <Select
            {...field('status')}
            description={
              canCount
                ? 'A sold pet has no units.'
                : 'The pet starts with one unit in stock, or with none if it is sold.'
            }
            data={newStatuses}
            onChange={value => form.set({ status: value ?? 'available' })}
            allowDeselect={false}
          />
          {hasUnits && (
            <UnitsInput
              {...field('units')}
              description="The number of units in stock"
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

/**
 * The dialog that edits the name and the category of a pet. If someone else changed the pet meanwhile, it asks which
 * values to use.
 */
export function EditPet({ pet, onClose }: DialogProps & { readonly pet: Version<Pet> }) {
  const { client } = useSession()
  const petId = pet.data.id
  const form = useForm<PetFields>({ name: pet.data.name, categoryId: pet.data.categoryId }, labels)
  const { categoryId } = form.values
  // If the pet was deleted, the next submit reports that.
  const edit = useEdit(pet, async () => (await readPet(client, petId)) ?? pet)
  const differences = (theirs: Pet) => [
    { label: labels.name, mine: form.values.name, theirs: theirs.name },
    {
      label: labels.categoryId,
      mine: categoryId === undefined ? '' : <CategoryName id={categoryId} />,
      theirs: <CategoryName id={theirs.categoryId} />,
    },
    // The form has no field for the status, but a changed status explains the conflict.
    ...(theirs.status === edit.base.data.status
      ? []
      : [{ label: 'Status', mine: statusWord(edit.base.data), theirs: statusWord(theirs) }]),
  ]
  return (
    <FormDialog
      title="Edit the pet"
      action="Save"
      done={`${nameText(form.values.name)} was saved.`}
      form={form}
      // A change without a category would keep the category of before, which the field does not show.
      check={() => ({ ...(categoryId === undefined && { categoryId: 'Category is required.' }) })}
      submit={edit.submit(options => client.updatePet({ petId, body: bodyOf(form.values) }, options))}
      conflict={
        <EditConflict
          edit={edit}
          differences={differences}
          onTakeTheirs={theirs => form.set({ name: theirs.name, categoryId: theirs.categoryId })}
        />
      }
      onClose={onClose}
    >
      {field => <PetInputs name={field('name')} categoryId={field('categoryId')} />}
    </FormDialog>
  )
}

interface DeletePetProps extends DialogProps {
  readonly pet: Pet
  readonly onDeleted: () => void
}

export function DeletePet({ pet, onClose, onDeleted }: DeletePetProps) {
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
      <Text size="sm" className="name">
        Delete <Name name={pet.name} id={pet.id} /> and its stock? This cannot be undone. Complete orders are
        kept.
      </Text>
    </FormDialog>
  )
}

interface SellPetProps extends DialogProps {
  readonly pet: Version<Pet>
  readonly stock: Version<InventoryItem>
}

/**
 * The dialog that asks before it marks a pet as sold, because that removes the stock of the pet. If the pet or its
 * stock changed meanwhile, it says what changed and asks again.
 */
export function SellPet({ pet, stock, onClose }: SellPetProps) {
  const { client } = useSession()
  const petId = pet.data.id
  const { shown, before, submit } = useConfirmation(
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
  return (
    <FormDialog
      title="Mark as sold"
      action="Mark as sold"
      done={`${nameText(pet.data.name, petId)} is sold.`}
      submit={submit(async options => {
        // The ETag of a pet does not depend on its stock, which the sale removes.
        const { etag } = await client.getInventoryItem({ petId })
        if (etag !== shown.data.stock.etag) throw new ChangedMeanwhile()
        await client.updatePet({ petId, body: { status: 'sold' } }, options)
      })}
      conflict={before && <ChangedFacts before={factsOf(before)} now={factsOf(shown.data)} />}
      onClose={onClose}
    >
      <Text size="sm" className="name">
        <Name name={shown.data.pet.name} id={petId} /> has {formatUnits(shown.data.stock.data.quantity)} in
        stock, and will have none. To sell it again later, set its stock.
      </Text>
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
    ['Status', statusWord({ ...data, status: pet.status })],
    [words.quantity, formatUnits(data.quantity)],
    [words.reserved, formatUnits(data.reserved ?? 0n)],
  ]
}

/** Returns the body of a request. If it lacks the category, the store refuses it with a message for the field. */
function bodyOf({ name, categoryId }: PetFields): Pick<NewPet, 'name' | 'categoryId'> {
  // Safe: the store validates each body.
  return { name, categoryId } as Pick<NewPet, 'name' | 'categoryId'>
}
