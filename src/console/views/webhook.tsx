import { Badge, Button, Code, Group, Skeleton, Spoiler, Stack, Text, Title } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ApiError, type Delivery, type DeliveryState, type Webhook } from '../../client/petstore-client.ts'
import { request, UnknownOutcome, useChange } from '../data/change.ts'
import { useSession } from '../data/session-context.ts'
import { idIn, optionIn, useUrlFilters } from '../data/url-filters.ts'
import { ActButton } from '../parts/generic/act-button.tsx'
import { Empty } from '../parts/generic/empty.tsx'
import { FilterSelect } from '../parts/generic/filters.tsx'
import { type DialogProps, FormDialog, type SecretFormProps } from '../parts/generic/form-dialog.tsx'
import { Page } from '../parts/generic/page.tsx'
import { type Column, PagedTable } from '../parts/generic/table.tsx'
import { type Look, UnknownAlert } from '../parts/generic/unknown-alert.tsx'
import { formatCount, formatInstant } from '../parts/names/format.ts'
import { Refusal, sentenceOf } from '../parts/names/refusal.tsx'
import { ViewLink } from '../parts/names/view-link.tsx'
import { t } from '../words/sentences.tsx'
import type { ViewProps } from './view-props.ts'
import { WebhookSecret, WebhookState } from './webhooks.tsx'

interface OpenedWebhookDialog {
  readonly dialog: 'delete' | 'rotate'
  readonly webhookId: bigint
}

export function WebhookView({ id }: ViewProps) {
  const [opened, setOpened] = useState<OpenedWebhookDialog>()
  const [secret, setSecret] = useState<string>()
  const close = (): void => setOpened(undefined)
  return (
    <>
      <WebhookContent id={id} onOpen={setOpened} />
      {/* Outside the content, which changes if the webhook is deleted while a dialog is open. */}
      {opened?.dialog === 'delete' && <DeleteWebhook {...opened} onClose={close} />}
      {opened?.dialog === 'rotate' && <NewSecret {...opened} onClose={close} onCreated={setSecret} />}
      {secret !== undefined && <WebhookSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}

interface WebhookContentProps extends ViewProps {
  readonly onOpen: (opened: OpenedWebhookDialog) => void
}

function WebhookContent({ id, onOpen }: WebhookContentProps) {
  const { client } = useSession()
  const webhookId = idIn(id)
  const [isAwaiting, awaitDelivery] = useAwaiting()
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: async () => (webhookId === undefined ? null : (await client.getWebhook({ webhookId })).data),
    enabled: webhookId !== undefined,
  })
  if (webhookId === undefined || (error instanceof ApiError && error.status === 404)) {
    return (
      <Page title={t('Webhook {id}', { id })}>
        <Empty title={t('There is no such webhook')}>
          <ViewLink href="/webhooks">{t('All webhooks')}</ViewLink>
        </Empty>
      </Page>
    )
  }
  const actions = data && <WebhookActions webhook={data} onOpen={onOpen} onTested={awaitDelivery} />
  return (
    <Page title={data ? headingOf(data) : t('Webhook {id}', { id })} actions={actions}>
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      {data ? <WebhookFacts webhook={data} /> : !error && <Skeleton height={60} />}
      {data && <Deliveries webhookId={data.id} isAwaiting={isAwaiting} />}
    </Page>
  )
}

const HEADING_CHARS_MAX = 200

function headingOf({ url }: Webhook): string {
  return url.length > HEADING_CHARS_MAX ? `${url.slice(0, HEADING_CHARS_MAX)}…` : url
}

function WebhookFacts({ webhook }: { readonly webhook: Webhook }) {
  return (
    <Stack gap="xs">
      <Group>
        <WebhookState webhook={webhook} />
        <Text size="sm" c="dimmed">
          {t('Created {instant}', { instant: formatInstant(webhook.createdAt) })}
        </Text>
      </Group>
      {webhook.description && <Text className="name">{webhook.description}</Text>}
      <Text size="sm">{webhook.types ? webhook.types.join(', ') : t('All events')}</Text>
      {webhook.url.length > HEADING_CHARS_MAX && (
        <Spoiler maxHeight={60} showLabel={t('Show the whole address')} hideLabel={t('Show less')}>
          <Text size="sm" className="name">
            {webhook.url}
          </Text>
        </Spoiler>
      )}
    </Stack>
  )
}

