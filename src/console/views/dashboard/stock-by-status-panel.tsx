import { Box, ColorSwatch, Group, Skeleton, Table } from '@mantine/core'
import { Suspense } from 'react'
import type { PetCounts } from '../../../client/petstore-client.ts'
import { lazyChart } from '../../parts/generic/chart.tsx'
import { Panel } from '../../parts/generic/panel.tsx'
import { formatCount } from '../../parts/names/format.ts'
import { statusWord } from '../../parts/names/shop-words.ts'
import { ViewLink } from '../../parts/names/view-link.tsx'
import { petStatuses } from '../../parts/pets/status.tsx'
import { t } from '../../words/sentences.tsx'

const StockByStatus = lazyChart(async () => (await import('../../charts/stock-by-status.tsx')).StockByStatus)

const RING_PX = 180

/** The colours of the status badges, in stronger shades because these areas contain no text. */
const colors = { available: 'teal.7', pending: 'yellow.6', sold: 'gray.6' } as const

interface StockByStatusPanelProps {
  /** Undefined while the numbers are loading. */
  readonly pets: PetCounts | undefined
}

export function StockByStatusPanel({ pets }: StockByStatusPanelProps) {
  const skeleton = <Skeleton height={RING_PX} circle />
  const isEmpty = pets && petStatuses.every(status => pets[status] === 0n)
  return (
    <Panel title={t('Pets by status')}>
      <Group justify="center" gap="xl" mih={220}>
        {/* The table has the same numbers, so screen readers skip the ring. */}
        <Box w={RING_PX} h={RING_PX} aria-hidden="true">
          <Suspense fallback={skeleton}>
            {!pets && skeleton}
            {pets && (
              <StockByStatus
                size={RING_PX}
                shares={
                  isEmpty
                    ? [{ name: t('no pets'), value: 1, color: 'gray.4' }]
                    : petStatuses.map(status => ({
                        name: statusWord({ status }),
                        value: Number(pets[status]),
                        color: colors[status],
                      }))
                }
              />
            )}
          </Suspense>
        </Box>
        <Table w="auto" withRowBorders={false} aria-label={t('Pets by status')}>
          <Table.Tbody>
            {petStatuses.map(status => (
              <Table.Tr key={status}>
                <Table.Td>
                  <ColorSwatch size={12} color={`var(--mantine-color-${colors[status].replace('.', '-')})`} />
                </Table.Td>
                <Table.Th scope="row" fw={400}>
                  <ViewLink href={`/pets?status=${status}`}>{statusWord({ status })}</ViewLink>
                </Table.Th>
                <Table.Td className="number">{pets ? formatCount(pets[status]) : '…'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Group>
    </Panel>
  )
}
