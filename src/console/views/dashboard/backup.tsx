import { Alert, Anchor, Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DAY_MS } from '../../../values/time-zone.ts'
import { type BackupState, backupChange, readBackupState } from '../../data/backups.ts'
import { daysBetween } from '../../data/days.ts'
import { isSandbox } from '../../data/host-api.ts'
import { basePath } from '../../data/session.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { storeNowMs, today, useIsPast } from '../../data/shop-clock.ts'
import { localDay } from '../../data/shop-zone.ts'
import { downloadFile } from '../../parts/generic/download.ts'
import { type DialogProps, FormDialog } from '../../parts/generic/form-dialog.tsx'
import { Panel } from '../../parts/generic/panel.tsx'
import { formatDaysAgo, formatInstant } from '../../parts/names/format.ts'
import { Refusal } from '../../parts/names/refusal.tsx'
import { t } from '../../words/sentences.tsx'

/** An older backup is too old, in milliseconds. The command `petstore doctor` warns at the same age. */
const BACKUP_AGE_MAX_MS = 7 * DAY_MS
/** How long a new store may have no backup, in milliseconds. */
const NEW_STORE_MS = DAY_MS
/** How long the console explains the numbers of a restored store, in milliseconds. */
const RESTORED_MS = 30 * DAY_MS

/** How often the page asks for the last backup, in milliseconds. */
const REFRESH_MS = 600_000

interface BackupProps {
  /** Shows the backup only if one is due, or only if none is. */
  readonly isDue: boolean
}

/** Says an admin when the last backup was made, and offers to make one. */
export function Backup({ isDue }: BackupProps) {
  const { key } = useSession()
  const can = useCan()
  const { data, error, refetch } = useQuery({
    queryKey: ['backups'],
    queryFn: () => readBackupState(key),
    // A dashboard may be open for days, and a backup is no event.
    staleTime: 0,
    refetchInterval: REFRESH_MS,
    enabled: can('admin') && !isSandbox,
  })
  const [saving, setSaving] = useState<BackupState>()
  return (
    <>
      {data ? (
        <BackupPanel state={data} isDue={isDue} onSave={() => setSaving(data)} />
      ) : (
        !isDue && <Refusal error={error} onRetry={() => void refetch()} />
      )}
      {/* Outside the panel, which changes its place once a backup was made, although the dialog may not know it. */}
      {saving && <SaveBackup state={saving} onClose={() => setSaving(undefined)} />}
    </>
  )
}

interface BackupPanelProps extends BackupProps {
  readonly state: BackupState
  readonly onSave: () => void
}

function BackupPanel({ state, isDue, onSave }: BackupPanelProps) {
  const day = today.use()
  const { lastBackupAt, since } = state
  const isNew = !useIsPast(Date.parse(since ?? '') + NEW_STORE_MS)
  const isOld = useIsPast(Date.parse(lastBackupAt ?? '') + BACKUP_AGE_MAX_MS)
  const days = lastBackupAt === null ? undefined : daysBetween(localDay(Date.parse(lastBackupAt)), day)
  if (isDue !== (days === undefined ? !isNew : isOld)) return null
  const title =
    days === undefined ? t('No backup was ever made') : t('Last backup: {ago}', { ago: formatDaysAgo(days) })
  const content = <BackupContent state={state} onSave={onSave} />
  return isDue ? (
    <Alert color="yellow" role="status" title={title}>
      {content}
    </Alert>
  ) : (
    <Panel title={title}>{content}</Panel>
  )
}

function BackupContent({ state, onSave }: Omit<BackupPanelProps, 'isDue'>) {
  const { lastBackupAt, restoredAt, isFileOffered, engine } = state
  const isRestored = restoredAt !== null && storeNowMs() - Date.parse(restoredAt) < RESTORED_MS
  return (
    <>
      {lastBackupAt !== null && <Text size="sm">{formatInstant(lastBackupAt)}</Text>}
      {isRestored && (
        <Text size="sm">
          {t(
            'The shop was restored from a backup on {instant}. Its new numbers are 1,000,000 higher, so that none is given out twice.',
            { instant: formatInstant(restoredAt) },
          )}
        </Text>
      )}
      {!isFileOffered && (
        <Text size="sm">
          {engine === 'postgres'
            ? t('This shop is on PostgreSQL: the command “petstore backup” makes a backup.')
            : t('This shop is too large for a browser: the command “petstore backup” makes a backup.')}
        </Text>
      )}
      <Group mt="sm">
        {isFileOffered && (
          <Button variant="default" size="xs" onClick={onSave}>
            {t('Save a backup now')}
          </Button>
        )}
        <GuideLink anchor="back-up">{t('How to make one every night')}</GuideLink>
      </Group>
    </>
  )
}

function SaveBackup({ state, onClose }: DialogProps & { readonly state: BackupState }) {
  const { key } = useSession()
  return (
    <FormDialog
      name="save-backup"
      title={t('Save a backup now')}
      action={t('Save backup')}
      make={() => backupChange(key, ({ file, name }) => downloadFile(file, name))}
      done={({ isAuditIntact }) =>
        notifications.show(
          isAuditIntact
            ? { message: t('Backup saved') }
            : {
                color: 'yellow',
                autoClose: false,
                message: t('Backup saved, but the audit log was changed: keep an older backup, too.'),
              },
        )
      }
      look={{ path: '/', what: t('the dashboard') }}
      onClose={onClose}
    >
      <Text size="sm">
        {t(
          'The file has the whole shop: pets, orders, their references and the books. Keep it like a key, and not only on this machine.',
        )}
      </Text>
      {state.hasSecrets && (
        <Text size="sm">
          {t(
            'The key of the webhook secrets is not in it: keep a copy of the file “secret-key” of the data directory, too.',
          )}
        </Text>
      )}
      <GuideLink anchor="restore">{t('How to make a shop from it again')}</GuideLink>
    </FormDialog>
  )
}

function GuideLink({ anchor, children }: { readonly anchor: string; readonly children: string }) {
  return (
    <Anchor
      href={`${basePath}/docs/guide/running#${anchor}`}
      target="_blank"
      fz="sm"
      underline="always"
      c="var(--mantine-color-text)"
    >
      {children}
    </Anchor>
  )
}
