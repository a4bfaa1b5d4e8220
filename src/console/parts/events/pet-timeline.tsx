import { Stack, Title } from '@mantine/core'
import { t } from '../../words/sentences.tsx'
import { Empty } from '../generic/empty.tsx'
import { Diary } from './diary.tsx'

/** All changes of a pet, its stock and its orders, newest first. */
export function PetTimeline({ petId }: { readonly petId: bigint }) {
  return (
    <Stack component="section" aria-label={t('History')}>
      <Title order={2} size="h4">
        {t('History')}
      </Title>
      <Diary
        label={t('History')}
        cursorName="history"
        filters={{ petId }}
        empty={<Empty title={t('No history')}>{t('The audit log contains no change of this pet.')}</Empty>}
      />
    </Stack>
  )
}
