import { Button, type ButtonProps } from '@mantine/core'
import { t } from '../../words/sentences.tsx'

interface RowButtonProps extends ButtonProps {
  readonly label: string
  /** The name of the resource, for screen readers: the buttons of all rows have the same label. */
  readonly subject: string
  readonly 'aria-busy'?: boolean
  readonly onClick: () => void
}

export function RowButton({ label, subject, ...props }: RowButtonProps) {
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={t('{label} {subject}', { label, subject })}
      {...props}
    >
      {label}
    </Button>
  )
}
