import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { type Dispatch, type KeyboardEvent, type SetStateAction, useRef, useState } from 'react'
import type { Pet } from '../../client/petstore-client.ts'
import { findPets, usePetName } from '../data/pets.ts'
import { reportFailure } from '../data/query-client.ts'
import { useScan } from '../data/scans.ts'
import { useSession } from '../data/session-context.ts'
import { delivery, type StockLine, stockLine } from '../data/stock-draft.ts'
import { hasActiveOption } from '../parts/generic/active-option.ts'
import { onlyMatch } from '../parts/generic/name-select.tsx'
import { Page } from '../parts/generic/page.tsx'
import { type Column, ColumnTable } from '../parts/generic/table.tsx'
import { Booking } from '../parts/inventory/booking.tsx'
import { UnitsInput } from '../parts/inventory/units-input.tsx'
import { formatArticles, formatUnits } from '../parts/names/format.ts'
import { PetLink, PetName } from '../parts/names/names.tsx'
import { optionOf, PetSelect } from '../parts/pets/pet-select.tsx'
import { rich, t } from '../words/sentences.tsx'

/** Goods that arrive: many pets with one note, by scanner or keyboard. */
export function Delivery() {
  const { lines, sent } = delivery.use()
  const isLocked = sent !== undefined
  const sum = lines.reduce((total, { units }) => total + units, 0n)
  /** What is searched for, and what was not found. It stays while the lines are booked. */
  const searches = useRef(new Set<Promise<void>>())
  const [missed, setMissed] = useState<readonly Missed[]>([])
  const settle = async (): Promise<boolean> => {
    await Promise.all(searches.current)
    return true
  }
  return (
    <Page title={t('Goods in')}>
      <Text>
        {t(
          'Scan each article, or type a word of its name and press Enter: each time, one unit is added. Change the units in the list. Nothing is booked before you press “Book”.',
        )}
      </Text>
      <NextArticle isLocked={isLocked} searches={searches.current} missed={missed} setMissed={setMissed} />
      {lines.length > 0 && (
        <Stack gap="xs">
          <Text role="status">
            {formatArticles(lines.length)}, {formatUnits(sum)}
          </Text>
          <ColumnTable
            label={t('Goods in')}
            columns={isLocked ? columns.slice(0, 2) : columns}
            rows={lines}
            idOf={({ petId }) => petId}
            minWidth={360}
          />
        </Stack>
      )}
      <Booking
        draft={delivery}
        defaultNote=""
        noteHelp={t('For example, the supplier and the delivery note')}
        settle={settle}
      />
    </Page>
  )
}

const columns: readonly Column<StockLine>[] = [
  { head: t('Pet'), cell: ({ petId }) => <PetLink id={petId} /> },
  { head: t('Units'), cell: line => <LineUnits line={line} /> },
  {
    head: t('Actions'),
    cell: ({ petId }) => (
      <Button size="compact-xs" variant="default" onClick={() => setUnits(petId, () => undefined)}>
        {t('Remove')}
      </Button>
    ),
  },
]

function LineUnits({ line: { petId, units } }: { readonly line: StockLine }) {
  const isLocked = delivery.use().sent !== undefined
  return (
    <UnitsInput
      aria-label={t('Units of {name}', { name: usePetName(petId) })}
      maw={120}
      allowNegative={false}
      disabled={isLocked}
      value={units}
      onChange={next => setUnits(petId, () => next ?? 0n)}
    />
  )
}

/** Changes the units of a pet, which has one line, or none if the units are undefined. */
function setUnits(petId: bigint, unitsAfter: (units: bigint) => bigint | undefined): void {
  delivery.update(draft => {
    if (draft.sent) return draft
    const line = draft.lines.find(one => one.petId === petId)
    const units = unitsAfter(line?.units ?? 0n)
    if (units === undefined) return { ...draft, lines: draft.lines.filter(one => one !== line) }
    const next = stockLine({ petId, units, from: 0n })
    if (!line) return { ...draft, lines: [next, ...draft.lines] }
    return { ...draft, lines: draft.lines.map(one => (one === line ? next : one)) }
  })
}

