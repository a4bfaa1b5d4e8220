import {
  Alert,
  Button,
  Center,
  Checkbox,
  Code,
  Paper,
  PasswordInput,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { ApiError, ConnectionError } from '../../client/petstore-client.ts'
import { connection, watchedFetch } from '../data/connection.ts'
import { isSandbox } from '../data/host-api.ts'
import { isKeyRefused } from '../data/query-client.ts'
import {
  findStoredKey,
  forgetKey,
  isHandoverCode,
  NotAKey,
  rememberKey,
  type Session,
  settleLinkKey,
  signIn,
} from '../data/session.ts'
import { ConnectionAlert } from '../parts/generic/alerts.tsx'
import { Brand } from '../parts/generic/brand.tsx'
import { LanguageMenu } from '../parts/generic/language-menu.tsx'
import { sentenceOf } from '../parts/names/refusal.tsx'
import { rich, t } from '../words/sentences.tsx'

/** Why the console asks for a key, and the key to try first. */
export interface Entrance {
  /** The key that the browser stores, or the one from the address. */
  readonly key?: string | undefined
  /** The key from the address, which is tried if the browser stores no key, or if that is refused. */
  readonly linkKey?: string | undefined
  /** Why the last session ended, if the user did not end it. */
  readonly reason?: string
}

interface SignInProps {
  /** Compared by identity: a new object starts a new attempt to sign in, even with the same values. */
  readonly entrance: Entrance
  readonly onSignedIn: (session: Session) => void
}

/** The form for the key. It tries the key of the entrance first, if there is one. */
export function SignIn({ entrance, onSignedIn }: SignInProps) {
  const [key, setKey] = useState('')
  const [isKept, setIsKept] = useState(false)
  const firstKey = entrance.key ?? entrance.linkKey
  const [isBusy, setIsBusy] = useState(firstKey !== undefined)
  const [problem, setProblem] = useState<string>()
  const isClaiming = isBusy && key === '' && firstKey !== undefined && isHandoverCode(firstKey)
  const field = useRef<HTMLInputElement>(null)
  const lastAttempt = useRef(0)

  const enter = async (given: string): Promise<void> => {
    const attempt = ++lastAttempt.current
    const isLast = (): boolean => attempt === lastAttempt.current
    setIsBusy(true)
    setProblem(undefined)
    // A key that was typed or copied from paper can have gaps.
    const token = given.replaceAll(/\s/g, '')
    const result = await resultOf(token, given === key, isLast)
    // The user may have opened a link with another key meanwhile.
    if (!isLast()) return
    const { linkKey = given } = entrance
    if ('error' in result && isRefusal(result.error) && given === entrance.key && given !== linkKey)
      return await enter(linkKey)
    setIsBusy(false)
    if (!('error' in result)) {
      const place = isKept && given === key ? 'computer' : 'tab'
      // A key that is kept on this computer stays there, and is not copied to the tab.
      if (place === 'computer' || findStoredKey() !== result.key) rememberKey(result.key, place)
      return onSignedIn(result)
    }
    setProblem(problemOf(result.error))
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: each entrance is tried once
  useEffect(() => {
    document.title = t('Sign in · Petstore')
    field.current?.focus()
    if (firstKey !== undefined) void enter(firstKey)
  }, [entrance])

  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    void enter(key)
  }

  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={440}>
        <ConnectionAlert />
        {isClaiming && <Text role="status">{t('Signing in…')}</Text>}
        <form onSubmit={submit} hidden={isClaiming}>
          <Stack>
            <Title order={1} size="h2">
              <Brand />
            </Title>
            {entrance.reason && (
              <Alert color="yellow" role="alert" title={t('You were signed out')}>
                {entrance.reason}
              </Alert>
            )}
            <Text>{t('Sign in with a key of this store.')}</Text>
            <PasswordInput
              ref={field}
              label={t('Key')}
              placeholder="pst_…"
              value={key}
              onChange={event => setKey(event.currentTarget.value)}
              error={problem}
              autoComplete="off"
              required
            />
            <Checkbox
              label={t('Keep me signed in on this computer')}
              description={KEPT_KEY_HELP}
              checked={isKept}
              onChange={event => setIsKept(event.currentTarget.checked)}
            />
            <Button type="submit" loading={isBusy} fullWidth>
              {t('Sign in')}
            </Button>
            {isSandbox ? <SandboxKeyHelp /> : <ShopKeyHelp />}
            <LanguageMenu />
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}

const KEPT_KEY_HELP = t(
  'The key is stored on this computer until you sign out. Everyone who uses your account on this computer can use the key. Without the tick, the key is forgotten when you close the tab.',
)

/**
 * Returns a session with a key, or why there is none. A key that nobody typed is tried again while the store does not
 * respond: who uses the page may not know it.
 */
async function resultOf(
  token: string,
  isTyped: boolean,
  isLast: () => boolean,
): Promise<Session | { readonly error: unknown }> {
  for (;;) {
    const result = await signIn(token, watchedFetch).catch((error: unknown) => ({ error }))
    if (!('error' in result)) {
      settleLinkKey(token)
      return result
    }
    if (isRefusal(result.error)) {
      settleLinkKey(token)
      forgetKey(token)
    }
    if (isTyped || !isSilence(result.error)) return result
    await connection.untilRestored()
    if (!isLast()) return result
  }
}

function isRefusal(error: unknown): boolean {
  return isKeyRefused(error) || error instanceof NotAKey
}

/** Returns whether an error says that the store does not respond, or that a proxy does in its place. */
function isSilence(error: unknown): boolean {
  return (
    error instanceof ConnectionError || (error instanceof ApiError && [502, 503, 504].includes(error.status))
  )
}

function problemOf(error: unknown): string {
  if (error instanceof NotAKey) return error.message
  const sentence = sentenceOf(error)
  return isSandbox && isKeyRefused(error)
    ? `${sentence} ${t('The key may belong to another sandbox.')}`
    : sentence
}

function SandboxKeyHelp() {
  return (
    <Text size="sm" c="dimmed">
      {t(
        'The key is on the sheet that you were given, or on the web page where the sandbox was created. A lost key cannot be shown again: create another sandbox.',
      )}
    </Text>
  )
}

function ShopKeyHelp() {
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('Without a key, or if you have lost it, ask the owner of the shop for a new one.')}
      </Text>
      <Text size="sm" c="dimmed" component="details">
        <summary>{t('For the owner')}</summary>
        {rich(
          'The first start of the store writes an admin key to the file {file} in the data directory ({path} by default), and each start on a terminal prints a link that signs you in. If the admin key comes from a setting, use that key.',
          { file: <Code>admin-key</Code>, path: <Code>data/admin-key</Code> },
        )}{' '}
        {rich(
          'Lost the key? Stop the store, run {command}, and start it again. If the store uses another data directory, add {option}.',
          {
            command: <Code>npm run petstore -- keys reset-admin</Code>,
            option: <Code>--data DIR</Code>,
          },
        )}
      </Text>
    </>
  )
}
