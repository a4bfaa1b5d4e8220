import { Alert } from '@mantine/core'
import { connection } from '../../data/connection.ts'
import { POLL_MS } from '../../data/live.ts'
import { t } from '../../words/sentences.tsx'

export function ConnectionAlert() {
  const isGone = connection.isGone.use()
  if (!connection.isLost.use()) return null
  if (isGone) {
    return (
      <Alert color="yellow" mb="md" role="status" title={t('This sandbox no longer exists')}>
        {t('It was deleted, or it has expired. Nothing that you do here is kept.')}
      </Alert>
    )
  }
  return (
    <Alert color="yellow" mb="md" role="status" title={t('The store does not respond')}>
      {t('It may be restarting. This page tries again every two seconds and reconnects automatically.')}
    </Alert>
  )
}

export function SilentStream() {
  return (
    <Alert color="yellow" role="status" title={t('Nothing arrives live')}>
      {t(
        'The stream of the store is silent: a proxy may hold it back, or this browser follows other stores. This page reads its data every {seconds} seconds instead.',
        { seconds: String(POLL_MS / 1000) },
      )}
    </Alert>
  )
}
