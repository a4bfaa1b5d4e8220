import { Button, Group, Stack, Text } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { type StockLine, stockLine, useStockDraft } from '../data/stock-draft.ts'
import { Page } from '../parts/generic/page.tsx'
import { type Column, ColumnTable } from '../parts/generic/table.tsx'
import { Booking } from '../parts/inventory/booking.tsx'
import { UnitsInput } from '../parts/inventory/units-input.tsx'
import { countText, formatChange, formatUnits } from '../parts/names/format.ts'
import { PetLink, PetName } from '../parts/names/names.tsx'
import { PetSelect } from '../parts/pets/pet-select.tsx'

/** Goods that arrive: many articles with one note, by scanner or keyboard. */
export function Delivery() {
  const [draft, setDraft] = useStockDraft('delivery')
  const { lines, note, sentAt } = draft
  const isLocked = sentAt !== undefined
  const setLines = (next: readonly StockLine[]): void => setDraft({ lines: next, note })
  const sum = lines.reduce((total, { units }) => total + units, 0n)
  const columns: readonly Column<StockLine>[] = [
    { head: 'Pet', cell: ({ petId }) => <PetLink id={petId} /> },
    { head: 'Units', isNumber: true, cell: ({ units }) => formatChange(units) },
    {
      head: 'Actions',
      cell: line => (
        <Button
          size="compact-xs"
          variant="default"
          disabled={isLocked}
          onClick={() => setLines(lines.filter(one => one !== line))}
        >
          Remove
        </Button>
      ),
    },
  ]
  return (
    <Page title="Goods in">
      <Text>
        Scan or search an article, enter its units, and press Enter. Nothing is booked before you press
        “Book”.
      </Text>
      {!isLocked && (
        <AddLine
          onAdd={(petId, units) => {
            const same = lines.find(line => line.petId === petId)
            const others = lines.filter(line => line !== same)
            setLines([stockLine('delivery', petId, units + (same?.units ?? 0n)), ...others])
          }}
        />
      )}
      {lines.length > 0 && (
        <Stack gap="xs">
          <Text role="status">
            {countText(lines.length, 'article', 'articles')}, {formatUnits(sum)}
          </Text>
          <ColumnTable
            label="Goods in"
            columns={columns}
            rows={lines}
            idOf={({ key }) => key}
            minWidth={360}
          />
        </Stack>
      )}
      <Booking draft={draft} onChange={setDraft} noteHelp="For example, the supplier and the delivery note" />
    </Page>
  )
}

interface AddLineProps {
  readonly onAdd: (petId: bigint, units: bigint) => void
}

/** The fields for the next article. After each one, the next can be scanned. */
function AddLine({ onAdd }: AddLineProps) {
  const [added, setAdded] = useState<{ readonly petId: bigint; readonly count: number }>()
  const [petId, setPetId] = useState('')
  const [units, setUnits] = useState<bigint | undefined>(1n)
  const [problems, setProblems] = useState<{ readonly petId?: string; readonly units?: string }>({})
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    const isValid = units !== undefined && units > 0n
    setProblems({
      ...(petId === '' && { petId: 'Choose an article.' }),
      ...(!isValid && { units: 'Enter the units that arrived, such as 12.' }),
    })
    if (petId === '' || !isValid) return
    onAdd(BigInt(petId), units)
    setAdded({ petId: BigInt(petId), count: (added?.count ?? 0) + 1 })
    setPetId('')
    setUnits(1n)
  }
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="sm" maw={480}>
        <PetSelect
          key={added?.count ?? 0}
          isNext
          first={undefined}
          value={petId}
          onChange={setPetId}
          error={problems.petId}
        />
        <UnitsInput
          label="Units"
          value={units}
          onChange={setUnits}
          allowNegative={false}
          error={problems.units}
        />
        <Group>
          <Button type="submit" variant="light">
            Add
          </Button>
          <Text size="sm" role="status" aria-live="polite">
            {added && (
              <>
                Added: <PetName id={added.petId} />
              </>
            )}
          </Text>
        </Group>
      </Stack>
    </form>
  )
}
