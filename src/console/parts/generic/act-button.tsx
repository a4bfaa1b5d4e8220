import { Button, type ButtonProps } from '@mantine/core'
import type { MouseEvent, Ref } from 'react'
import type { Changing } from '../../data/change.ts'

interface ActButtonProps extends Omit<ButtonProps, 'loading'> {
  /** The change that the button makes. */
  readonly change?: Pick<Changing<unknown>, 'isRunning' | 'unknown'>
  readonly onAct: () => void
  readonly title?: string
  readonly 'aria-keyshortcuts'?: string
  readonly ref?: Ref<HTMLButtonElement>
}

/** A button that makes a change at once, without a dialog. */
export function ActButton({ change, disabled = false, onAct, ...props }: ActButtonProps) {
  // The response to the first click of a double click may arrive before the second click, which would then count too.
  const onClick = ({ detail }: MouseEvent): void => {
    if (detail <= 1) onAct()
  }
  return (
    <Button
      {...props}
      loading={change?.isRunning ?? false}
      disabled={disabled || change?.unknown !== undefined}
      onClick={onClick}
    />
  )
}
