import { Alert, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ComponentType, Fragment, type ReactNode } from 'react'
import { ApiError, ConnectionError, type FieldError } from '../../../client/petstore-client.ts'
import { InvalidValues, UnknownOutcome } from '../../data/change.ts'
import { storedName } from '../../data/query-client.ts'
import { useSession } from '../../data/session-context.ts'
import { fieldWords, refusalWords, t } from '../../words/sentences.tsx'
import { formatCount } from './format.ts'
import { CategoryName, KeyName, PetName } from './names.tsx'
import { unitsForSale } from './shop-words.ts'

/** The labels of fields, by the name of the member of the body. */
type Labels = Readonly<Record<string, string>>

const UNKNOWN_OUTCOME = t(
  'The store did not respond, so the change may have been made: look before you make it again.',
)

/** The things whose names are shown in a message: how the store calls them, and where a name comes from. */
const kinds = {
  pets: { noun: 'Pet', withId: 'Pet {id}', NameOf: PetName },
  categories: { noun: 'Category', withId: 'Category {id}', NameOf: CategoryName },
  keys: { noun: 'Key', withId: 'Key {id}', NameOf: KeyName },
} as const

/** What an error is about, such as pet 3. */
interface ErrorSubject {
  readonly kind: keyof typeof kinds
  readonly id: bigint
}

function subjectOf(error: unknown): ErrorSubject | undefined {
  const [kind = '', id = ''] = (error instanceof ApiError && error.subject?.split('/')) || []
  return isKind(kind) && /^\d{1,19}$/.test(id) ? { kind, id: BigInt(id) } : undefined
}

function isKind(text: string): text is ErrorSubject['kind'] {
  return Object.hasOwn(kinds, text)
}

/** Returns the message to show for an error, with the names that the page has read. */
export function sentenceOf(error: unknown, labels?: Labels): string {
  const [first = '', ...others] = textsAroundName(error, labels)
  const subject = subjectOf(error)
  if (others.length === 0 || !subject) return first
  const { kind, id } = subject
  const name = storedName(kind, id) ?? t(kinds[kind].withId, { id: String(id) })
  return [first, ...others].join(name)
}

/** Shows the same message. It reads a name that the page does not know. */
function Message({ error, labels }: { readonly error: unknown; readonly labels: Labels }): ReactNode {
  const [first, ...others] = textsAroundName(error, labels)
  const subject = subjectOf(error)
  if (!subject) return first
  const NameOf: ComponentType<{ readonly id: bigint }> = kinds[subject.kind].NameOf
  return (
    <>
      {first}
      {others.map(text => (
        <Fragment key={text}>
          <NameOf id={subject.id} />
          {text}
        </Fragment>
      ))}
    </>
  )
}

/** Returns the message for an error: the texts before and after the name of its subject, or one text without a name. */
function textsAroundName(error: unknown, labels: Labels = {}): readonly string[] {
  if (error instanceof ApiError) {
    const subject = subjectOf(error)
    if (refusalWords) return translated(error, labels, refusalWords, subject)
    // The message about an invalid body quotes the messages in `errors`. They name members; the form shows labels.
    const { code, errors } = error
    if (errors.some(fieldError => withLabel(fieldError, labels) !== fieldError.message))
      return [`${errors.map(fieldError => withLabel(fieldError, labels).replace(/\.$/, '')).join('; ')}.`]
    if (code === 'precondition_failed') return ['Someone else has changed it meanwhile.']
    if (!subject) return [error.message]
    if (GONE.has(code)) return ['', ' is no longer in the shop.']
    return error.message.split(`${kinds[subject.kind].noun} ${subject.id}`)
  }
  if (error instanceof InvalidValues) return [error.message]
  if (error instanceof UnknownOutcome) return [UNKNOWN_OUTCOME]
  if (error instanceof ConnectionError) return [t('The store does not respond.')]
  return [t('Something went wrong in this page. Reload the page and try again.')]
}

