import { Group, Stack, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

interface PageProps {
  readonly title: string
  /** Buttons next to the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** One view with its heading, which is also the title of the document. */
export function Page({ title, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Petstore`
  }, [title])
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Title order={1} size="h2" className="name">
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
