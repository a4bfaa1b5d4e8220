import { Badge, Button, MultiSelect } from '@mantine/core'
import { useState } from 'react'
import type { FeedEventType, Webhook } from '../../client/petstore-client.ts'
import { request } from '../data/change.ts'
import { useSession } from '../data/session-context.ts'
import { Empty } from '../parts/generic/empty.tsx'
import { type DialogProps, FormDialog, useForm } from '../parts/generic/form-dialog.tsx'
import { Page } from '../parts/generic/page.tsx'
import { SecretDialog, type SecretDialogProps } from '../parts/generic/secret-dialog.tsx'
import { type Column, PagedTable } from '../parts/generic/table.tsx'
import { TextField } from '../parts/generic/text-field.tsx'
import { formatAge } from '../parts/names/format.ts'
import { ViewLink } from '../parts/names/view-link.tsx'
import { countText, t } from '../words/sentences.tsx'

/** The maximum number of lines of an address in the list. The view of the webhook shows the whole address. */
const ADDRESS_LINES = 4

const eventTypes: readonly FeedEventType[] = [
  'petstore.pet.created',
  'petstore.pet.updated',
  'petstore.pet.deleted',
  'petstore.category.created',
  'petstore.category.updated',
  'petstore.category.deleted',
  'petstore.order.placed',
  'petstore.order.updated',
  'petstore.order.completed',
  'petstore.order.returned',
  'petstore.order.cancelled',
  'petstore.inventory.changed',
  'petstore.webhook.disabled',
]

const columns: readonly Column<Webhook>[] = [
  {
    head: t('Address'),
    cell: ({ id, url }) => (
      <ViewLink href={`/webhooks/${id}`} lineClamp={ADDRESS_LINES} title={url}>
        {url}
      </ViewLink>
    ),
  },
  { head: t('Description'), cell: ({ description }) => description ?? '–' },
  {
    head: t('Events'),
    cell: ({ types }) => (types ? countText(types.length, '{count} type', '{count} types') : t('All')),
  },
  { head: t('State'), cell: webhook => <WebhookState webhook={webhook} /> },
]

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const { enabled, disabledReason, failingSince } = webhook
  if (!enabled) {
    const text = {
      asked: t('disabled'),
      gone: t('disabled: the receiver is gone'),
      failing: t('disabled: attempts failed for five days'),
    }[disabledReason ?? 'asked']
    return (
      <Badge color="gray" tt="none" className="long-badge">
        {text}
      </Badge>
    )
  }
  if (failingSince)
    return (
      <Badge color="red" tt="none" className="long-badge">
        {t('failing (first failure {age})', { age: formatAge(failingSince) })}
      </Badge>
    )
  return (
    <Badge color="teal" tt="none">
      {t('active')}
    </Badge>
  )
}

export function Webhooks() {
  const { client } = useSession()
  const [isCreating, setIsCreating] = useState(false)
  const [created, setCreated] = useState<CreatedWebhook>()
  return (
    <Page
      title={t('Webhooks')}
      actions={<Button onClick={() => setIsCreating(true)}>{t('Add webhook')}</Button>}
    >
      <PagedTable
        label={t('Webhooks')}
        queryKey={['webhooks']}
        read={cursor => client.listWebhooks({ cursor })}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <Empty title={t('No webhooks')}>
            {t('A webhook sends each change in the store to one of your programs, signed and with retries.')}
          </Empty>
        }
      />
      {isCreating && <CreateWebhook onClose={() => setIsCreating(false)} onCreated={setCreated} />}
      {created && <WebhookSecret {...created} onClose={() => setCreated(undefined)} />}
    </Page>
  )
}

/** What the page shows once about a new webhook. */
type CreatedWebhook = Pick<SecretDialogProps, 'secret' | 'problem'>

interface CreateWebhookProps extends DialogProps {
  readonly onCreated: (created: CreatedWebhook) => void
}

interface WebhookFields {
  readonly url: string
  readonly types: FeedEventType[]
  readonly description: string
}

function CreateWebhook({ onClose, onCreated }: CreateWebhookProps) {
  const { client } = useSession()
  const form = useForm<WebhookFields>(
    { url: '', types: [], description: '' },
    { url: t('Address'), types: t('Events'), description: t('Description') },
  )
  const { url, types, description } = form.values
  const body = {
    url: url.trim(),
    ...(types.length > 0 && { types }),
    ...(description.trim() !== '' && { description: description.trim() }),
  }
  return (
    <FormDialog
      name="add-webhook"
      title={t('Add webhook')}
      action={t('Add webhook')}
      done={t('Webhook added')}
      doneUnseen={t(
        'The webhook was added after you left the page. To see a secret, create one in its view.',
      )}
      form={form}
      make={() => request(client, 'createWebhook', { body })}
      look={{ path: '/webhooks', what: t('the webhooks') }}
      onDone={({ data, headers }) =>
        onCreated({ secret: data.secret, problem: headers.get('petstore-warning') ?? undefined })
      }
      onClose={onClose}
    >
      {field => (
        <>
          <TextField
            {...field('url')}
            placeholder="https://till.example/petstore-events"
            data-autofocus
            required
          />
          <MultiSelect
            {...field('types')}
            description={t('If none is selected, all events are sent')}
            data={eventTypes}
            onChange={chosen => form.set({ types: eventTypes.filter(type => chosen.includes(type)) })}
          />
          <TextField {...field('description')} />
        </>
      )}
    </FormDialog>
  )
}

/** Shows the secret that signs deliveries. This is the only time that the page has it. */
export function WebhookSecret(props: Pick<SecretDialogProps, 'secret' | 'problem' | 'onClose'>) {
  return (
    <SecretDialog
      {...props}
      title={t('The secret of the webhook')}
      warning={t('Copy the secret now: it is shown only once.')}
      purpose={t(
        'With this secret, the receiver verifies that an event came from this store (Standard Webhooks).',
      )}
    />
  )
}