interface WebhookActionsProps {
  readonly webhook: Webhook
  readonly onOpen: (opened: OpenedWebhookDialog) => void
  readonly onTested: () => void
}

function WebhookActions({ webhook, onOpen, onTested }: WebhookActionsProps) {
  const { client } = useSession()
  const { id: webhookId, enabled } = webhook
  const test = useActAtOnce('test-webhook', () => {
    notifications.show({ message: t('The test event was created.') })
    onTested()
  })
  const change = useActAtOnce('switch-webhook')
  const sendTest = (): void => test.start(() => request(client, 'sendTestEvent', { webhookId }))
  const toggle = (): void =>
    change.start(() => request(client, 'updateWebhook', { webhookId, body: { enabled: !enabled } }))
  return (
    <>
      <UnknownAlert change={test} look={lookAt(webhookId)} />
      <UnknownAlert change={change} look={lookAt(webhookId)} />
      <ActButton change={test} onAct={sendTest} disabled={!enabled}>
        {t('Send test event')}
      </ActButton>
      <ActButton variant="default" change={change} onAct={toggle}>
        {enabled ? t('Disable') : t('Enable')}
      </ActButton>
      <Button variant="default" onClick={() => onOpen({ dialog: 'rotate', webhookId })}>
        {t('New secret')}
      </Button>
      <Button variant="default" onClick={() => onOpen({ dialog: 'delete', webhookId })}>
        {t('Delete')}
      </Button>
    </>
  )
}

function lookAt(webhookId: bigint): Look {
  return { path: `/webhooks/${webhookId}`, what: t('the webhook') }
}

/** Returns a change that has no dialog. Its refusal is a notification. */
function useActAtOnce(name: string, onDone?: () => void) {
  const queries = useQueryClient()
  return useChange<unknown>(name, {
    // Not awaited: a slow list must not delay the next change.
    onDone: () => {
      onDone?.()
      void queries.invalidateQueries()
    },
    onFailed: (error, isShown) => {
      if (isShown && error instanceof UnknownOutcome) return
      notifications.show({ color: 'red', message: sentenceOf(error) })
    },
  })
}

interface WebhookDialogProps extends DialogProps {
  readonly webhookId: bigint
}

function DeleteWebhook({ webhookId, onClose }: WebhookDialogProps) {
  const { client } = useSession()
  const [, navigate] = useLocation()
  return (
    <FormDialog
      name="delete-webhook"
      title={t('Delete the webhook?')}
      action={t('Delete')}
      done={t('Webhook deleted')}
      isDestructive
      make={() => request(client, 'deleteWebhook', { webhookId })}
      look={{ path: '/webhooks', what: t('the webhooks') }}
      onDone={() => navigate('/webhooks')}
      onClose={onClose}
    >
      <Text>{t('The store stops sending events to it, and deletes its deliveries.')}</Text>
    </FormDialog>
  )
}

function NewSecret({ webhookId, onClose, onCreated }: SecretFormProps & WebhookDialogProps) {
  const { client } = useSession()
  return (
    <FormDialog
      name="rotate-secret"
      title={t('Create a new secret?')}
      action={t('Create a new secret')}
      done={t('New secret created')}
      doneUnseen={t(
        'The new secret was created after you left the page. To see a secret, create another one.',
      )}
      make={() => request(client, 'rotateWebhookSecret', { webhookId })}
      look={lookAt(webhookId)}
      onDone={({ data }) => onCreated(data.secret)}
      onClose={onClose}
    >
      <Text>
        {t('For one day, deliveries are signed with both secrets, so that the receiver can switch.')}
      </Text>
    </FormDialog>
  )
}

/** How often the deliveries are read again, in milliseconds: no event reports the outcome of an attempt. */
const DELIVERIES_REFRESH_MS = 3000
/** The same interval, while the user waits for the outcome of a test event. */
const AWAITED_REFRESH_MS = 500
/** How long the user is assumed to wait after a test event, in milliseconds. */
const AWAITED_MS = 8000

