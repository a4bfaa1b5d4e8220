import { Alert, Button, Group, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** One field, with its value in the form and its value in the store. */
export interface Difference {
  readonly label: string
  readonly mine: ReactNode
  readonly theirs: ReactNode
}

interface ConflictProps {
  readonly differences: readonly Difference[]
  /** Puts the values of the store into the form. */
  readonly onTakeTheirs: () => void
  /** Keeps the values of the form. The next submit applies them to the current version. */
  readonly onKeepMine: () => void
}

/** Reports that someone else changed the resource while it was edited, and asks which values to use. Saves nothing. */
export function Conflict({ differences, onTakeTheirs, onKeepMine }: ConflictProps) {
  return (
    <Alert color="yellow" role="alert" title="Someone else changed this meanwhile">
      <Text size="sm" mb="xs">
        Nothing was saved. Choose which values to use, then save again.
      </Text>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Field</Table.Th>
            <Table.Th>Yours</Table.Th>
            <Table.Th>In the store</Table.Th>
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
      <Group mt="sm">
        <Button size="xs" variant="default" onClick={onTakeTheirs}>
          Use the values in the store
        </Button>
        <Button size="xs" variant="default" onClick={onKeepMine}>
          Keep my values
        </Button>
      </Group>
    </Alert>
  )
}
