import { Skeleton, Stack } from '@mantine/core'

/** A placeholder for a view while its script or its data loads. */
export function PageSkeleton() {
  return (
    <Stack gap="lg" aria-busy="true" aria-label="Loading">
      <Skeleton height={32} width={200} />
      <Skeleton height={320} />
    </Stack>
  )
}
