import { Alert, Table, Text } from '@mantine/core'

/** One fact about a resource: its text before someone else changed the resource, and its text now. */
export interface ChangedFact {
  readonly label: string
  readonly before: string
  readonly now: string
}

/** Reports that a resource changed since the dialog showed it, so that the user decides again. Nothing was done. */
export function ChangedFacts({ facts }: { readonly facts: readonly ChangedFact[] }) {
  return (
    <Alert color="yellow" role="alert" title="Someone else changed this meanwhile">
      <Text size="sm" mb="xs">
        Nothing was done. Check what has changed, then decide again.
      </Text>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Field</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>Now</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {facts.map(({ label, before, now }) => (
            <Table.Tr key={label}>
              <Table.Td>{label}</Table.Td>
              <Table.Td className="name">{before}</Table.Td>
              <Table.Td className="name">{now}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Alert>
  )
}

/** Returns the facts whose texts differ. Both lists have the same labels in the same order. */
export function changedFacts(
  before: readonly (readonly [label: string, text: string])[],
  now: readonly (readonly [label: string, text: string])[],
): ChangedFact[] {
  return before
    .map(([label, text], index) => ({ label, before: text, now: now[index]?.[1] ?? '' }))
    .filter(fact => fact.before !== fact.now)
}
