import { Text, Textarea } from '@mantine/core'
import { ApiError, type Category, type Client } from '../../../client/petstore-client.ts'
import { caselessForm } from '../../../values/same-name.ts'
import { type Change, InvalidValues, newKey, oneByOne, request } from '../../data/change.ts'
import { useEdit, type Version } from '../../data/edit.ts'
import { isVisible, nameText } from '../../data/name-text.ts'
import { useSession } from '../../data/session-context.ts'
import { rich, t } from '../../words/sentences.tsx'
import { editConflict } from '../generic/conflict.tsx'
import { type DialogProps, type FieldOf, FormDialog, useForm } from '../generic/form-dialog.tsx'
import { TextField } from '../generic/text-field.tsx'
import type { Look } from '../generic/unknown-alert.tsx'
import { Name } from '../names/names.tsx'
import { CategorySelect } from './category-select.tsx'

interface CategoryFields {
  readonly name: string
  readonly description: string
}

const labels = { name: t('Name'), description: t('Description') }

const categoriesView: Look = { path: '/categories', what: t('the categories') }

function CategoryInputs({ field }: { readonly field: FieldOf<CategoryFields> }) {
  const description = field('description')
  return (
    <>
      <TextField {...field('name')} data-autofocus required />
      <Textarea
        {...description}
        onChange={({ currentTarget }) => description.onChange(currentTarget.value)}
        autosize
        minRows={2}
        maxRows={8}
      />
    </>
  )
}

export function AddCategory({ onClose }: DialogProps) {
  const { client } = useSession()
  const form = useForm<CategoryFields>({ name: '', description: '' }, labels)
  return (
    <FormDialog
      name="add-category"
      title={t('Add a category')}
      action={t('Add category')}
      done={t('{name} was added.', { name: nameText(form.values.name) })}
      form={form}
      check={() => nameProblems(form.values)}
      make={async () => {
        await refuseSameName(client, form.values.name)
        return request(client, 'createCategory', { body: bodyOf(form.values) })
      }}
      look={categoriesView}
      onClose={onClose}
    >
      {field => <CategoryInputs field={field} />}
    </FormDialog>
  )
}

/** The dialog that edits a category. If someone else changed the category meanwhile, it asks which values to use. */
export function EditCategory({ category, onClose }: DialogProps & { readonly category: Version<Category> }) {
  const { client } = useSession()
  const categoryId = category.data.id
  const form = useForm(fieldsOf(category.data), labels)
  const edit = useEdit(category, () => client.getCategory({ categoryId }))
  const differences = (theirs: Category) => [
    { label: labels.name, mine: form.values.name, theirs: theirs.name },
    { label: labels.description, mine: form.values.description, theirs: theirs.description ?? '' },
  ]
  return (
    <FormDialog
      name="edit-category"
      title={t('Edit the category')}
      action={t('Save')}
      done={t('{name} was saved.', { name: nameText(form.values.name) })}
      form={form}
      check={() => nameProblems(form.values)}
      make={async () => {
        const { name } = form.values
        if (name !== edit.base.data.name) await refuseSameName(client, name, categoryId)
        return request(client, 'updateCategory', { categoryId, body: bodyOf(form.values) }, edit.base.etag)
      }}
      look={categoriesView}
      conflict={editConflict({ edit, differences, onTakeTheirs: theirs => form.set(fieldsOf(theirs)) })}
      onClose={onClose}
    >
      {field => <CategoryInputs field={field} />}
    </FormDialog>
  )
}

export function DeleteCategory({ category, onClose }: DialogProps & { readonly category: Category }) {
  const { id: categoryId, name } = category
  const { client } = useSession()
  return (
    <FormDialog
      name="delete-category"
      title={t('Delete the category')}
      action={t('Delete')}
      done={t('{name} was deleted.', { name: nameText(name, categoryId) })}
      isDestructive
      make={() => request(client, 'deleteCategory', { categoryId })}
      look={categoriesView}
      onClose={onClose}
    >
      <Text size="sm" className="name">
        {rich('Delete the category {name}? Only an empty category can be deleted.', {
          name: <Name name={name} id={categoryId} />,
        })}
      </Text>
    </FormDialog>
  )
}

