import { Alert, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ComponentType, ReactNode } from 'react'
import { ApiError, ConnectionError, type FieldError } from '../../../client/petstore-client.ts'
import { InvalidValues, UnknownOutcome } from '../../data/change.ts'
import { storedName } from '../../data/query-client.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { fieldWords, refusalWords, t } from '../../words/sentences.tsx'
import { formatCount } from './format.ts'
import { CategoryName, KeyName, PetName } from './names.tsx'
import { rewordRefusal, unitsForSale } from './shop-words.ts'

/** The labels of fields, by the name of the member of the body. */
type Labels = Readonly<Record<string, string>>

const UNKNOWN_OUTCOME = t(
  'The store did not respond, so the change may have been made: look before you make it again.',
)

/** What a message is about, such as `Pet 3`. */
const SUBJECT = /\b(Pet|Category|Key) (\d{1,19})\b/

/** Returns the message to show for an error, with the names that the page has read. */
export function sentenceOf(error: unknown, labels?: Labels): string {
  return messageOf(error, labels).replace(
    SUBJECT,
    (_, kind: SubjectKind, id: string) =>
      storedName(resources[kind], BigInt(id)) ?? t(subjects[kind], { id }),
  )
}

type SubjectKind = keyof typeof subjects
const subjects = { Pet: 'Pet {id}', Category: 'Category {id}', Key: 'Key {id}' } as const
/** The first part of the keys of the queries for one name, by the noun. The names of keys are read together. */
const resources: Readonly<Record<SubjectKind, string>> = { Pet: 'pets', Category: 'categories', Key: '' }

const nameParts: Readonly<Record<string, ComponentType<{ readonly id: bigint }>>> = {
  Pet: PetName,
  Category: CategoryName,
  Key: KeyName,
}

/** Shows the same message. It reads a name that the page does not know. */
function Sentence({ text }: { readonly text: string }): ReactNode {
  const [subject, kind = '', id = '0'] = SUBJECT.exec(text) ?? []
  const NameOf = nameParts[kind]
  if (subject === undefined || !NameOf) return text
  const [before = '', ...after] = text.split(subject)
  return (
    <>
      {before}
      <NameOf id={BigInt(id)} />
      {after.join(subject)}
    </>
  )
}

function messageOf(error: unknown, labels: Labels = {}): string {
  if (error instanceof ApiError) {
    if (refusalWords) return translated(error, labels, refusalWords)
    const { errors } = error
    // The message about an invalid body quotes the messages in `errors`. They name members; the form shows labels.
    const isReworded = errors.some(fieldError => withLabel(fieldError, labels) !== fieldError.message)
    return isReworded
      ? `${errors.map(fieldError => withLabel(fieldError, labels).replace(/\.$/, '')).join('; ')}.`
      : rewordRefusal(error)
  }
  if (error instanceof InvalidValues) return error.message
  if (error instanceof UnknownOutcome) return UNKNOWN_OUTCOME
  if (error instanceof ConnectionError) return t('The store does not respond.')
  return t('Something went wrong in this page. Reload the page and try again.')
}

/** Returns the sentence for the code of a refusal, with its subject, or what is wrong with each field. */
function translated(error: ApiError, labels: Labels, sentences: NonNullable<typeof refusalWords>): string {
  const { code, errors, message } = error
  if (errors.length > 0) return errors.map(fieldError => withLabel(fieldError, labels)).join(' ')
  // A later store may have other codes.
  if (!Object.hasOwn(sentences, code) || code === 'unknown') return message
  const [subject] = SUBJECT.exec(message) ?? []
  return subject === undefined ? sentences[code] : `${subject}: ${sentences[code]}`
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
  const isAboutStock =
    error instanceof ApiError && ['insufficient_stock', 'stock_below_reserved'].includes(error.code)
  const [, kind, id] = (isAboutStock && SUBJECT.exec(error.message)) || []
  return kind === 'Pet' && id !== undefined && <StockOf petId={BigInt(id)} />
}

function StockOf({ petId }: { readonly petId: bigint }): ReactNode {
  const { client } = useSession()
  const can = useCan()
  const { data: stock } = useQuery({
    queryKey: ['inventory', 'refused', petId],
    queryFn: async () => (await client.getInventoryItem({ petId })).data,
    enabled: can('inventory:read'),
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
        <Sentence text={messageOf(error, labels)} />
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
