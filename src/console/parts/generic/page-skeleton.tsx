import { Skeleton, Stack } from '@mantine/core'

export function PageSkeleton() {
  return (
    <Stack gap="lg" aria-busy="true" aria-label="Loading">
      <Skeleton height={32} width={200} />
      <Skeleton height={320} />
    </Stack>
  )
}