/** The dialog that moves the pets of a category to another one, and then deletes the empty category. */
export function MergeCategory({ category, onClose }: DialogProps & { readonly category: Category }) {
  const { id: fromId, name } = category
  const { client } = useSession()
  const form = useForm<{ categoryId: bigint | undefined }>(
    { categoryId: undefined },
    { categoryId: t('Category') },
  )
  const { categoryId: toId } = form.values
  return (
    <FormDialog
      name="merge-category"
      title={t('Merge the category')}
      action={t('Merge')}
      done={t('{name} was merged.', { name: nameText(name, fromId) })}
      isDestructive
      form={form}
      check={(): Record<string, string> => {
        if (toId === undefined) return { categoryId: t('Category is required.') }
        return toId === fromId ? { categoryId: t('Choose another category.') } : {}
      }}
      make={() => mergeOf(client, fromId, toId ?? fromId)}
      look={categoriesView}
      onClose={onClose}
    >
      {field => (
        <>
          <Text size="sm" className="name">
            {rich('All pets of {name} move to this category, and {name} is deleted.', {
              name: <Name name={name} id={fromId} />,
            })}
          </Text>
          <CategorySelect {...field('categoryId')} placeholder={t('Start of the name')} required />
        </>
      )}
    </FormDialog>
  )
}

/** The number of pets that are moved before the next ones are read. */
const MOVED_TOGETHER = 100

/** Returns the change that merges one category into another. Sent again, it moves the pets that are still there. */
function mergeOf(client: Client, fromId: bigint, toId: bigint): Change<unknown> {
  return {
    isRepeatable: true,
    send: async ({ signal, idempotencyKey }) => {
      const moved = new Set<bigint>()
      for (;;) {
        const { data } = await client.listPets({ categoryId: [fromId], limit: MOVED_TOGETHER }, { signal })
        if (data.items.length === 0) break
        // Two opposite merges would never end.
        if (data.items.some(({ id }) => moved.has(id)))
          throw new InvalidValues({ toId: t('Somebody moves the pets back. The categories are not merged.') })
        for (const { id } of data.items) moved.add(id)
        const moves = data.items.map(pet => ({
          subject: pet,
          change: request(client, 'updatePet', { petId: pet.id, body: { categoryId: toId } }),
        }))
        // A move has no second effect, and somebody may have moved the pet back since the last attempt.
        const refused = await oneByOne(moves).send({ signal, idempotencyKey: newKey('move') })
        const isGone = (error: Error): boolean => error instanceof ApiError && error.code === 'pet_not_found'
        const missed = refused.find(({ error }) => !isGone(error))
        if (missed) throw missed.error
      }
      return request(client, 'deleteCategory', { categoryId: fromId }).send({ signal, idempotencyKey })
    },
  }
}

function nameProblems({ name }: CategoryFields): Record<string, string> {
  const isInvisible = name !== '' && !isVisible(name)
  return isInvisible ? { name: t('This name shows nothing: enter letters or digits.') } : {}
}

/** Throws InvalidValues if another category has this name: imports would not know which of the two is meant. */
async function refuseSameName(client: Client, name: string, ownId?: bigint): Promise<void> {
  const form = caselessForm(name.trim())
  // The store says that a name is missing.
  if (form === '') return
  const { data } = await client.listCategories({ name: name.trim(), limit: 100 })
  const other = data.items.find(item => item.id !== ownId && caselessForm(item.name.trim()) === form)
  if (other)
    throw new InvalidValues({
      name: t('There is already the category {name}.', { name: nameText(other.name, other.id) }),
    })
}

function fieldsOf({ name, description = '' }: Category): CategoryFields {
  return { name, description }
}

/** Returns the body of a request. An empty description becomes null, which removes it in a patch. */
function bodyOf({ name, description }: CategoryFields) {
  return { name, description: description.trim() === '' ? null : description }
}
