import {
  Alert,
  Anchor,
  AppShell,
  Burger,
  Button,
  type ButtonProps,
  Group,
  NavLink,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, Suspense, useCallback, useEffect, useEffectEvent, useState } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { connection } from './data/connection.ts'
import { isSandbox } from './data/host-api.ts'
import { importRun } from './data/import-run.ts'
import { useLiveUpdates } from './data/live.ts'
import { isKeyRefused, onKeyRefused } from './data/query-client.ts'
import { useSandboxName } from './data/sandbox.ts'
import {
  basePath,
  currentSession,
  findLinkKey,
  findStoredKey,
  forgetKey,
  type KeyPlace,
  onKeptKeyDeleted,
  type Session,
  settleLinkKey,
  takeLinkKey,
} from './data/session.ts'
import { SessionContext, useCan, useSession } from './data/session-context.ts'
import { version } from './data/shop-name.ts'
import { shopZone } from './data/shop-zone.ts'
import { throttleSeconds } from './data/throttle.ts'
import { ConnectionAlert } from './parts/generic/alerts.tsx'
import { Boundary } from './parts/generic/boundary.tsx'
import { Brand } from './parts/generic/brand.tsx'
import { LanguageMenu } from './parts/generic/language-menu.tsx'
import { OtherKey } from './parts/generic/other-key.tsx'
import { PageSkeleton } from './parts/generic/page.tsx'
import { useUnloadWarning } from './parts/generic/unload-warning.ts'
import { Name } from './parts/names/names.tsx'
import { sentenceOf } from './parts/names/refusal.tsx'
import { Reserve } from './parts/orders/reserve.tsx'
import { Sell } from './parts/orders/sell.tsx'
import { HeaderSearch } from './parts/pets/header-search.tsx'
import { NoAccess } from './views/no-access.tsx'
import { NotFound } from './views/not-found.tsx'
import { type Entrance, SignIn } from './views/sign-in.tsx'
import { sandboxViews, views } from './views/views.ts'
import { rich, t } from './words/sentences.tsx'

// The script reads the key as soon as it runs, because `takeLinkKey` also removes the key from the address.
const firstLinkKey = takeLinkKey() ?? findLinkKey()
const storedKey = findStoredKey()

const allViews = isSandbox ? [...views, ...sandboxViews] : views

/** The console: the sign-in page, and after sign-in the frame with the view that the address selects. */
export function App() {
  const [session, setSession] = useState<Session>()
  const [entrance, setEntrance] = useState<Entrance>({ key: storedKey, linkKey: firstLinkKey })
  const [linkKey, setLinkKey] = useState(firstLinkKey)
  const queries = useQueryClient()
  const usedKey = session?.key ?? entrance.key
  const leave = useCallback(
    (next: Entrance, places?: readonly KeyPlace[]): void => {
      forgetKey(usedKey, places)
      if (next.key === undefined) settleLinkKey()
      queries.clear()
      currentSession.client = undefined
      importRun.set(undefined)
      // A sale can be undone in its note, with the key that sold.
      notifications.clean()
      setLinkKey(undefined)
      setSession(undefined)
      setEntrance(next)
    },
    [queries, usedKey],
  )
  useLinkInAddress(key => {
    if (!session) leave({ key })
    else if (key === session.key || key === session.code) settleLinkKey(key)
    else setLinkKey(key)
  })
  useRefusedKey(session, leave)
  useEffect(
    () =>
      session && onKeptKeyDeleted(session.key, () => leave({ reason: t('You signed out in another tab.') })),
    [leave, session],
  )
  const begin = (next: Session): void => {
    currentSession.client = next.client
    setSession(next)
  }
  if (!session) {
    return (
      <>
        <ThrottleAlert />
        <SignIn entrance={entrance} onSignedIn={begin} />
      </>
    )
  }
  return (
    <SessionContext value={{ ...session, signOut: () => leave({}) }}>
      <Frame session={session} />
      {linkKey !== undefined && linkKey !== session.key && linkKey !== session.code && (
        <OtherKey
          onUse={() => leave({ key: linkKey }, ['tab'])}
          onClose={() => {
            settleLinkKey(linkKey)
            setLinkKey(undefined)
          }}
        />
      )}
    </SessionContext>
  )
}

/** Ends the session when the store refuses its key. */
function useRefusedKey(session: Session | undefined, leave: (next: Entrance) => void): void {
  useEffect(() => {
    if (!session) return
    let isOver = false
    let isChecking = false
    // The request of a change may be one of a session before this one.
    const check = async (): Promise<void> => {
      if (isChecking) return
      isChecking = true
      try {
        await session.client.getCurrentKey({})
      } catch (error) {
        if (isKeyRefused(error) && !isOver) leave({ reason: sentenceOf(error) })
      }
      isChecking = false
    }
    const ignoreRefusals = onKeyRefused((error, isCertain) => {
      if (isCertain) leave({ reason: sentenceOf(error) })
      else void check()
    })
    return () => {
      isOver = true
      ignoreRefusals()
    }
  }, [leave, session])
}

/** Calls `onKey` with the key of a link that differs from the address only in the fragment: it loads no page. */
function useLinkInAddress(onKey: (key: string) => void): void {
  const onFragment = useEffectEvent(() => {
    const key = takeLinkKey()
    if (key !== undefined) onKey(key)
  })
  useEffect(() => {
    const listener = (): void => onFragment()
    addEventListener('hashchange', listener)
    return () => removeEventListener('hashchange', listener)
  }, [])
}

