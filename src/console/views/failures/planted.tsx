import { Button, Group, MultiSelect, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { BenchReport, FaultOutcome, PlantableFault } from '../../../client/petstore-client.ts'
import { type Change, request } from '../../data/change.ts'
import { hostClient, sandboxId } from '../../data/host-api.ts'
import { useSession } from '../../data/session-context.ts'
import { type DialogProps, FormDialog, useForm } from '../../parts/generic/form-dialog.tsx'
import { type Column, ColumnTable } from '../../parts/generic/table.tsx'
import type { Look } from '../../parts/generic/unknown-alert.tsx'
import { Refusal } from '../../parts/names/refusal.tsx'
import { t } from '../../words/sentences.tsx'

const TABLE_MIN_PX = 700
/** How often the counts are read again, in milliseconds. */
const REFRESH_MS = 2000

interface PlantedRow extends FaultOutcome {
  readonly summary: string
}

const columns: readonly Column<PlantedRow>[] = [
  { head: t('Name'), cell: ({ id }) => id },
  { head: t('What is wrong'), cell: ({ summary }) => summary },
  { head: t('Operation'), cell: ({ operation }) => operation ?? t('All') },
  { head: t('Wrong responses'), isNumber: true, cell: ({ provoked }) => provoked },
]

/** The faults of a sandbox that is wrong on purpose, and a dialog to choose them. */
export function PlantedFaults({ look }: { readonly look: Look }) {
  const { key } = useSession()
  const [isPlanting, setPlanting] = useState(false)
  const { data: known = [], error: unread } = useQuery({
    queryKey: ['plantable-faults'],
    queryFn: async () => (await hostClient(key).listPlantableFaults({ sandboxId })).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data: report, error } = useQuery({
    queryKey: ['planted-faults'],
    queryFn: async () => (await hostClient(key).getBenchReport({ sandboxId })).data,
    refetchInterval: REFRESH_MS,
  })
  const rows = (report?.faults ?? []).map(outcome => ({
    ...outcome,
    summary: known.find(({ id }) => id === outcome.id)?.summary ?? '',
  }))
  return (
    <Stack mt="lg">
      <Group justify="space-between">
        <Title order={2} size="h3">
          {t('Planted faults')}
        </Title>
        {/* A change replaces all faults, so it needs those that are there. */}
        <Button variant="default" disabled={!report} onClick={() => setPlanting(true)}>
          {t('Plant faults')}
        </Button>
      </Group>
      {report && <Text c="dimmed">{aboutFaults(report)}</Text>}
      <Refusal error={unread ?? error} />
      {rows.length > 0 && (
        <ColumnTable
          label={t('Planted faults')}
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          minWidth={TABLE_MIN_PX}
        />
      )}
      {isPlanting && (
        <PlantDialog known={known} planted={rows} look={look} onClose={() => setPlanting(false)} />
      )}
    </Stack>
  )
}

function aboutFaults({ hunt, faults }: BenchReport): string {
  if (hunt?.isRevealed === false)
    return t('A hunt is on: the store is wrong, and its faults are secret until findings are scored.')
  if (faults?.length)
    return t(
      'The store is wrong in these ways, without a sign, for tools and programs that should notice it. What it stores stays right.',
    )
  return t('The store is right. Plant faults to see whether a tool or a program notices them.')
}

interface PlantProps extends DialogProps {
  readonly known: readonly PlantableFault[]
  readonly planted: readonly FaultOutcome[]
  readonly look: Look
}

function PlantDialog({ known, planted, look, onClose }: PlantProps) {
  const { key } = useSession()
  const form = useForm({ faults: planted.map(({ id }) => id) }, { faults: t('Faults') })
  const choiceOf = (id: string) => {
    const operation = planted.find(outcome => outcome.id === id)?.operation
    return { id, ...(operation !== undefined && { operation }) }
  }
  const make = (): Change<unknown> =>
    request(hostClient(key), 'setPlantedFaults', {
      sandboxId,
      body: { faults: form.values.faults.map(choiceOf) },
    })
  const classes = Map.groupBy(known, fault => fault.class)
  return (
    <FormDialog
      name="plant-faults"
      title={t('Plant faults')}
      action={t('Save')}
      done={t('Faults planted')}
      form={form}
      make={make}
      look={look}
      onClose={onClose}
    >
      {field => (
        <MultiSelect
          {...field('faults')}
          description={t('The counts begin at 0. Without a fault, the store is right again.')}
          data={[...classes].map(([group, faults]) => ({
            group,
            items: faults.map(({ id, summary }) => ({ value: id, label: `${id}: ${summary}` })),
          }))}
          searchable
        />
      )}
    </FormDialog>
  )
}
