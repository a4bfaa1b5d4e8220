import { Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Category } from '../../../client/petstore-client.ts'
import { useEdit, type Version } from '../../data/edit.ts'
import { nameText } from '../../data/name-text.ts'
import { useSession } from '../../data/session-context.ts'
import { Name } from '../events/name.tsx'
import { EditConflict } from '../generic/conflict.tsx'
import { FormDialog } from '../generic/form-dialog.tsx'

interface CategoryFields {
  readonly name: string
  readonly description: string
}

interface CategoryInputsProps {
  readonly values: CategoryFields
  readonly onChange: (values: CategoryFields) => void
  readonly errors: Readonly<Record<string, string>>
}

function CategoryInputs({ values, onChange, errors }: CategoryInputsProps) {
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
      <Textarea
        label="Description"
        value={values.description}
        onChange={({ currentTarget }) => onChange({ ...values, description: currentTarget.value })}
        error={errors.description}
        autosize
        minRows={2}
        maxRows={8}
      />
    </>
  )
}

/** The dialog that adds a category. */
export function AddCategory({ onClose }: { readonly onClose: () => void }) {
  const { client } = useSession()
  const [values, setValues] = useState<CategoryFields>({ name: '', description: '' })
  return (
    <FormDialog
      title="Add a category"
      action="Add category"
      done={`${nameText(values.name)} was added.`}
      values={values}
      submit={sending => client.createCategory({ body: bodyOf(values) }, sending)}
      fields={{ name: 'Name', description: 'Description' }}
      onClose={onClose}
    >
      {errors => <CategoryInputs values={values} onChange={setValues} errors={errors} />}
    </FormDialog>
  )
}

interface EditCategoryProps {
  readonly category: Version<Category>
  readonly onClose: () => void
}

/** The dialog that edits a category. If someone else changed the category meanwhile, it asks which values to use. */
export function EditCategory({ category, onClose }: EditCategoryProps) {
  const { client } = useSession()
  const categoryId = category.data.id
  const [values, setValues] = useState(fieldsOf(category.data))
  const edit = useEdit(category, () => client.getCategory({ categoryId }))
  const differences = (theirs: Category) => [
    { label: 'Name', mine: values.name, theirs: theirs.name },
    { label: 'Description', mine: values.description, theirs: theirs.description ?? '' },
  ]
  return (
    <FormDialog
      title="Edit the category"
      action="Save"
      done={`${nameText(values.name)} was saved.`}
      values={values}
      submit={sending =>
        edit.save(ifMatch =>
          client.updateCategory({ categoryId, body: bodyOf(values) }, { ...sending, ifMatch }),
        )
      }
      fields={{ name: 'Name', description: 'Description' }}
      conflict={
        <EditConflict
          edit={edit}
          differences={differences}
          onTakeTheirs={theirs => setValues(fieldsOf(theirs))}
        />
      }
      onClose={onClose}
    >
      {errors => <CategoryInputs values={values} onChange={setValues} errors={errors} />}
    </FormDialog>
  )
}

interface DeleteCategoryProps {
  readonly category: Category
  readonly onClose: () => void
}

/** The dialog that deletes a category. The store refuses to delete a category that contains pets. */
export function DeleteCategory({ category: { id: categoryId, name }, onClose }: DeleteCategoryProps) {
  const { client } = useSession()
  return (
    <FormDialog
      title="Delete the category"
      action="Delete"
      done={`${nameText(name, categoryId)} was deleted.`}
      isDestructive
      submit={sending => client.deleteCategory({ categoryId }, sending)}
      onClose={onClose}
    >
      {() => (
        <Text size="sm" className="name">
          Delete the category <Name name={name} id={categoryId} />? Only an empty category can be deleted.
        </Text>
      )}
    </FormDialog>
  )
}

function fieldsOf({ name, description = '' }: Category): CategoryFields {
  return { name, description }
}

/** Returns the body of a request. An empty description becomes null, which removes it in a patch. */
function bodyOf({ name, description }: CategoryFields) {
  return { name, description: description.trim() === '' ? null : description }
}
