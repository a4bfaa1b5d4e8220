import { Fragment, type ReactNode } from 'react'
import type {
  AuditEntry,
  Category,
  Event,
  InventoryItem,
  Order,
  Pet,
} from '../../../client/petstore-client.ts'
import { formatCount, formatInstant, formatUnits } from '../names/format.ts'
import { CategoryName, Name, OrderLink, PetLink } from '../names/names.tsx'
import { statusVerbs, statusWord } from '../names/shop-words.ts'
import { ViewLink } from '../names/view-link.tsx'

interface ChangeSentenceProps {
  /** An event or an entry of the audit log: both contain the resource after the change. */
  readonly change: Event | AuditEntry
  /** The previous change of the same resource, if it is known. With it, the sentence says what changed. */
  readonly before?: Event | AuditEntry | undefined
  /** The position of a past change: the sentence has the names of then. */
  readonly at?: bigint
}

/** One sentence about a change, with links to the resources that it concerns. */
export function ChangeSentence(props: ChangeSentenceProps) {
  return <span className="sentence">{sentence(props)}</span>
}

function sentence({ change, before, at }: ChangeSentenceProps): ReactNode {
  switch (change.type) {
    case 'petstore.pet.created':
      return (
        <>
          <PetSnapshotLink pet={change.data} /> was added to{' '}
          <CategoryName id={change.data.categoryId} at={at} />.
        </>
      )
    case 'petstore.pet.updated':
      return (
        <PetUpdated
          pet={change.data}
          before={before && isPetChange(before) ? before.data : undefined}
          at={at}
        />
      )
    case 'petstore.pet.deleted':
      return (
        <>
          <Name name={change.data.name} id={change.data.id} /> was deleted.
        </>
      )
    case 'petstore.category.created':
      return <>The category {categoryLink(change.data)} was added.</>
    case 'petstore.category.updated':
      return <>The category {categoryLink(change.data)} was changed.</>
    case 'petstore.category.deleted':
      return (
        <>
          The category <Name name={change.data.name} id={change.data.id} /> was deleted.
        </>
      )
    case 'petstore.order.placed':
    case 'petstore.order.updated':
    case 'petstore.order.completed':
    case 'petstore.order.returned':
    case 'petstore.order.reopened':
    case 'petstore.order.cancelled':
      return <OrderChange order={change.data} type={change.type} at={at} />
    case 'petstore.inventory.changed':
      return <StockChange item={change.data} at={at} />
    case 'petstore.key.created':
    case 'petstore.key.revoked':
      return (
        <>
          The key <Name name={change.data.name} id={change.data.id} /> was{' '}
          {change.type === 'petstore.key.created' ? 'created' : 'revoked'}.
        </>
      )
    case 'petstore.webhook.created':
    case 'petstore.webhook.updated':
    case 'petstore.webhook.deleted':
    case 'petstore.webhook.secret-rotated':
    case 'petstore.webhook.redelivered':
    case 'petstore.webhook.disabled':
      return (
        <>
          The webhook <Name name={change.data.url} id={change.data.id} /> {webhookVerbs[change.type]}.
        </>
      )
    default:
      // Test events, and the types of later versions.
      return otherSentence(change)
  }
}

const webhookVerbs = {
  'petstore.webhook.created': 'was added',
  'petstore.webhook.updated': 'was changed',
  'petstore.webhook.deleted': 'was deleted',
  'petstore.webhook.secret-rotated': 'has a new secret',
  'petstore.webhook.redelivered': 'was sent an event again',
  'petstore.webhook.disabled': 'was disabled by the store',
} as const

function isPetChange(change: Event | AuditEntry): change is Extract<Event | AuditEntry, { data: Pet }> {
  return change.type.startsWith('petstore.pet.')
}

/**
 * A link to a pet with its name at the time of the change, because a later name would be wrong in a history.
 */
function PetSnapshotLink({ pet }: { readonly pet: Pet }) {
  return (
    <ViewLink href={`/pets/${pet.id}`}>
      <Name name={pet.name} id={pet.id} />
    </ViewLink>
  )
}

type AtProps = { readonly at: bigint | undefined }

function PetUpdated({ pet, before, at }: AtProps & { readonly pet: Pet; readonly before: Pet | undefined }) {
  const isRenamed = before && pet.name !== before.name
  const changes: ReactNode[] = []
  if (before && pet.categoryId !== before.categoryId) {
    changes.push(
      <Fragment key="category">
        was moved from <CategoryName id={before.categoryId} at={at} /> to{' '}
        <CategoryName id={pet.categoryId} at={at} />
      </Fragment>,
    )
  }
  if (before && pet.status !== before.status) changes.push(`was ${statusVerbs[pet.status ?? 'available']}`)
  // Without the previous state, the page does not know what changed.
  if (!isRenamed && changes.length === 0) changes.push('was changed')
  return (
    <>
      {isRenamed && (
        <>
          <Name name={before.name} id={before.id} /> was renamed to{' '}
        </>
      )}
      <PetSnapshotLink pet={pet} />
      {changes.map((change, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the clauses of a sentence keep their order
        <Fragment key={index}>
          {isRenamed || index > 0 ? ' and ' : ' '}
          {change}
        </Fragment>
      ))}
      .
    </>
  )
}

const orderVerbs = {
  'petstore.order.placed': 'was placed for',
  'petstore.order.updated': 'was changed: it is now for',
  'petstore.order.completed': 'was completed for',
  'petstore.order.returned': 'has a return. It was for',
  'petstore.order.reopened': 'was opened again: it reserves',
  'petstore.order.cancelled': 'was cancelled for',
} as const

interface OrderChangeProps extends AtProps {
  readonly order: Order
  readonly type: keyof typeof orderVerbs
}

function OrderChange({ order, type, at }: OrderChangeProps) {
  return (
    <>
      {type === 'petstore.order.cancelled' ? `Order ${order.id}` : <OrderLink id={order.id} />}{' '}
      {orderVerbs[type]} <PetLink id={order.petId} at={at} />, {formatUnits(order.quantity)}.
      {type === 'petstore.order.returned' && ` ${formatUnits(order.returned ?? 0n)} came back so far.`}
      {type === 'petstore.order.updated' &&
        order.shipDate &&
        ` It ships on ${formatInstant(order.shipDate)}.`}
    </>
  )
}

function StockChange({ item, at }: AtProps & { readonly item: InventoryItem }) {
  const { petId, quantity, reserved = 0n, reorderAt } = item
  return (
    <>
      <PetLink id={petId} at={at} /> has {formatUnits(quantity)} in stock
      {reserved > 0n && `, ${formatCount(reserved)} reserved,`} and is {statusWord(item)}
      {reorderAt !== undefined && `, to reorder at ${formatCount(reorderAt)}`}.
    </>
  )
}

function categoryLink({ id, name }: Category): ReactNode {
  return (
    <ViewLink href={`/pets?categoryId=${id}`}>
      <Name name={name} id={id} />
    </ViewLink>
  )
}

/** Returns a sentence from the subject and the type: `Webhook 3: test.` */
function otherSentence({ type, subject }: { readonly type: string; readonly subject: string }): string {
  const [, , verb = type] = type.split('.')
  const [kind = '', id = ''] = subject.split('/')
  const noun = kind.replace(/s$/, '')
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${id}: ${verb.replaceAll('-', ' ')}.`
}
