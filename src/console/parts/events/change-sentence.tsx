import { Fragment, type ReactNode } from 'react'
import type {
  AuditEntry,
  Category,
  Event,
  InventoryItem,
  Order,
  Pet,
} from '../../../client/petstore-client.ts'
import { rich, t } from '../../words/sentences.tsx'
import { formatCount, formatInstant, formatUnits } from '../names/format.ts'
import { CategoryName, Name, OrderLink, PetLink } from '../names/names.tsx'
import { statusWord } from '../names/shop-words.ts'
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
      return rich('{pet} was added to {category}.', {
        pet: <PetSnapshotLink pet={change.data} />,
        category: <CategoryName id={change.data.categoryId} at={at} />,
      })
    case 'petstore.pet.updated':
      return (
        <PetUpdated
          pet={change.data}
          before={before && isPetChange(before) ? before.data : undefined}
          at={at}
        />
      )
    case 'petstore.pet.deleted':
      return rich('{name} was deleted.', { name: <Name name={change.data.name} id={change.data.id} /> })
    case 'petstore.category.created':
      return rich('The category {category} was added.', { category: categoryLink(change.data) })
    case 'petstore.category.updated':
      return rich('The category {category} was changed.', { category: categoryLink(change.data) })
    case 'petstore.category.deleted':
      return rich('The category {category} was deleted.', {
        category: <Name name={change.data.name} id={change.data.id} />,
      })
    case 'petstore.order.placed':
    case 'petstore.order.updated':
    case 'petstore.order.completed':
    case 'petstore.order.returned':
    case 'petstore.order.cancelled':
      return <OrderChange order={change.data} type={change.type} at={at} />
    case 'petstore.inventory.changed':
      return <StockChange item={change.data} at={at} />
    case 'petstore.key.created':
    case 'petstore.key.revoked':
      return rich(keySentences[change.type], { key: <Name name={change.data.name} id={change.data.id} /> })
    case 'petstore.webhook.created':
    case 'petstore.webhook.updated':
    case 'petstore.webhook.deleted':
    case 'petstore.webhook.secret-rotated':
    case 'petstore.webhook.redelivered':
    case 'petstore.webhook.disabled':
      return rich(webhookSentences[change.type], {
        webhook: <Name name={change.data.url} id={change.data.id} />,
      })
    default:
      // Test events, and the types of later versions.
      return otherSentence(change)
  }
}

const keySentences = {
  'petstore.key.created': 'The key {key} was created.',
  'petstore.key.revoked': 'The key {key} was revoked.',
} as const

const webhookSentences = {
  'petstore.webhook.created': 'The webhook {webhook} was added.',
  'petstore.webhook.updated': 'The webhook {webhook} was changed.',
  'petstore.webhook.deleted': 'The webhook {webhook} was deleted.',
  'petstore.webhook.secret-rotated': 'The webhook {webhook} has a new secret.',
  'petstore.webhook.redelivered': 'The webhook {webhook} was sent an event again.',
  'petstore.webhook.disabled': 'The webhook {webhook} was disabled by the store.',
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
  const link = <PetSnapshotLink pet={pet} />
  const changes: ReactNode[] = []
  if (before && pet.name !== before.name) {
    const old = <Name name={before.name} id={before.id} />
    changes.push(rich('{before} was renamed to {pet}.', { before: old, pet: link }))
  }
  if (before && pet.categoryId !== before.categoryId) {
    const from = <CategoryName id={before.categoryId} at={at} />
    const to = <CategoryName id={pet.categoryId} at={at} />
    changes.push(rich('{pet} was moved from {from} to {to}.', { pet: link, from, to }))
  }
  if (before && pet.status !== before.status) {
    changes.push(rich(statusChanges[pet.status ?? 'available'], { pet: link }))
  }
  // Without the previous state, the page does not know what changed.
  if (changes.length === 0) changes.push(rich('{pet} was changed.', { pet: link }))
  return changes.map((change, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the sentences keep their order
    <Fragment key={index}>
      {index > 0 && ' '}
      {change}
    </Fragment>
  ))
}

const statusChanges = {
  available: '{pet} was released.',
  pending: '{pet} was put on hold.',
  sold: '{pet} was marked as sold.',
} as const

const orderSentences = {
  'petstore.order.placed': '{order} was placed for {pet}, {units}.',
  'petstore.order.updated': '{order} was changed: it is now for {pet}, {units}.',
  'petstore.order.completed': '{order} was completed for {pet}, {units}.',
  'petstore.order.returned': '{order} has a return. It was for {pet}, {units}.',
  'petstore.order.cancelled': '{order} was cancelled for {pet}, {units}.',
} as const

interface OrderChangeProps extends AtProps {
  readonly order: Order
  readonly type: keyof typeof orderSentences
}

function OrderChange({ order, type, at }: OrderChangeProps) {
  const isGone = type === 'petstore.order.cancelled'
  return (
    <>
      {rich(orderSentences[type], {
        order: isGone ? t('Order {id}', { id: String(order.id) }) : <OrderLink id={order.id} />,
        pet: <PetLink id={order.petId} at={at} />,
        units: formatUnits(order.quantity),
      })}{' '}
      {type === 'petstore.order.returned' &&
        t('{units} came back so far.', { units: formatUnits(order.returned ?? 0n) })}
      {type === 'petstore.order.updated' &&
        order.shipDate &&
        t('It ships on {instant}.', { instant: formatInstant(order.shipDate) })}
    </>
  )
}

function StockChange({ item, at }: AtProps & { readonly item: InventoryItem }) {
  const { petId, quantity, reserved = 0n, reorderAt } = item
  const units = formatUnits(quantity)
  const stock =
    reserved > 0n
      ? t('{units} in stock, {reserved} reserved,', { units, reserved: formatCount(reserved) })
      : t('{units} in stock', { units })
  const facts = { pet: <PetLink id={petId} at={at} />, stock, status: statusWord(item) }
  if (reorderAt === undefined) return rich('{pet} has {stock} and is {status}.', facts)
  const level = formatCount(reorderAt)
  return rich('{pet} has {stock} and is {status}, to reorder at {level}.', { ...facts, level })
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
