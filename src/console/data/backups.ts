import { makeCall } from '../../client/client.ts'
import { ApiError } from '../../client/petstore-client.ts'
import { t } from '../words/sentences.tsx'
import { type Change, InvalidValues } from './change.ts'
import { baseUrl } from './session.ts'
import { localDay } from './shop-zone.ts'
import { noteThrottle } from './throttle.ts'

/** Paths that are not in the OpenAPI description: only this page uses them. */
const operations = {
  state: { method: 'GET', path: '/console/backups' },
  make: { method: 'PUT', path: '/console/backups/{id}' },
  confirm: { method: 'PUT', path: '/console/backups/{id}/saved', empty: true },
} as const

export interface BackupState {
  /** When the last backup began; null if none is known. */
  readonly lastBackupAt: string | null
  /** When the store got its first key. */
  readonly since: string | null
  /** When the store was restored from a backup; null if it never was. */
  readonly restoredAt: string | null
  /** Whether a restored store needs its secret key, which no file for a browser contains. */
  readonly hasSecrets: boolean
  readonly isFileOffered: boolean
  readonly engine: 'sqlite' | 'postgres'
}

/** A backup that this browser has received. */
interface ReceivedBackup {
  readonly isAuditIntact: boolean
  readonly file: Blob
  readonly name: string
}

/** Returns what the store knows about its backups; null if it makes none, as a sandbox. */
export async function readBackupState(key: string): Promise<BackupState | null> {
  try {
    // Safe: the store responds with this type.
    return (await makeCall({ baseUrl, key })('state', operations.state, {})).data as BackupState
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/**
 * Returns a change that makes a backup, receives it, passes it to `save`, and then records it: a download that is cut
 * is no backup. The file is made once, however often the change is sent.
 */
export function backupChange(
  key: string,
  save: (received: ReceivedBackup) => void,
): Change<Pick<ReceivedBackup, 'isAuditIntact'>> {
  let received: ReceivedBackup | undefined
  return {
    isRepeatable: true,
    send: async ({ signal, idempotencyKey }) => {
      const call = makeCall({ baseUrl, key, timeoutMs: Number.POSITIVE_INFINITY, onRetry: noteThrottle })
      const id = idempotencyKey.replaceAll(/\W+/g, '-')
      if (received === undefined) {
        const { data } = await call('make', operations.make, { id }, { signal }).catch(error =>
          reword(error, 'overloaded', t('Another backup is being made. Try again in a minute.')),
        )
        // Safe: the store responds with this type.
        const { at, isAuditIntact } = data as { at: string; isAuditIntact: boolean }
        const headers = { Authorization: `Bearer ${key}` }
        const file = await fetch(`${baseUrl}/console/backups/${id}`, { headers, signal })
          .then(response => (response.ok ? response.blob() : undefined))
          .catch(() => signal.throwIfAborted())
        if (!file) throw new InvalidValues({ backup: CUT_OFF })
        received = { isAuditIntact, file, name: `petstore-backup-${localDay(Date.parse(at))}.db` }
        save(received)
      }
      await call('confirm', operations.confirm, { id }, { signal }).catch(error =>
        // The store was restarted meanwhile, or made another backup.
        reword(error, 'route_not_found', t('The store did not record this backup. Save another one.')),
      )
      return received
    },
  }
}

const CUT_OFF = t('The download was cut off, so it is no backup. Save it again.')

/** Throws a refusal with this code with another sentence, and any other error as it is. */
function reword(error: unknown, code: string, sentence: string): never {
  throw error instanceof ApiError && error.code === code ? new InvalidValues({ backup: sentence }) : error
}