/** Returns whether the user waits for a delivery, and a function that begins the wait. */
function useAwaiting(): [isAwaiting: boolean, begin: () => void] {
  const [isAwaiting, setIsAwaiting] = useState(false)
  const { start, clear } = useTimeout(() => setIsAwaiting(false), AWAITED_MS)
  const begin = (): void => {
    setIsAwaiting(true)
    // A second test event begins the wait again.
    clear()
    start()
  }
  return [isAwaiting, begin]
}

const deliveryStates: DeliveryState[] = ['pending', 'delivered', 'failed']

const stateColors: Readonly<Record<DeliveryState, string>> = {
  pending: 'yellow',
  delivered: 'teal',
  failed: 'red',
}

interface DeliveriesProps {
  readonly webhookId: bigint
  /** Whether the user waits for the outcome of a delivery. */
  readonly isAwaiting: boolean
}

function Deliveries({ webhookId, isAwaiting }: DeliveriesProps) {
  const { client } = useSession()
  const { get, set } = useUrlFilters()
  const state = optionIn(deliveryStates, get('state'))
  const change = useActAtOnce('redeliver')
  const redeliver = ({ id: deliveryId }: Delivery): void =>
    change.start(() => request(client, 'redeliver', { webhookId, deliveryId }))
  const input = { webhookId, sort: '-id' as const, ...(state && { state }) }
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Title order={2} size="h4">
          {t('Deliveries')}
        </Title>
        <Group align="flex-end">
          <FilterSelect
            label={t('State')}
            data={deliveryStates.map(value => ({ value, label: t(value) }))}
            value={state}
            onChange={value => set('state', value)}
          />
        </Group>
      </Group>
      <UnknownAlert change={change} look={lookAt(webhookId)} />
      <PagedTable
        label={t('Deliveries')}
        queryKey={['deliveries', input]}
        read={cursor => client.listDeliveries({ ...input, cursor })}
        columns={deliveryColumns(redeliver)}
        idOf={({ id }) => id}
        refreshMs={isAwaiting ? AWAITED_REFRESH_MS : DELIVERIES_REFRESH_MS}
        empty={
          state ? (
            <Empty title={t('No delivery is {state}', { state: t(state) })}>
              {t('Choose another state above.')}
            </Empty>
          ) : (
            <Empty title={t('No deliveries')}>{t('Send a test event to see a delivery.')}</Empty>
          )
        }
      />
    </Stack>
  )
}

function deliveryColumns(onRedeliver: (delivery: Delivery) => void): readonly Column<Delivery>[] {
  return [
    { head: t('Event'), cell: ({ type, eventId }) => `${type.replace('petstore.', '')} (${eventId})` },
    {
      head: t('State'),
      isShort: true,
      cell: ({ state }) => <Badge color={stateColors[state]}>{t(state)}</Badge>,
    },
    { head: t('Attempts'), cell: ({ attempts }) => <Attempts attempts={attempts} /> },
    {
      head: t('Next attempt'),
      isShort: true,
      cell: ({ nextAttemptAt }) => (nextAttemptAt ? formatInstant(nextAttemptAt) : '–'),
    },
    {
      head: t('Action'),
      cell: delivery => (
        <ActButton size="compact-sm" variant="default" onAct={() => onRedeliver(delivery)}>
          {t('Deliver again')}
        </ActButton>
      ),
    },
  ]
}

function Attempts({ attempts }: Pick<Delivery, 'attempts'>) {
  return (
    <Stack gap={2} component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
      {attempts.map(({ at, status, error, durationMs, reply }) => (
        <Text component="li" size="sm" key={at}>
          {t('{instant}: {outcome} in {duration} ms', {
            instant: formatInstant(at),
            outcome: status === undefined ? (error?.replace(/\.$/, '') ?? '') : `HTTP ${status}`,
            duration: formatCount(durationMs),
          })}{' '}
          {reply && <Code className="name">{reply.slice(0, 200)}</Code>}
        </Text>
      ))}
    </Stack>
  )
}
