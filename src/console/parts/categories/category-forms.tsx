import { Text, Textarea } from '@mantine/core'
import type { Category, Client } from '../../../client/petstore-client.ts'
import { caselessForm } from '../../../values/same-name.ts'
import { InvalidValues, request } from '../../data/change.ts'
import { useEdit, type Version } from '../../data/edit.ts'
import { isVisible, nameText } from '../../data/name-text.ts'
import { useSession } from '../../data/session-context.ts'
import { rich, t } from '../../words/sentences.tsx'
import { editConflict } from '../generic/conflict.tsx'
import { type DialogProps, type FieldOf, FormDialog, useForm } from '../generic/form-dialog.tsx'
import { TextField } from '../generic/text-field.tsx'
import type { Look } from '../generic/unknown-alert.tsx'
import { Name } from '../names/names.tsx'

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
