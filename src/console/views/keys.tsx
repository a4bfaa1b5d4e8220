import { Alert, Badge, Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiKey, Client, Scope } from '../../client/petstore-client.ts'
import { request } from '../data/change.ts'
import { nameText } from '../data/name-text.ts'
import { useSession } from '../data/session-context.ts'
import { Empty } from '../parts/generic/empty.tsx'
import {
  type DialogProps,
  type Field,
  FormDialog,
  type SecretFormProps,
  useForm,
} from '../parts/generic/form-dialog.tsx'
import { Page } from '../parts/generic/page.tsx'
import { RowButton } from '../parts/generic/row-button.tsx'
import { SecretDialog } from '../parts/generic/secret-dialog.tsx'
import { type Column, PagedTable } from '../parts/generic/table.tsx'
import { InstantInput, instantIn, NOT_AN_INSTANT, TextField } from '../parts/generic/text-field.tsx'
import { HandOver } from '../parts/keys/hand-over.tsx'
import { formatInstant } from '../parts/names/format.ts'
import { Name } from '../parts/names/names.tsx'
import { t } from '../words/sentences.tsx'

const scopeMeanings: Readonly<Record<Scope, string>> = {
  'pets:write': t('create and change pets and categories'),
  'orders:read': t('see orders and the books'),
  'orders:write': t('sell; place, change and complete any order; take back its own sale for 15 minutes'),
  'orders:return': t('take back any sale, with orders:write'),
  'inventory:read': t('see stock movements'),
  'inventory:write': t('count and adjust the stock'),
  'events:read': t('follow every change'),
  'webhooks:manage': t('send events to other programs'),
  'audit:read': t('see who changed what'),
  'keys:manage': t('create and revoke keys'),
  admin: t('everything'),
}
const scopes = Object.entries(scopeMeanings).map(([value, meaning]) => ({
  value,
  label: t('{scope} – {meaning}', { scope: value, meaning }),
}))

interface Preset {
  readonly label: string
  readonly scopes: Scope[]
  /** What such a user may do, for the owner of the shop. */
  readonly may: string
}

const TILL_SCOPES: Scope[] = ['orders:read', 'orders:write', 'events:read']

/** The scopes of the usual users of a shop. */
const presets: readonly Preset[] = [
  {
    label: t('Till (sell and look)'),
    scopes: TILL_SCOPES,
    may: t(
      'Sells, reserves, changes any reference, sees the takings, takes back its own sales for 15 minutes.',
    ),
  },
  {
    label: t('Warehouse (stock)'),
    scopes: ['orders:read', 'orders:write', 'inventory:read', 'inventory:write', 'events:read'],
    may: t('Does what a till does, and counts and adjusts the stock.'),
  },
  {
    label: t('Accountant (read only)'),
    scopes: ['orders:read', 'inventory:read', 'events:read', 'audit:read'],
    may: t('Sees orders, takings, stock movements and who changed what, and changes nothing.'),
  },
  {
    label: t('Everything'),
    scopes: ['admin'],
    may: t('Does all of this, takes back any sale, changes pets and prices, and creates keys.'),
  },
]

type OpenedKeyDialog = { readonly dialog: 'create' } | { readonly dialog: 'revoke'; readonly key: ApiKey }

export function Keys() {
  const { client, info } = useSession()
  const [opened, setOpened] = useState<OpenedKeyDialog>()
  const [secret, setSecret] = useState<string>()
  const close = (): void => setOpened(undefined)
  return (
    <Page
      title={t('Keys')}
      actions={<Button onClick={() => setOpened({ dialog: 'create' })}>{t('Create key')}</Button>}
    >
      <PagedTable
        label={t('Keys')}
        queryKey={['keys']}
        read={cursor => client.listKeys({ cursor })}
        columns={columnsOf(info.id, key => setOpened({ dialog: 'revoke', key }))}
        idOf={({ id }) => id}
        empty={<Empty title={t('No keys')}>{t('Create a key for each program that uses the store.')}</Empty>}
      />
      {opened?.dialog === 'create' && <CreateKey onClose={close} onCreated={setSecret} />}
      {opened?.dialog === 'revoke' && <RevokeKey apiKey={opened.key} onClose={close} />}
      {secret !== undefined && (
        <SecretDialog
          title={t('New key')}
          warning={t('Copy the key now. It is shown only once, and the store keeps only its hash.')}
          secret={secret}
          onClose={() => setSecret(undefined)}
        >
          <HandOver secret={secret} />
        </SecretDialog>
      )}
    </Page>
  )
}

function columnsOf(ownId: bigint, onRevoke: (key: ApiKey) => void): readonly Column<ApiKey>[] {
  return [
    {
      head: t('Name'),
      cell: ({ name, id }) => (
        <>
          <Name name={name} id={id} /> {id === ownId && t('(this page)')}
        </>
      ),
    },
    { head: t('Ends with'), isShort: true, cell: ({ hint }) => <Code>…{hint}</Code> },
    {
      head: t('Scopes'),
      cell: key => (
        <Group gap={4}>
          {key.scopes.map(scope => (
            <Badge key={scope} color="gray" tt="none">
              {scope}
            </Badge>
          ))}
        </Group>
      ),
    },
    { head: t('Created'), isShort: true, cell: ({ createdAt }) => formatInstant(createdAt) },
    {
      head: t('Expires'),
      isShort: true,
      cell: ({ expiresAt }) => (expiresAt ? formatInstant(expiresAt) : t('Never')),
    },
    {
      head: t('Action'),
      cell: key => <RowButton label={t('Revoke')} subject={key.name} onClick={() => onRevoke(key)} />,
    },
  ]
}