function Frame({ session }: { readonly session: Session }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const [location] = useLocation()
  const can = useCan()
  const sandbox = useSandboxName()
  const shownViews = allViews.filter(({ scope }) => scope === undefined || can(scope))
  const queries = useQueryClient()
  useLiveUpdates(session)
  // A reload would leave a part of the list in the store, also from another view.
  useUnloadWarning(importRun.use()?.isRunning === true)
  useEffect(() => connection.onRestored(() => void queries.invalidateQueries()), [queries])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the view closes the menu on a small screen
  useEffect(close, [location, close])
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a className="skip-link" href="#main">
        {t('Skip to content')}
      </a>
      <AppShell.Header>
        <Group h="100%" px={{ base: 'xs', sm: 'md' }} justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="md" size="sm" aria-label={t('Menu')} />
            <Anchor
              component={Link}
              href="/"
              fw={700}
              c="var(--mantine-color-text)"
              underline="never"
              aria-label={t('Petstore')}
            >
              <Brand />
            </Anchor>
            {sandbox !== undefined && (
              <Text size="sm" truncate title={sandbox}>
                <Name name={sandbox} />
              </Text>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap" miw={{ base: 'max-content', sm: 0 }}>
            <HeaderSearch takesScans visibleFrom="sm" w={260} miw={100} />
            <SellButton />
            <ReserveButton visibleFrom="sm" />
            <HelpLink />
            <KeyMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        <HeaderSearch hiddenFrom="sm" mb="xs" />
        <ReserveButton hiddenFrom="sm" mb="xs" />
        <nav aria-label={t('Views')}>
          {shownViews.map(({ path, label }) => (
            <NavLink
              key={path}
              component={Link}
              href={path}
              label={label}
              active={path === '/' ? location === '/' : location.startsWith(path)}
              aria-current={location === path ? 'page' : undefined}
            />
          ))}
        </nav>
        <Group mt="auto" justify="space-between" wrap="nowrap">
          <LanguageMenu />
          <SchemeButton hiddenFrom="sm" />
        </Group>
        <Text size="xs" c="dimmed" p="xs">
          {t('Times are those of {zone}. Petstore {version}.', { zone: shopZone, version })}
        </Text>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <ConnectionAlert />
        <ThrottleAlert />
        <Boundary key={location}>
          <Suspense fallback={<PageSkeleton />}>
            <Switch>
              {allViews.flatMap(({ routes, label, scope }) =>
                routes.map(({ path, view: View }) => (
                  <Route key={path} path={path}>
                    {parameters =>
                      scope === undefined || can(scope) ? (
                        <View id={'id' in parameters ? String(parameters.id) : ''} />
                      ) : (
                        <NoAccess title={label} scope={scope} />
                      )
                    }
                  </Route>
                )),
              )}
              <Route>
                <NotFound />
              </Route>
            </Switch>
          </Suspense>
        </Boundary>
      </AppShell.Main>
    </AppShell>
  )
}

function SellButton() {
  const can = useCan()
  const [isSelling, selling] = useDisclosure(false)
  if (!can('orders:write')) return null
  return (
    <>
      <Button variant="light" size="compact-sm" flex="none" onClick={selling.open}>
        {t('Sell')}
      </Button>
      {isSelling && <Sell onClose={selling.close} />}
    </>
  )
}

/** A phone has the button in its menu, because the header has no room for it. */
function ReserveButton(props: Pick<ButtonProps, 'visibleFrom' | 'hiddenFrom' | 'mb'>) {
  const can = useCan()
  const [isReserving, reserving] = useDisclosure(false)
  if (!can('orders:write')) return null
  return (
    <>
      <Button {...props} variant="default" size="compact-sm" flex="none" onClick={reserving.open}>
        {t('Reserve')}
      </Button>
      {isReserving && <Reserve onClose={reserving.close} />}
    </>
  )
}

function KeyMenu() {
  const { info, signOut } = useSession()
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm" c="dimmed" visibleFrom="md" maw={240} truncate>
        {info.name}
      </Text>
      <SchemeButton visibleFrom="sm" />
      <Button variant="default" size="compact-sm" flex="none" onClick={signOut}>
        {t('Sign out')}
      </Button>
    </Group>
  )
}

/** Switches between light and dark colours. */
function SchemeButton(props: Pick<ButtonProps, 'visibleFrom' | 'hiddenFrom'>) {
  const { setColorScheme } = useMantineColorScheme()
  // Until the user has chosen, the colours are those of the system.
  const isDark = useComputedColorScheme('light') === 'dark'
  return (
    <Button
      {...props}
      variant="subtle"
      size="compact-sm"
      aria-label={isDark ? t('Use light colours') : t('Use dark colours')}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? '☀' : '☾'}
    </Button>
  )
}

function ThrottleAlert(): ReactNode {
  const seconds = throttleSeconds.use()
  if (seconds === 0) return null
  return (
    <Alert color="yellow" mb="md" role="status" title={t('Too many requests')}>
      {/* The seconds are hidden from screen readers, which would read out each change. */}
      {rich('The store limits the requests of each key. This page continues {soon} by itself.', {
        soon: <span aria-hidden="true">{t('in {seconds} s', { seconds: String(seconds) })}</span>,
      })}
    </Alert>
  )
}

/** A link to the part of the guide about the current view. */
function HelpLink() {
  const [location] = useLocation()
  const view = allViews.find(({ path }) => path !== '/' && location.startsWith(path))
  return (
    <Button
      component="a"
      href={`${basePath}/docs/guide/${view?.guide ?? 'your-first-day'}`}
      target="_blank"
      variant="subtle"
      size="compact-sm"
      aria-label={t('Help')}
    >
      ?
    </Button>
  )
}
