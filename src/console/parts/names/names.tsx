import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKeyNames } from '../../data/key-names.ts'
import { isVisible, nameText, withoutIsolates } from '../../data/name-text.ts'
import { usePastName } from '../../data/past-names.ts'
import { UNREAD, useStoredPetName } from '../../data/pets.ts'
import { useSession } from '../../data/session-context.ts'
import { t } from '../../words/sentences.tsx'
import { ViewLink } from './view-link.tsx'

interface NameProps {
  readonly name: string
  /** The id of the resource. It is part of the text that is shown instead of an invisible name. */
  readonly id?: bigint
}

/** A name that someone entered. It does not change the direction of the text around it, and is never invisible. */
export function Name({ name, id }: NameProps) {
  if (isVisible(name)) return <bdi>{withoutIsolates(name)}</bdi>
  return (
    <Text component="span" inherit c="dimmed">
      {nameText(name, id)}
    </Text>
  )
}

/**
 * How long a name is used before it is read again, in milliseconds. An event about a category makes its name outdated
 * earlier.
 */
const NAME_FRESH_MS = 300_000

interface NameAtProps {
  readonly id: bigint
  /** The position in the log of the change that a sentence is about: it has the name of then. */
  readonly at?: bigint | undefined
}

/** The name of a category, `…` until it is read, or a text such as `Category 7` if it cannot be. */
export function CategoryName({ id, at }: NameAtProps) {
  const { client } = useSession()
  const { data, isPending } = useQuery({
    queryKey: ['categories', 'name', id],
    queryFn: async () => (await client.getCategory({ categoryId: id })).data.name,
    staleTime: NAME_FRESH_MS,
  })
  const past = usePastName({ resource: 'categories', id, at, enabled: at !== undefined })
  return <Name name={past ?? data ?? (isPending ? UNREAD : t('Category {id}', { id: String(id) }))} id={id} />
}

/** The name of a pet, as `useStoredPetName` returns it. */
export function PetName({ id, at }: NameAtProps) {
  return <Name name={useStoredPetName(id, at)} id={id} />
}

export function PetLink({ id, at }: NameAtProps) {
  return (
    <ViewLink href={`/pets/${id}`}>
      <PetName id={id} at={at} />
    </ViewLink>
  )
}

export function OrderLink({ id }: { readonly id: bigint }) {
  return <ViewLink href={`/orders/${id}`}>{t('Order {id}', { id: String(id) })}</ViewLink>
}

/** A link to the receipt of a sale. */
export function ReceiptLink({ receipt }: { readonly receipt: bigint }) {
  return <ViewLink href={`/receipts/${receipt}`}>{t('Receipt {id}', { id: String(receipt) })}</ViewLink>
}

/** The name of a key, or a text such as `Key 7` if it is not among those that `useKeyNames` reads. */
export function KeyName({ id }: { readonly id: bigint }) {
  return <Name name={useKeyNames().get(id)?.name ?? t('Key {id}', { id: String(id) })} id={id} />
}