interface KeyFields {
  readonly name: string
  readonly scopes: Scope[]
  readonly expiresAt: string
}

function CreateKey({ onClose, onCreated }: SecretFormProps) {
  const { client, info } = useSession()
  const form = useForm<KeyFields>(
    { name: '', scopes: [], expiresAt: '' },
    { name: t('Name'), scopes: t('Scopes'), expiresAt: t('Expires') },
  )
  const { name, scopes: chosen, expiresAt: expiry } = form.values
  return (
    <FormDialog
      name="create-key"
      title={t('Create key')}
      action={t('Create key')}
      done={t('Key created')}
      doneUnseen={t(
        'The key was created after you left the page, so you have not seen it. Revoke it and create another.',
      )}
      form={form}
      check={() => ({ ...(expiry !== '' && !instantIn(expiry) && { expiresAt: NOT_AN_INSTANT }) })}
      make={() =>
        request(client, 'createKey', {
          body: { name: name.trim(), scopes: chosen, expiresAt: instantIn(expiry) },
        })
      }
      look={{ path: '/keys', what: t('the keys') }}
      onDone={({ data }) => onCreated(data.key)}
      onClose={onClose}
    >
      {field => (
        <>
          <TextField
            {...field('name')}
            description={t('The program or person that will use the key')}
            data-autofocus
            required
          />
          <ScopeBoxes {...field('scopes')} />
          <InstantInput
            {...field('expiresAt')}
            description={
              info.expiresAt
                ? t('If empty, the key expires on {instant}, like the key of this page', {
                    instant: formatInstant(info.expiresAt),
                  })
                : t('If empty, the key never expires')
            }
          />
        </>
      )}
    </FormDialog>
  )
}

/** A box for each scope. The buttons above only tick the boxes of a usual user. */
function ScopeBoxes({ onChange, ...field }: Field<Scope[]>) {
  const chosen = new Set(field.value)
  const others = [...chosen].filter(scope => scope !== 'orders:return')
  const isTill = others.length === TILL_SCOPES.length && TILL_SCOPES.every(scope => chosen.has(scope))
  return (
    <Checkbox.Group {...field} onChange={onChange} required>
      <Stack gap="xs" my="xs" role="group" aria-label={t('Usual scopes')}>
        {presets.map(({ label, scopes: usual, may }) => (
          <div key={label}>
            <Button variant="default" size="compact-sm" onClick={() => onChange(usual)}>
              {label}
            </Button>
            <Text size="sm" c="dimmed">
              {may}
            </Text>
            {usual === TILL_SCOPES && isTill && (
              <Checkbox value="orders:return" label={t('May take back any sale')} mt={4} />
            )}
          </div>
        ))}
      </Stack>
      <Stack gap={6}>
        {scopes.map(scope => (
          <Checkbox key={scope.value} {...scope} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}

function RevokeKey({ apiKey, onClose }: DialogProps & { readonly apiKey: ApiKey }) {
  const { client, info, signOut } = useSession()
  const isOwn = apiKey.id === info.id
  const { data: isLast } = useQuery({
    queryKey: ['keys', 'last', apiKey.id],
    queryFn: () => isLastAdminKey(client, apiKey),
    // No event reports a change of the keys.
    staleTime: 0,
  })
  return (
    <FormDialog
      name="revoke-key"
      title={t('Revoke {name}?', { name: nameText(apiKey.name, apiKey.id) })}
      action={t('Revoke')}
      done={t('Key revoked')}
      isDestructive
      make={() => request(client, 'revokeKey', { keyId: apiKey.id })}
      look={{ path: '/keys', what: t('the keys') }}
      {...(isOwn && { onDone: () => signOut() })}
      onClose={onClose}
    >
      <Text>{t('The store will refuse every program that uses this key. This cannot be undone.')}</Text>
      {isLast && (
        <Alert color="red" role="alert" title={t('This is the last admin key that does not expire')}>
          {t(
            'Create another admin key first. Without one, only a command on the machine of the store can make a new one.',
          )}
        </Alert>
      )}
      {isOwn && (
        <Alert color="yellow" role="alert" title={t('This page uses the key')}>
          {t('You will be signed out.')}
        </Alert>
      )}
    </FormDialog>
  )
}

/** Returns whether a key is the only one that has the scope `admin` and never expires. */
async function isLastAdminKey(client: Client, apiKey: ApiKey): Promise<boolean> {
  if (!isLastingAdmin(apiKey)) return false
  for await (const other of client.listKeys({ limit: 100 }))
    if (other.id !== apiKey.id && isLastingAdmin(other)) return false
  return true
}

function isLastingAdmin({ scopes: held, expiresAt }: ApiKey): boolean {
  return held.includes('admin') && expiresAt === undefined
}
