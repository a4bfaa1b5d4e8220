import { Group, Paper, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface PanelProps {
  readonly title: string
  /** A link next to the title, such as to the whole list. */
  readonly link?: ReactNode
  readonly children: ReactNode
}

export function Panel({ title, link, children }: PanelProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title} miw={0}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {link}
      </Group>
      {children}
    </Paper>
  )
}
