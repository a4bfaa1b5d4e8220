import { Button, Center, Code, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type SubmitEvent, useEffect, useState } from 'react'
import { isKeyRefused } from '../data/query-client.ts'
import { findKey, forgetKey, type Session, signIn } from '../data/session.ts'
import { Brand } from '../parts/brand.tsx'
import { sentenceOf } from '../parts/refusal.tsx'

interface SignInProps {
  readonly onSignedIn: (session: Session) => void
}

// Read as soon as the script runs, because this also removes the key from the address. Used only once: after a
// sign-out, the page must ask for a key.
let foundKey = findKey()

/** Asks for a key, unless the address or the session storage of the tab contains one. */
export function SignIn({ onSignedIn }: SignInProps) {
  const [key, setKey] = useState('')
  const [isBusy, setIsBusy] = useState(foundKey !== undefined)
  const [problem, setProblem] = useState<string>()

  const enter = async (given: string): Promise<void> => {
    setIsBusy(true)
    setProblem(undefined)
    try {
      onSignedIn(await signIn(given.trim()))
    } catch (error) {
      if (isKeyRefused(error)) forgetKey()
      setProblem(sentenceOf(error))
    } finally {
      setIsBusy(false)
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: only the key that the page was opened with
  useEffect(() => {
    document.title = 'Sign in · Petstore'
    if (foundKey !== undefined) void enter(foundKey)
    foundKey = undefined
  }, [])

  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    void enter(key)
  }

  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={440}>
        <form onSubmit={submit}>
          <Stack>
            <Title order={1} size="h2">
              <Brand />
            </Title>
            <Text>Sign in with a key of this store.</Text>
            <PasswordInput
              label="Key"
              placeholder="pst_…"
              value={key}
              onChange={event => setKey(event.currentTarget.value)}
              error={problem}
              autoComplete="off"
              data-autofocus
              required
            />
            <Button type="submit" loading={isBusy} fullWidth>
              Sign in
            </Button>
            <Text size="sm" c="dimmed">
              The first start of the store writes an admin key to <Code>data/admin-key</Code>. Each start on a
              terminal prints a link that signs you in.
            </Text>
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}
