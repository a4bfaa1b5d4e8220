import { Group, Paper, Text } from '@mantine/core'
import { Fragment } from 'react'

interface State {
  readonly name: string
  /** How a resource gets into this state from the previous state. */
  readonly reachedBy?: string
}

interface StateDiagramProps {
  /** The name of the diagram, for screen readers: `States of the order`. */
  readonly label: string
  readonly states: readonly State[]
  readonly current: string
}

export function StateDiagram({ label, states, current }: StateDiagramProps) {
  return (
    <Group component="ol" gap="xs" p={0} m={0} aria-label={label} style={{ listStyle: 'none' }}>
      {states.map(({ name, reachedBy }) => (
        <Fragment key={name}>
          {reachedBy && (
            <Text component="li" size="xs" c="dimmed">
              → {reachedBy} →
            </Text>
          )}
          <Paper
            component="li"
            withBorder
            px="sm"
            py={4}
            aria-current={name === current ? 'step' : undefined}
            bg={name === current ? 'var(--mantine-primary-color-light)' : 'transparent'}
          >
            <Text size="sm" fw={name === current ? 700 : 400}>
              {name}
            </Text>
          </Paper>
        </Fragment>
      ))}
    </Group>
  )
}
