import { Select, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import type {
  ApiError,
  ApiResponse,
  Client,
  InventoryItem,
  NewPet,
  Pet,
  PetStatus,
} from '../../../client/petstore-client.ts'
import { caselessForm } from '../../../values/same-name.ts'
import { type Change, InvalidValues, inTurn, request } from '../../data/change.ts'
import { useConfirmation, useEdit, type Version } from '../../data/edit.ts'
import { nameText } from '../../data/name-text.ts'
import { readPet } from '../../data/pets.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { amountIn, amountProblem, amountText, shopCurrency } from '../../data/shop-currency.ts'
import { rich, type Sentence, t } from '../../words/sentences.tsx'
import { CategorySelect } from '../categories/category-select.tsx'
import { AmountField } from '../generic/amount-field.tsx'
import { ChangedFacts, editConflict } from '../generic/conflict.tsx'
import { type DialogProps, type Field, FormDialog, useForm } from '../generic/form-dialog.tsx'
import { TextField } from '../generic/text-field.tsx'
import { UnitsInput } from '../inventory/units-input.tsx'
import { formatUnits } from '../names/format.ts'
import { CategoryName, Name } from '../names/names.tsx'
import { sentenceOf } from '../names/refusal.tsx'
import { statusWord, words } from '../names/shop-words.ts'
import { petStatuses } from './status.tsx'

interface PetFields {
  readonly name: string
  readonly categoryId: bigint | undefined
  /** As it was typed; empty for a pet without a price. */
  readonly price: string
  /** Empty for a pet without a barcode. */
  readonly barcode: string
}

const labels = {
  name: t('Name'),
  categoryId: t('Category'),
  price: t('Price ({currency})', { currency: shopCurrency }),
  barcode: t('Barcode'),
}

function PetInputs({
  name,
  categoryId,
  price,
  barcode,
}: { readonly [Name in keyof PetFields]: Field<PetFields[Name]> }) {
  return (
    <>
      <TextField {...name} data-autofocus required />
      <CategorySelect {...categoryId} placeholder={t('Start of the name')} required />
      <AmountField {...price} />
      <TextField {...barcode} />
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
    { name: '', categoryId: undefined, price: '', barcode: '', status: 'available', units: 1n },
    { ...labels, status: t('Status'), units: t('Units') },
  )
  const { name, categoryId, status, units } = form.values
  // Two pets of one name are seldom meant, but they may be.
  const [warned, setWarned] = useState('')
  const canCount = useCan()('inventory:write')
  const hasUnits = canCount && status !== 'sold'
  return (
    <FormDialog
      name="add-pet"
      title={t('Add a pet')}
      action={t('Add pet')}
      done={t('{name} was added.', { name: nameText(form.values.name) })}
      form={form}
      check={() => ({
        ...amountProblem('price', form.values.price),
        ...(hasUnits && units === undefined && { units: t('Enter a number of units.') }),
      })}
      make={async () => {
        const named = `${categoryId} ${name.trim()}`
        if (warned !== named && (await isNameTaken(client, name.trim(), categoryId))) {
          setWarned(named)
          throw new InvalidValues({
            name: t('The category has a pet with this name. “Add pet” adds another one.'),
          })
        }
        const price = amountIn(form.values.price)
        const barcode = form.values.barcode.trim()
        const body = {
          ...bodyOf(form.values),
          ...(price !== undefined && { price }),
          ...(barcode !== '' && { barcode }),
          status,
        }
        return additionOf(client, body, hasUnits ? units : undefined)
      }}
      look={{ path: '/pets?sort=-id', what: t('the newest pets') }}
      onDone={({ data }) => onAdded(data)}
      onClose={onClose}
    >
      {field => (
        <>
          <PetInputs
            name={field('name')}
            categoryId={field('categoryId')}
            price={field('price')}
            barcode={field('barcode')}
          />
          <Select
            {...field('status')}
            description={
              canCount
                ? t('A sold pet has no units.')
                : t('The pet starts with one unit in stock, or with none if it is sold.')
            }
            data={newStatuses}
            onChange={value => form.set({ status: value ?? 'available' })}
            allowDeselect={false}
          />
          {hasUnits && (
            <UnitsInput
              {...field('units')}
              description={t('The number of units in stock')}
              allowNegative={false}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}

/** What is missing of a pet that was added. */
type AddedWithout = Extract<Sentence, `{name} was added, but ${string}`>

async function isNameTaken(client: Client, name: string, categoryId: bigint | undefined): Promise<boolean> {
  if (name === '' || categoryId === undefined) return false
  const { data } = await client.listPets({ name, categoryId: [categoryId], limit: 100 })
  return data.items.some(pet => caselessForm(pet.name.trim()) === caselessForm(name))
}

/**
 * Returns the change that adds a pet with a number of units; undefined for that of its status. A new pet has one unit,
 * or none if it is sold. Other units are one delivery to a sold pet, so that the ledger has them in one movement.
 */
function additionOf(client: Client, body: NewPet, units: bigint | undefined): Change<ApiResponse<Pet>> {
  const asSold = { ...body, status: 'sold' as const }
  if (units === undefined || units === 1n) return request(client, 'createPet', { body })
  if (units === 0n) return request(client, 'createPet', { body: asSold })
  const report = ({ data }: ApiResponse<Pet>, what: AddedWithout, error: ApiError): void => {
    // The pet exists: another change would add a second one.
    const message = t(what, { name: nameText(data.name, data.id), reason: sentenceOf(error) })
    notifications.show({ color: 'red', message })
  }
  const stocked = inTurn(
    request(client, 'createPet', { body: asSold }),
    ({ data: { id: petId } }) =>
      request(client, 'adjustInventory', {
        petId,
        body: { quantityChange: units, note: t('Opening stock') },
      }),
    (created, error) => report(created, '{name} was added, but without units: {reason}', error),
  )
  if (body.status !== 'pending') return stocked
  return inTurn(
    stocked,
    ({ data: { id: petId } }) => request(client, 'updatePet', { petId, body: { status: 'pending' } }),
    (created, error) => report(created, '{name} was added, but not put on hold: {reason}', error),
  )
}

/**
 * The dialog that edits the name, the category, the price and the barcode of a pet. If someone else changed the pet
 * meanwhile, it asks which values to use.
 */
export function EditPet({ pet, onClose }: DialogProps & { readonly pet: Version<Pet> }) {
  const { client } = useSession()
  const petId = pet.data.id
  const form = useForm<PetFields>(fieldsOf(pet.data), labels)
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
    { label: labels.price, mine: form.values.price || '–', theirs: fieldsOf(theirs).price || '–' },
    { label: labels.barcode, mine: form.values.barcode || '–', theirs: theirs.barcode ?? '–' },
    // The form has no field for the status, but a changed status explains the conflict.
    ...(theirs.status === edit.base.data.status
      ? []
      : [{ label: t('Status'), mine: statusWord(edit.base.data), theirs: statusWord(theirs) }]),
  ]
  return (
    <FormDialog
      name="edit-pet"
      title={t('Edit the pet')}
      action={t('Save')}
      done={t('{name} was saved.', { name: nameText(form.values.name) })}
      form={form}
      // A change without a category would keep the category of before, which the field does not show.
      check={() => ({
        ...amountProblem('price', form.values.price),
        ...(categoryId === undefined && { categoryId: t('Category is required.') }),
      })}
      make={() => {
        const body = {
          ...bodyOf(form.values),
          price: amountIn(form.values.price) ?? null,
          barcode: form.values.barcode.trim() || null,
        }
        return request(client, 'updatePet', { petId, body }, edit.base.etag)
      }}
      look={{ path: `/pets/${petId}`, what: t('the pet') }}
      conflict={editConflict({
        edit,
        differences,
        onTakeTheirs: theirs => form.set(fieldsOf(theirs)),
      })}
      onClose={onClose}
    >
      {field => (
        <PetInputs
          name={field('name')}
          categoryId={field('categoryId')}
          price={field('price')}
          barcode={field('barcode')}
        />
      )}
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
      name="delete-pet"
      title={t('Delete the pet')}
      action={t('Delete')}
      done={t('{name} was deleted.', { name: nameText(pet.name, pet.id) })}
      isDestructive
      make={() => request(client, 'deletePet', { petId: pet.id })}
      look={{ path: `/pets/${pet.id}`, what: t('the pet') }}
      onClose={onClose}
      onDone={onDeleted}
    >
      <Text size="sm" className="name">
        {rich('Delete {name} and its stock? This cannot be undone. Complete orders are kept.', {
          name: <Name name={pet.name} id={pet.id} />,
        })}
      </Text>
    </FormDialog>
  )
}

interface SellPetProps extends DialogProps {
  readonly pet: Version<Pet>
  readonly stock: Version<InventoryItem>
}

/**
 * The dialog that asks before it marks a pet as sold: it writes a stock of 0 on the condition that the stock is the one
 * that the user has seen. Otherwise it says what changed and asks again.
 */
export function SellPet({ pet, stock, onClose }: SellPetProps) {
  const { client } = useSession()
  const { id: petId, name } = pet.data
  const read = () => client.getInventoryItem({ petId })
  const { shown, before, readAgain } = useConfirmation(stock, read)
  const { quantity } = shown.data
  return (
    <FormDialog
      name="mark-sold"
      title={t('Mark as sold')}
      action={t('Mark as sold')}
      done={t('{name} is sold.', { name: nameText(name, petId) })}
      make={() => request(client, 'setInventory', { petId, body: { quantity: 0n } }, shown.etag)}
      look={{ path: `/pets/${petId}`, what: t('the pet') }}
      conflict={{
        read: readAgain,
        shown: before && <ChangedFacts before={factsOf(before)} now={factsOf(shown.data)} />,
      }}
      onClose={onClose}
    >
      <Text size="sm" className="name">
        {rich('{name} has {units} in stock, and will have none. To sell it again later, set its stock.', {
          name: <Name name={name} id={petId} />,
          units: formatUnits(quantity),
        })}
      </Text>
    </FormDialog>
  )
}

/** Returns the facts that a user needs to decide about a sale. */
function factsOf(item: InventoryItem): [label: string, text: string][] {
  return [
    [t('Status'), statusWord(item)],
    [words.quantity, formatUnits(item.quantity)],
    [words.reserved, formatUnits(item.reserved ?? 0n)],
  ]
}

function fieldsOf({ name, categoryId, price, barcode = '' }: Pet): PetFields {
  return { name, categoryId, price: price === undefined ? '' : amountText(price), barcode }
}

/** Returns the body of a request. If it lacks the category, the store refuses it with a message for the field. */
function bodyOf({ name, categoryId }: PetFields): Pick<NewPet, 'name' | 'categoryId'> {
  // Safe: the store validates each body.
  return { name, categoryId } as Pick<NewPet, 'name' | 'categoryId'>
}
