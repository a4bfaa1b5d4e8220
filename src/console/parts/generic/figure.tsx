import { Card, Skeleton, Text, Title } from '@mantine/core'
import { formatCount } from '../names/format.ts'

interface FigureProps {
  readonly label: string
  /** Undefined while the number is loading. */
  readonly count: bigint | undefined
}

export function Figure({ label, count }: FigureProps) {
  return (
    <Card withBorder>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {count === undefined ? (
        <Skeleton height={36} width={80} />
      ) : (
        <Title order={2} component="p" fz="h2" lh="36px">
          {formatCount(count)}
        </Title>
      )}
    </Card>
  )
}
