import { Alert, Button, Group, Select, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { ApiError, type Client, type Pet } from '../../../client/petstore-client.ts'
import { type Change, InvalidValues, oneByOne, type Refused, request } from '../../data/change.ts'
import { nameText } from '../../data/name-text.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { formatMoney } from '../../data/shop-currency.ts'
import { countText, t } from '../../words/sentences.tsx'
import { CategorySelect } from '../categories/category-select.tsx'
import { type DialogProps, type FieldOf, FormDialog, useForm } from '../generic/form-dialog.tsx'
import { TextField } from '../generic/text-field.tsx'
import { levelChange, levelIn } from '../inventory/stock-dialogs.tsx'
import { PetName } from '../names/names.tsx'
import { sentenceOf } from '../names/refusal.tsx'
import { words } from '../names/shop-words.ts'
import { priceAfter } from './price-after.ts'

/** What can be changed in many pets. */
type ChangeKind = 'move' | 'price' | 'hold' | 'release' | 'level'

interface Fields {
  readonly kind: ChangeKind
  readonly categoryId: bigint | undefined
  /** The change of the price in percent, as it was typed. */
  readonly percent: string
  readonly level: string
}

const labels = {
  kind: t('What to change'),
  categoryId: t('Category'),
  percent: t('Percent'),
  level: words.reorderAt,
}

/** The number of new prices that the dialog shows. */
const EXAMPLES_MAX = 3

interface ChangeManyProps extends DialogProps {
  readonly pets: readonly Pet[]
  readonly onDone: (refused: readonly Refused<Pet>[]) => void
}

/** The dialog that makes one change to many pets. */
function ChangeMany({ pets, onDone, onClose }: ChangeManyProps) {
  const { client } = useSession()
  const form = useForm<Fields>({ kind: 'move', categoryId: undefined, percent: '', level: '' }, labels)
  const { values } = form
  return (
    <FormDialog
      name="change-pets"
      title={countText(pets.length, 'Change {count} pet', 'Change {count} pets')}
      action={t('Change them')}
      done={(refused: readonly Refused<Pet>[]) => {
        // The price of a pet that has none stays as it is.
        const unpriced = values.kind === 'price' ? pets.filter(({ price }) => price === undefined) : []
        const count = pets.length - unpriced.length - refused.length
        const message = countText(count, '{count} pet was changed.', '{count} pets were changed.')
        notifications.show({ message })
      }}
      form={form}
      check={() => problemsOf(values, pets)}
      make={signal => changeOfAll(client, values, pets, signal)}
      look={{ path: '/pets', what: t('the pets') }}
      onDone={onDone}
      onClose={onClose}
    >
      {field => <ChangeFields field={field} values={values} pets={pets} />}
    </FormDialog>
  )
}

interface ChangeFieldsProps {
  readonly field: FieldOf<Fields>
  readonly values: Fields
  readonly pets: readonly Pet[]
}

function ChangeFields({ field, values: { kind, percent }, pets }: ChangeFieldsProps) {
  const can = useCan()
  const { value, onChange, ...choice } = field('kind')
  return (
    <>
      <Select
        {...choice}
        value={value}
        onChange={next => next && onChange(next)}
        data={[
          { value: 'move', label: t('Move to another category') },
          { value: 'price', label: t('Change the price by percent') },
          { value: 'hold', label: t('Put on hold') },
          { value: 'release', label: t('Release') },
          ...(can('inventory:write')
            ? [{ value: 'level' as const, label: t('Set the level “Reorder at”') }]
            : []),
        ]}
        allowDeselect={false}
      />
      {kind === 'move' && (
        <CategorySelect {...field('categoryId')} placeholder={t('Start of the name')} required />
      )}
      {kind === 'price' && (
        <>
          <TextField {...field('percent')} description={t('10 raises, -10 lowers the prices')} required />
          <NewPrices pets={pets} percent={percent} />
        </>
      )}
      {kind === 'level' && (
        <TextField
          {...field('level')}
          description={t(
            'With this many units in stock or fewer, the pet is in the list “To reorder”. Empty: never.',
          )}
          inputMode="numeric"
        />
      )}
    </>
  )
}

/** The first new prices, and how many pets have none. */
function NewPrices({ pets, percent }: { readonly pets: readonly Pet[]; readonly percent: string }) {
  const priced = pets.flatMap(pet => {
    const after = pet.price === undefined ? undefined : priceAfter(pet.price, percent)
    return pet.price === undefined || after === undefined ? [] : [{ ...pet, before: pet.price, after }]
  })
  const without = pets.filter(({ price }) => price === undefined).length
  return (
    <>
      {priced.slice(0, EXAMPLES_MAX).map(({ id, name, before, after }) => (
        <Text key={String(id)} size="sm" className="name">
          {nameText(name, id)}: {formatMoney(before)} → {formatMoney(after)}
        </Text>
      ))}
      {priced.length > EXAMPLES_MAX && (
        <Text size="sm">
          {countText(priced.length - EXAMPLES_MAX, 'and {count} more', 'and {count} more')}
        </Text>
      )}
      {without > 0 && (
        <Text size="sm" c="dimmed">
          {countText(
            without,
            '{count} pet has no price and stays as it is.',
            '{count} pets have no price and stay as they are.',
          )}
        </Text>
      )}
    </>
  )
}

function problemsOf(
  { kind, categoryId, percent, level }: Fields,
  pets: readonly Pet[],
): Record<string, string> {
  if (kind === 'move' && categoryId === undefined) return { categoryId: t('Category is required.') }
  if (kind === 'level' && levelIn(level) === undefined)
    return { level: t('Enter a whole number with digits only, such as 12.') }
  if (kind !== 'price') return {}
  if (priceAfter(0n, percent) === undefined)
    return { percent: t('Enter a percentage from -100 to 1000, such as 10 or -2.5.') }
  return pets.some(({ price }) => price !== undefined)
    ? {}
    : { percent: t('None of these pets has a price.') }
}

async function changeOfAll(
  client: Client,
  values: Fields,
  pets: readonly Pet[],
  signal: AbortSignal,
): Promise<Change<readonly Refused<Pet>[]>> {
  const parts: { subject: Pet; change: Change<unknown> }[] = []
  for (const pet of pets) {
    signal.throwIfAborted()
    const change = await Promise.resolve(changeOf(client, values, pet)).catch(refusedIfGone)
    if (change) parts.push({ subject: pet, change })
  }
  return oneByOne(parts)
}

/** Returns a change that is refused, for a pet that was deleted meanwhile; the changes of the others are made. */
function refusedIfGone(error: unknown): Change<unknown> {
  if (!(error instanceof ApiError && error.status === 404)) throw error
  return { send: () => Promise.reject(error), isRepeatable: true }
}

/** Returns the change of one pet; undefined for one without a price whose price changes. */
function changeOf(
  client: Client,
  { kind, categoryId, percent, level }: Fields,
  { id: petId, name, price }: Pet,
): Change<unknown> | Promise<Change<unknown>> | undefined {
  if (kind === 'level') return levelChange(client, petId, levelIn(level) ?? null)
  if (kind === 'price') {
    const after = price === undefined ? undefined : priceAfter(price, percent)
    return after === undefined ? undefined : priceChange(client, { petId, name, before: price, after })
  }
  const body = kind === 'move' ? { categoryId } : { status: statuses[kind] }
  return request(client, 'updatePet', { petId, body })
}

const statuses = { hold: 'pending', release: 'available' } as const

interface PriceChange {
  readonly petId: bigint
  readonly name: string
  readonly before: bigint | undefined
  readonly after: bigint
}

/**
 * Returns the change of a price on the condition that it is still the one that the user has seen. If somebody else has
 * made the same change, as in another tab, it is refused too.
 */
async function priceChange(client: Client, change: PriceChange): Promise<Change<unknown>> {
  const { petId, name, before, after } = change
  const { data, etag } = await client.getPet({ petId })
  if (before === after && data.price === after) return { send: async () => {}, isRepeatable: true }
  if (data.price !== before) {
    const names = { name: nameText(name, petId), price: formatMoney(after) }
    const text =
      data.price === after
        ? t('The price of {name} is {price} already. Choose the pets again.', names)
        : t('The price of {name} was changed meanwhile. Choose the pets again.', names)
    throw new InvalidValues({ percent: text })
  }
  return {
    ...request(client, 'updatePet', { petId, body: { price: after } }, etag),
    renew: () => priceChange(client, change),
  }
}

interface ChosenPetsProps {
  readonly pets: readonly Pet[]
  /** Whether pets match the filters that are not chosen. */
  readonly canChooseMore: boolean
  /** Chooses all pets that match the filters. */
  readonly onChooseAll: () => Promise<void>
  readonly onChange: (pets: readonly Pet[]) => void
}

/** What can be done with the pets that the user has chosen in the list, and what was refused. */
export function ChosenPets({ pets, canChooseMore, onChooseAll, onChange }: ChosenPetsProps) {
  const can = useCan()
  const [isOpen, setIsOpen] = useState(false)
  const [isReading, setIsReading] = useState(false)
  const [refused, setRefused] = useState<readonly Refused<Pet>[]>([])
  const chooseAll = async (): Promise<void> => {
    setIsReading(true)
    await onChooseAll().catch(error => notifications.show({ color: 'red', message: sentenceOf(error) }))
    setIsReading(false)
  }
  return (
    <>
      {refused.length > 0 && <RefusedPets refused={refused} onClear={() => setRefused([])} />}
      {can('pets:write') && (canChooseMore || pets.length > 0) && (
        <Group role="group" aria-label={t('Chosen pets')}>
          {pets.length > 0 && (
            <>
              <Text size="sm" fw={600}>
                {countText(pets.length, '{count} pet is chosen', '{count} pets are chosen')}
              </Text>
              <Button size="xs" onClick={() => setIsOpen(true)}>
                {t('Change them')}
              </Button>
              <Button size="xs" variant="default" onClick={() => onChange([])}>
                {t('Choose none')}
              </Button>
            </>
          )}
          {canChooseMore && (
            <Button size="xs" variant="default" loading={isReading} onClick={() => void chooseAll()}>
              {t('Choose all that match')}
            </Button>
          )}
        </Group>
      )}
      {isOpen && (
        <ChangeMany
          pets={pets}
          onClose={() => setIsOpen(false)}
          onDone={found => {
            setRefused(found)
            onChange([])
          }}
        />
      )}
    </>
  )
}

interface RefusedPetsProps {
  readonly refused: readonly Refused<Pet>[]
  readonly onClear: () => void
}

function RefusedPets({ refused, onClear }: RefusedPetsProps) {
  return (
    <Alert
      color="red"
      role="alert"
      title={countText(refused.length, '{count} pet was not changed', '{count} pets were not changed')}
      withCloseButton
      closeButtonLabel={t('Close')}
      onClose={onClear}
    >
      {refused.map(({ subject, error }) => (
        <Text key={String(subject.id)} size="sm">
          <PetName id={subject.id} />: {sentenceOf(error)}
        </Text>
      ))}
    </Alert>
  )
}
