import { Button, type ButtonProps } from '@mantine/core'
import type { MouseEvent } from 'react'

interface ActButtonProps extends Omit<ButtonProps, 'loading'> {
  readonly isRunning?: boolean
  readonly onAct: () => void
}

/** A button that makes a change at once, without a dialog. */
export function ActButton({ isRunning = false, onAct, ...props }: ActButtonProps) {
  // The first click of a double click may have been answered before the second, so that both would count.
  const onClick = ({ detail }: MouseEvent): void => {
    if (detail <= 1) onAct()
  }
  return <Button {...props} loading={isRunning} onClick={onClick} />
}
