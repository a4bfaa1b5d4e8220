import { Text } from '@mantine/core'
import { isVisible, nameText, withoutIsolates } from '../../data/name-text.ts'

interface NameProps {
  readonly name: string
  /** The id of the resource. It is part of the text that is shown instead of an invisible name. */
  readonly id?: bigint
}

/** A name that someone entered. It does not change the direction of the text around it, and is never invisible. */
export function Name({ name, id }: NameProps) {
  if (isVisible(name)) return <bdi>{withoutIsolates(name)}</bdi>
  return (
    <Text component="span" inherit c="dimmed">
      {nameText(name, id)}
    </Text>
  )
}
