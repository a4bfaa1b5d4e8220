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
import { countText, formatAge } from '../parts/names/format.ts'
import { ViewLink } from '../parts/names/view-link.tsx'

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
    head: 'Address',
    cell: ({ id, url }) => (
      <ViewLink href={`/webhooks/${id}`} lineClamp={ADDRESS_LINES} title={url}>
        {url}
      </ViewLink>
    ),
  },
  { head: 'Description', cell: ({ description }) => description ?? '–' },
  { head: 'Events', cell: ({ types }) => (types ? countText(types.length, 'type', 'types') : 'All') },
  { head: 'State', isShort: true, cell: webhook => <WebhookState webhook={webhook} /> },
]

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const { enabled, disabledReason, failingSince } = webhook
  if (!enabled) {
    const reason = {
      asked: '',
      gone: ': the receiver is gone',
      failing: ': attempts failed for five days',
    }[disabledReason ?? 'asked']
    return (
      <Badge color="gray" tt="none">
        disabled{reason}
      </Badge>
    )
  }
  if (failingSince)
    return (
      <Badge color="red" tt="none">
        failing (first failure {formatAge(failingSince)})
      </Badge>
    )
  return (
    <Badge color="teal" tt="none">
      active
    </Badge>
  )
}

export function Webhooks() {
  const { client } = useSession()
  const [isCreating, setIsCreating] = useState(false)
  const [created, setCreated] = useState<CreatedWebhook>()
  return (
    <Page title="Webhooks" actions={<Button onClick={() => setIsCreating(true)}>Add webhook</Button>}>
      <PagedTable
        label="Webhooks"
        queryKey={['webhooks']}
        read={cursor => client.listWebhooks({ cursor })}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <Empty title="No webhooks">
            A webhook sends each change in the store to one of your programs, signed and with retries.
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
    { url: 'Address', types: 'Events', description: 'Description' },
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
      title="Add webhook"
      action="Add webhook"
      done="Webhook added"
      doneUnseen="The webhook was added after you left the page. To see a secret, create one in its view."
      form={form}
      make={() => request(client, 'createWebhook', { body })}
      look={{ path: '/webhooks', what: 'the webhooks' }}
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
            description="If none is selected, all events are sent"
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
      title="The secret of the webhook"
      warning="Copy the secret now: it is shown only once."
      purpose="With this secret, the receiver verifies that an event came from this store (Standard Webhooks)."
    />
  )
}