const GONE: ReadonlySet<string> = new Set<ApiError['code']>(['pet_not_found', 'inventory_item_not_found'])

/** Returns the sentence for the code of a refusal, with its subject, or what is wrong with each field. */
function translated(
  { code, errors, message }: ApiError,
  labels: Labels,
  sentences: NonNullable<typeof refusalWords>,
  subject: ErrorSubject | undefined,
): readonly string[] {
  if (errors.length > 0) return [errors.map(fieldError => withLabel(fieldError, labels)).join(' ')]
  // A later store may have other codes.
  if (!Object.hasOwn(sentences, code) || code === 'unknown') return [message]
  return subject ? ['', `: ${sentences[code]}`] : [sentences[code]]
}

/** Returns the messages of a refusal about members of the body, by the name of the top-level member. */
export function fieldErrors(error: unknown, labels: Labels = {}): Readonly<Record<string, string>> {
  if (error instanceof InvalidValues) return error.problems
  if (!(error instanceof ApiError)) return {}
  const fields = error.errors.filter(({ pointer }) => pointer !== undefined && pointer !== '')
  return Object.fromEntries(fields.map(fieldError => [memberOf(fieldError), withLabel(fieldError, labels)]))
}

function memberOf({ pointer = '' }: FieldError): string {
  return pointer.split('/')[1] ?? ''
}

/** Replaces the name of the member at the start of a message, such as `scopes[0]`, with the label of its field. */
function withLabel(error: FieldError, labels: Labels): string {
  const member = memberOf(error)
  const label = labels[member]
  if (fieldWords) return `${label ?? (member || error.name)}: ${fieldWords[error.code] ?? error.message}`
  if (label === undefined) return error.message
  const [start = ''] = error.message.split(' ', 1)
  return start.replace(/\[\d+\]$/, '') === member ? label + error.message.slice(start.length) : error.message
}

/** Says how many units there are, if there were too few for a change. */
function StockNow({ error }: { readonly error: unknown }): ReactNode {
  const subject = subjectOf(error)
  const isAboutStock =
    error instanceof ApiError && ['insufficient_stock', 'stock_below_reserved'].includes(error.code)
  return isAboutStock && subject?.kind === 'pets' && <StockOf petId={subject.id} />
}

function StockOf({ petId }: { readonly petId: bigint }): ReactNode {
  const { client } = useSession()
  const { data: stock } = useQuery({
    queryKey: ['inventory', 'refused', petId],
    queryFn: async () => (await client.getInventoryItem({ petId })).data,
    staleTime: 0,
  })
  if (!stock) return null
  const numbers = {
    quantity: formatCount(stock.quantity),
    reserved: formatCount(stock.reserved ?? 0n),
    free: formatCount(unitsForSale(stock)),
  }
  return ` ${t('In stock: {quantity}, reserved: {reserved}, for sale: {free}.', numbers)}`
}

interface RefusalProps {
  readonly error: unknown
  /** The labels of the fields. Each field shows the messages about its own member of the body. */
  readonly labels?: Labels | undefined
  readonly onRetry?: () => void
}

/** Shows an error as an alert, unless all of its messages are shown at fields. Shows nothing if there is no error. */
export function Refusal({ error, labels = {}, onRetry }: RefusalProps) {
  if (!error) return null
  const fields = Object.keys(fieldErrors(error))
  if (fields.length > 0 && fields.every(name => Object.hasOwn(labels, name))) return null
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      title={error instanceof ApiError ? t('Request refused') : t('Request failed')}
    >
      <Text size="sm">
        <Message error={error} labels={labels} />
        <StockNow error={error} />
      </Text>
      <Group justify="space-between" mt="xs">
        {requestId && (
          <Text size="xs" c="dimmed">
            {t('Request {id}', { id: requestId })}
          </Text>
        )}
        {onRetry && (
          <Button size="xs" variant="light" color="red" onClick={onRetry}>
            {t('Try again')}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
