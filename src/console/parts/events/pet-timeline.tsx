import { Stack, Title } from '@mantine/core'
import { Empty } from '../generic/empty.tsx'
import { Diary } from './diary.tsx'

/** All changes of a pet, its stock and its orders, newest first. */
export function PetTimeline({ petId }: { readonly petId: bigint }) {
  return (
    <Stack component="section" aria-label="History">
      <Title order={2} size="h4">
        History
      </Title>
      <Diary
        label="History"
        cursorName="history"
        filters={{ petId }}
        empty={<Empty title="No history">The audit log contains no change of this pet.</Empty>}
      />
    </Stack>
  )
}
