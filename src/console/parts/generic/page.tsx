import { Group, Skeleton, Stack, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { nameText } from '../../data/name-text.ts'
import { useSandboxName } from '../../data/sandbox.ts'
import { t } from '../../words/sentences.tsx'
import { Name } from '../names/names.tsx'

interface PageProps {
  /** A text of the console, or the name of a resource. */
  readonly title: string
  /** The id of the resource that the title names. */
  readonly id?: bigint
  /** Buttons next to the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The maximum number of characters of a heading in the normal size. */
const SHORT_CHARS_MAX = 40
/** The maximum number of characters of a heading in a medium size. A longer heading has the size of body text. */
const MEDIUM_CHARS_MAX = 100

/**
 * One view with its heading, which is also the title of the document. In a sandbox, the title also contains the name of
 * the sandbox.
 */
export function Page({ title, id, actions, children }: PageProps) {
  const text = nameText(title, id)
  const sandbox = useSandboxName()
  useEffect(() => {
    const parts = [text, ...(sandbox === undefined ? [] : [nameText(sandbox)]), 'Petstore']
    document.title = parts.join(' · ')
  }, [text, sandbox])
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Title order={1} size={sizeOf(title)} className="name">
          <Name name={title} {...(id !== undefined && { id })} />
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}

/** Returns the size of a heading: a long name must not fill a small screen. */
function sizeOf({ length }: string): 'h2' | 'h4' | 'h5' {
  if (length <= SHORT_CHARS_MAX) return 'h2'
  return length <= MEDIUM_CHARS_MAX ? 'h4' : 'h5'
}

export function PageSkeleton() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label={t('Loading')}>
      <Skeleton height={32} width={200} />
      <Skeleton height={320} />
    </Stack>
  )
}
