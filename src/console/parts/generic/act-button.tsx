import { Button, type ButtonProps } from '@mantine/core'
import type { MouseEvent } from 'react'

interface ActButtonProps extends Omit<ButtonProps, 'loading'> {
  readonly isRunning?: boolean
  readonly onAct: () => void
}

/** A button that makes a change at once, without a dialog. */
export function ActButton({ isRunning = false, onAct, ...props }: ActButtonProps) {
  // The response to the first click of a double click may arrive before the second click, which would then count too.
  const onClick = ({ detail }: MouseEvent): void => {
    if (detail <= 1) onAct()
  }
  return <Button {...props} loading={isRunning} onClick={onClick} />
}
