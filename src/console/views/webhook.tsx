import {
  Anchor,
  Badge,
  Button,
  Code,
  Group,
  Select,
  Skeleton,
  Spoiler,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ApiError, type Delivery, type DeliveryState, type Webhook } from '../../client/petstore-client.ts'
import { useSession } from '../data/store.ts'
import { idIn, optionIn, useUrlFilters } from '../data/url-filters.ts'
import { Empty } from '../parts/empty.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { formatCount, formatInstant } from '../parts/format.ts'
import { Page } from '../parts/page.tsx'
import { type Column, PagedTable } from '../parts/paged-table.tsx'
import { Refusal, sentenceOf } from '../parts/refusal.tsx'
import type { ViewProps } from './views.ts'
import { WebhookSecret, WebhookState } from './webhooks.tsx'

/** One webhook with its deliveries. */
export function WebhookView({ id }: ViewProps) {
  const { client } = useSession()
  const webhookId = idIn(id)
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: async () => (webhookId === undefined ? null : (await client.getWebhook({ webhookId })).data),
    enabled: webhookId !== undefined,
  })
  if (webhookId === undefined || (error instanceof ApiError && error.status === 404)) {
    return (
      <Page title={`Webhook ${id}`}>
        <Empty title="There is no such webhook">
          <Anchor component={Link} href="/webhooks">
            All webhooks
          </Anchor>
        </Empty>
      </Page>
    )
  }
  return (
    <Page
      title={data ? headingOf(data) : `Webhook ${id}`}
      actions={data && <WebhookActions webhook={data} />}
    >
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      {data ? <WebhookFacts webhook={data} /> : !error && <Skeleton height={60} />}
      {data && <Deliveries webhookId={data.id} />}
    </Page>
  )
}

/** The maximum number of characters of an address in the heading. */
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
          Created {formatInstant(webhook.createdAt)}
        </Text>
      </Group>
      {webhook.description && <Text className="name">{webhook.description}</Text>}
      <Text size="sm">{webhook.types ? webhook.types.join(', ') : 'All events'}</Text>
      {webhook.url.length > HEADING_CHARS_MAX && (
        <Spoiler maxHeight={60} showLabel="Show the whole address" hideLabel="Show less">
          <Text size="sm" className="name">
            {webhook.url}
          </Text>
        </Spoiler>
      )}
    </Stack>
  )
}

type Opened = 'delete' | 'rotate'

function WebhookActions({ webhook }: { readonly webhook: Webhook }) {
  const { client } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [opened, setOpened] = useState<Opened>()
  const [secret, setSecret] = useState<string>()
  const { id: webhookId, enabled } = webhook
  const close = (): void => setOpened(undefined)
  const run = useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    onSuccess: () => void queries.invalidateQueries(),
    onError: error => notifications.show({ color: 'red', message: sentenceOf(error) }),
  })
  return (
    <>
      <Button
        onClick={() => run.mutate(() => client.sendTestEvent({ webhookId }))}
        loading={run.isPending}
        disabled={!enabled}
      >
        Send test event
      </Button>
      <Button
        variant="default"
        onClick={() => run.mutate(() => client.updateWebhook({ webhookId, body: { enabled: !enabled } }))}
      >
        {enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button variant="default" onClick={() => setOpened('rotate')}>
        New secret
      </Button>
      <Button variant="default" onClick={() => setOpened('delete')}>
        Delete
      </Button>
      {opened === 'rotate' && (
        <FormDialog
          title="Create a new secret?"
          action="Create a new secret"
          done="New secret created"
          submit={async () => setSecret((await client.rotateWebhookSecret({ webhookId })).data.secret)}
          onClose={close}
        >
          {() => (
            <Text>
              For one day, deliveries are signed with both secrets, so that the receiver can switch.
            </Text>
          )}
        </FormDialog>
      )}
      {opened === 'delete' && (
        <FormDialog
          title="Delete the webhook?"
          action="Delete"
          done="Webhook deleted"
          isDestructive
          submit={() => client.deleteWebhook({ webhookId })}
          onDone={() => navigate('/webhooks')}
          onClose={close}
        >
          {() => <Text>The store stops sending events to it, and deletes its deliveries.</Text>}
        </FormDialog>
      )}
      {secret !== undefined && <WebhookSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}

/** How often the deliveries are read again, in milliseconds: no event reports the outcome of an attempt. */
const DELIVERIES_REFRESH_MS = 3000

const deliveryStates: DeliveryState[] = ['pending', 'delivered', 'failed']

const stateColors: Readonly<Record<DeliveryState, string>> = {
  pending: 'yellow',
  delivered: 'teal',
  failed: 'red',
}

function Deliveries({ webhookId }: { readonly webhookId: bigint }) {
  const { client } = useSession()
  const queries = useQueryClient()
  const { get, set } = useUrlFilters()
  const state = optionIn(deliveryStates, get('state'))
  const redeliver = useMutation({
    mutationFn: (deliveryId: bigint) => client.redeliver({ webhookId, deliveryId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['deliveries'] }),
    onError: error => notifications.show({ color: 'red', message: sentenceOf(error) }),
  })
  const input = { webhookId, sort: '-id' as const, ...(state && { state }) }
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Title order={2} size="h4">
          Deliveries
        </Title>
        <Group align="flex-end">
          <Select
            label="State"
            placeholder="Any"
            clearable
            data={deliveryStates}
            value={state ?? null}
            onChange={value => set('state', value)}
          />
        </Group>
      </Group>
      <PagedTable
        label="Deliveries"
        queryKey={['deliveries', input]}
        read={async cursor => (await client.listDeliveries({ ...input, ...(cursor && { cursor }) })).data}
        columns={deliveryColumns(delivery => redeliver.mutate(delivery.id))}
        idOf={({ id }) => id}
        refreshMs={DELIVERIES_REFRESH_MS}
        empty={
          state ? (
            <Empty title={`No delivery is ${state}`}>Choose another state above.</Empty>
          ) : (
            <Empty title="No deliveries">Send a test event to see a delivery.</Empty>
          )
        }
      />
    </Stack>
  )
}

function deliveryColumns(onRedeliver: (delivery: Delivery) => void): readonly Column<Delivery>[] {
  return [
    { head: 'Event', cell: ({ type, eventId }) => `${type.replace('petstore.', '')} (${eventId})` },
    {
      head: 'State',
      isShort: true,
      cell: ({ state }) => (
        <Badge color={stateColors[state]} variant="light">
          {state}
        </Badge>
      ),
    },
    { head: 'Attempts', cell: ({ attempts }) => <Attempts attempts={attempts} /> },
    {
      head: 'Next attempt',
      isShort: true,
      cell: ({ nextAttemptAt }) => (nextAttemptAt ? formatInstant(nextAttemptAt) : '–'),
    },
    {
      head: 'Action',
      cell: delivery => (
        <Button size="compact-sm" variant="default" onClick={() => onRedeliver(delivery)}>
          Deliver again
        </Button>
      ),
    },
  ]
}

function Attempts({ attempts }: Pick<Delivery, 'attempts'>) {
  return (
    <Stack gap={2} component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
      {attempts.map(({ at, status, error, durationMs, reply }) => (
        <Text component="li" size="sm" key={at}>
          {formatInstant(at)}: {status === undefined ? error?.replace(/\.$/, '') : `HTTP ${status}`} in{' '}
          {formatCount(durationMs)} ms {reply && <Code className="name">{reply.slice(0, 200)}</Code>}
        </Text>
      ))}
    </Stack>
  )
}
