import { Group } from '@mantine/core'
import { t } from '../../words/sentences.tsx'

/** The name of the product with a paw. The paw is drawn here, because not every system has a paw emoji. */
export function Brand() {
  return (
    <Group gap="xs" wrap="nowrap" component="span">
      <svg viewBox="0 0 32 32" width="1.2em" fill="var(--mantine-primary-color-filled)" aria-hidden="true">
        <ellipse cx="16" cy="22" rx="8" ry="7" />
        <circle cx="6" cy="13" r="3.5" />
        <circle cx="12.5" cy="7" r="3.5" />
        <circle cx="19.5" cy="7" r="3.5" />
        <circle cx="26" cy="13" r="3.5" />
      </svg>
      <span className="brand-name">{t('Petstore')}</span>
    </Group>
  )
}
