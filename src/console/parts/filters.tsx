import { SimpleGrid } from '@mantine/core'
import type { ReactNode } from 'react'

/** The filters of a list: in one row, or two next to each other on a small screen. */
export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }} spacing="sm" maw={960}>
      {children}
    </SimpleGrid>
  )
}
