import { Alert, Button, Group, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Edit } from '../../data/edit.ts'
import { t } from '../../words/sentences.tsx'

interface Difference {
  readonly label: string
  readonly mine: ReactNode
  readonly theirs: ReactNode
}

interface ConflictProps {
  readonly advice: string
  readonly mineHead: string
  readonly theirsHead: string
  readonly differences: readonly Difference[]
  readonly children?: ReactNode
}

/** Reports that someone else changed a resource since the dialog showed it, and that nothing was saved. */
function Conflict({ advice, mineHead, theirsHead, differences, children }: ConflictProps) {
  return (
    <Alert color="yellow" role="alert" title={t('Someone else changed this meanwhile')}>
      <Text size="sm" mb="xs">
        {advice}
      </Text>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('Field')}</Table.Th>
            <Table.Th>{mineHead}</Table.Th>
            <Table.Th>{theirsHead}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map(({ label, mine, theirs }) => (
            <Table.Tr key={label}>
              <Table.Td>{label}</Table.Td>
              <Table.Td className="name">{mine}</Table.Td>
              <Table.Td className="name">{theirs}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {children}
    </Alert>
  )
}

interface EditConflictProps<Value> {
  readonly edit: Edit<Value>
  /** Returns the fields to compare, with their values in the form and in the version in the store. */
  readonly differences: (theirs: Value) => readonly Difference[]
  /** Puts the version in the store into the form. */
  readonly onTakeTheirs: (theirs: Value) => void
}

/** Asks which values to use after a conflict. Once the user has chosen, says that nothing is saved yet. */
function EditConflict<Value>({ edit, differences, onTakeTheirs }: EditConflictProps<Value>) {
  const { theirs, accept } = edit
  if (!theirs) {
    return (
      <Text size="sm" role="status">
        {t('Nothing is saved yet. Save to store the values above.')}
      </Text>
    )
  }
  const takeTheirs = (): void => {
    onTakeTheirs(theirs.data)
    accept()
  }
  return (
    <Conflict
      advice={t('Nothing was saved. Choose which values to use, then save again.')}
      mineHead={t('Yours')}
      theirsHead={t('In the store')}
      differences={differences(theirs.data)}
    >
      <Group mt="sm">
        <Button size="xs" variant="default" onClick={takeTheirs}>
          {t('Use the values in the store')}
        </Button>
        <Button size="xs" variant="default" onClick={accept}>
          {t('Keep my values')}
        </Button>
      </Group>
    </Conflict>
  )
}

/** Returns what a dialog does after a conflict: it reads the version in the store, and asks which values to use. */
export function editConflict<Value>(props: EditConflictProps<Value>): {
  readonly read: () => Promise<void>
  readonly shown: ReactNode
} {
  return { read: props.edit.readTheirs, shown: <EditConflict {...props} /> }
}

type Fact = readonly [label: string, text: string]

interface ChangedFactsProps {
  /** What the user saw before. Both lists have the same labels in the same order. */
  readonly before: readonly Fact[]
  readonly now: readonly Fact[]
}

/** Shows the facts whose texts differ, so that the user decides again. */
export function ChangedFacts({ before, now }: ChangedFactsProps) {
  const facts = before.map(([label, mine], index) => ({ label, mine, theirs: now[index]?.[1] ?? '' }))
  return (
    <Conflict
      advice={t('Nothing was done. Check what has changed, then decide again.')}
      mineHead={t('Before')}
      theirsHead={t('Now')}
      differences={facts.filter(({ mine, theirs }) => mine !== theirs)}
    />
  )
}
