import { Alert, Anchor, Button, Group, Text } from '@mantine/core'
import type { Changing } from '../../data/change.ts'
import { basePath } from '../../data/session.ts'
import { t } from '../../words/sentences.tsx'
import { focusOnce } from './focus-return.ts'

/** A view of the console that shows whether a change was made. */
export interface Look {
  readonly path: string
  /** What is there to see: `the newest orders`. */
  readonly what: string
}

interface UnknownAlertProps {
  readonly change: Pick<Changing<unknown>, 'unknown' | 'sendAgain' | 'giveUp'>
  readonly look: Look
}

/** Says that the outcome of a change is not known, and what the user can do. Shows nothing if it is known. */
export function UnknownAlert({ change: { unknown, sendAgain, giveUp }, look }: UnknownAlertProps) {
  if (!unknown) return null
  const { isRepeatable } = unknown
  return (
    <Alert color="yellow" role="alert" title={t('It is not known whether the change was made')}>
      <Text size="sm">
        {isRepeatable
          ? t('The store did not respond. Send the change again: the store makes it only once.')
          : t(
              'The store did not respond. The change may have been made, and another one would be made too.',
            )}{' '}
        {/* In another tab, so that this page keeps the change. The opener passes its key on. */}
        <Anchor
          href={`${basePath}/console${look.path}`}
          target="_blank"
          rel="opener"
          underline="always"
          c="var(--mantine-color-text)"
        >
          {t('See {what}', { what: look.what })}
        </Anchor>
      </Text>
      <Group mt="sm" gap="xs">
        {isRepeatable && (
          <Button size="xs" onClick={sendAgain} ref={focusOnce}>
            {t('Send again')}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={giveUp}>
          {t('Start a new change')}
        </Button>
      </Group>
    </Alert>
  )
}
