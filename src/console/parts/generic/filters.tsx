import { SimpleGrid } from '@mantine/core'
import type { ReactNode } from 'react'

/** The filters of a list, in two to four columns depending on the width of the screen. */
export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }} spacing="sm" maw={960}>
      {children}
    </SimpleGrid>
  )
}
