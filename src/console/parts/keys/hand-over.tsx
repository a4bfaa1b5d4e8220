import { Button, Code, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { qrPath } from '../../../values/qr-code.ts'
import { useChange } from '../../data/change.ts'
import { handOverOf, isLoopback } from '../../data/handover.ts'
import { useSession } from '../../data/session-context.ts'
import { rich, t } from '../../words/sentences.tsx'
import { ActButton } from '../generic/act-button.tsx'
import { copyText } from '../generic/secret-dialog.tsx'
import { UnknownAlert } from '../generic/unknown-alert.tsx'
import { Refusal } from '../names/refusal.tsx'

/** Shows how to sign in on a phone with a new key. `secret` is the key, which only the page of its owner has. */
export function HandOver({ secret }: { readonly secret: string }) {
  if (!isLoopback) return <Link secret={secret} />
  return (
    <Text size="sm">
      {rich(
        'There is no code for a phone, because only this computer can open the address of this page. Start the store with {host} and with {base} set to the address of this computer in your network, and open the console there.',
        { host: <Code>--host 0.0.0.0</Code>, base: <Code>PETSTORE_BASE_URL</Code> },
      )}
    </Text>
  )
}

function Link({ secret }: { readonly secret: string }) {
  const { key } = useSession()
  const [link, setLink] = useState<string>()
  const change = useChange<string>('hand-over', { onDone: setLink })
  const start = (): void => change.start(() => handOverOf(key, secret))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first code needs no click
  useEffect(start, [])
  if (link !== undefined) return <ShownLink link={link} />
  return (
    <>
      <UnknownAlert change={change} look={{ path: '/keys', what: t('the keys') }} />
      <Refusal error={change.error} />
      <ActButton variant="default" change={change} onAct={start}>
        {t('Show a code for a phone')}
      </ActButton>
    </>
  )
}

function ShownLink({ link }: { readonly link: string }) {
  const text = useRef<HTMLElement>(null)
  const [isCopied, setCopied] = useState(false)
  const { size, path } = qrPath(link)
  const copy = async (): Promise<void> => {
    if (text.current) setCopied(await copyText(text.current))
  }
  return (
    <Stack gap="xs">
      <Text size="sm">
        {t(
          'Or scan the code with the phone of the person, or send the link: it signs in with this key, once, within ten minutes.',
        )}
      </Text>
      <svg viewBox={`0 0 ${size} ${size}`} width={240} role="img" aria-label={t('QR code of the link')}>
        <rect width={size} height={size} fill="#fff" />
        <path d={path} fill="#000" shapeRendering="crispEdges" />
      </svg>
      <Code block className="name" data-testid="link">
        <span ref={text}>{link}</span>
      </Code>
      <Button variant="default" size="compact-sm" mr="auto" onClick={() => void copy()}>
        {isCopied ? t('Link copied') : t('Copy the link')}
      </Button>
    </Stack>
  )
}
