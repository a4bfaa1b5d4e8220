import { Text } from '@mantine/core'
import type { Edit } from '../../data/edit.ts'
import { Conflict, type Difference } from './conflict.tsx'

interface EditConflictProps<Value> {
  readonly edit: Edit<Value>
  /** Returns the fields to compare, with their values in the form and in the version in the store. */
  readonly differences: (theirs: Value) => readonly Difference[]
  /** Puts the version in the store into the form. */
  readonly onTakeTheirs: (theirs: Value) => void
}

/** Asks which values to use after a conflict. Once the user has chosen, says that nothing is saved yet. */
export function EditConflict<Value>({ edit, differences, onTakeTheirs }: EditConflictProps<Value>) {
  const { theirs, accept } = edit
  if (!theirs) {
    return (
      <Text size="sm" role="status">
        Nothing is saved yet. Save to store the values above.
      </Text>
    )
  }
  return (
    <Conflict
      differences={differences(theirs.data)}
      onTakeTheirs={() => {
        onTakeTheirs(theirs.data)
        accept()
      }}
      onKeepMine={accept}
    />
  )
}
