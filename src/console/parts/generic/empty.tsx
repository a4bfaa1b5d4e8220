import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../words/sentences.tsx'

interface EmptyProps {
  readonly title: string
  /** What the user can do next. */
  readonly children: ReactNode
}

/** Replaces a list whose first day is after its last day. */
export function ReversedDays() {
  return <Empty title={t('The days are reversed')}>{t('The day in “From” is after the day in “To”.')}</Empty>
}

/** A message that says why a list is empty, and what to do next. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <Paper withBorder p="xl">
      <Stack gap="xs" align="center">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed" ta="center" component="div">
          {children}
        </Text>
      </Stack>
    </Paper>
  )
}