interface NextArticleProps {
  /** Whether the lines are being booked: what is scanned then can be added afterwards. */
  readonly isLocked: boolean
  readonly searches: Set<Promise<void>>
  readonly missed: readonly Missed[]
  readonly setMissed: Dispatch<SetStateAction<readonly Missed[]>>
}

/** The field for the next article. It is empty again at once, because a scanner does not wait for the store. */
function NextArticle({ isLocked, searches, missed, setMissed }: NextArticleProps) {
  const { client } = useSession()
  const [count, setCount] = useState(0)
  const [added, setAdded] = useState<bigint>()
  const add = (petId: bigint): void => {
    setUnits(petId, units => units + 1n)
    setAdded(petId)
  }
  const search = async (text: string): Promise<void> => {
    const found = await findPets(client, text, { limit: FOUND_MAX }).catch(reportFailure)
    const match = found && onlyMatch(found, text)
    if (match && !delivery.get().sent) add(match.id)
    else setMissed(all => [...all, { text, found: found || undefined }])
  }
  const take = (text: string): void => {
    const searching = search(text)
    searches.add(searching)
    void searching.finally(() => searches.delete(searching))
  }
  useScan(code => take(code.trim()))
  const onKeyDownCapture = (event: KeyboardEvent): void => {
    const { target, key, nativeEvent } = event
    if (key !== 'Enter' || nativeEvent.isComposing || !(target instanceof HTMLInputElement)) return
    const text = target.value.trim()
    if (text === '' || hasActiveOption(target)) return
    event.preventDefault()
    event.stopPropagation()
    setCount(count + 1)
    take(text)
  }
  return (
    <Stack gap="sm" maw={480} onKeyDownCapture={onKeyDownCapture}>
      {!isLocked && (
        <PetSelect
          key={count}
          isNext
          takesScans={false}
          first={undefined}
          value=""
          onChange={id => {
            if (id === '') return
            setCount(count + 1)
            add(BigInt(id))
          }}
        />
      )}
      <Text size="sm" role="status">
        {added !== undefined && rich('Added: {pet}', { pet: <PetName id={added} /> })}
      </Text>
      {missed.length > 0 && (
        <Alert color="yellow" role="alert" title={t('Not added')}>
          {missed.map((one, index) => (
            <MissedText
              // biome-ignore lint/suspicious/noArrayIndexKey: the same text may have been scanned twice
              key={index}
              missed={one}
              isLocked={isLocked}
              onChoose={petId => {
                add(petId)
                setMissed(all => all.filter(other => other !== one))
              }}
            />
          ))}
          <Button mt="sm" size="xs" variant="default" onClick={() => setMissed([])}>
            {t('Clear')}
          </Button>
        </Alert>
      )}
    </Stack>
  )
}

/** The maximum number of pets that are read for a text, and offered. */
const FOUND_MAX = 20

/** What was scanned or typed, and was not added. */
interface Missed {
  readonly text: string
  /** None, or several; undefined if the store did not respond. */
  readonly found: readonly Pet[] | undefined
}

interface MissedTextProps {
  readonly missed: Missed
  readonly isLocked: boolean
  readonly onChoose: (petId: bigint) => void
}

function MissedText({ missed: { text, found }, isLocked, onChoose }: MissedTextProps) {
  const written = (
    <Text span fw={600} className="name">
      {text}
    </Text>
  )
  if (!found) return <Text size="sm">{rich('{text}: the store did not respond.', { text: written })}</Text>
  if (found.length === 0)
    return <Text size="sm">{rich('{text}: no pet has this barcode or name.', { text: written })}</Text>
  return (
    <Stack gap={4}>
      <Text size="sm">
        {found.length === 1
          ? rich('{text}: scanned while the lines before it were booked. Add it:', { text: written })
          : rich('{text}: several pets match. Choose one:', { text: written })}
      </Text>
      <Group gap="xs">
        {found.map(pet => (
          <Button
            key={pet.id}
            size="compact-xs"
            variant="default"
            disabled={isLocked}
            onClick={() => onChoose(pet.id)}
          >
            {optionOf(pet, found).label}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}
