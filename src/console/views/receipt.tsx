import { Button, Divider, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { SaleLine } from '../../client/petstore-client.ts'
import { petNumber } from '../data/pets.ts'
import { useSession } from '../data/session-context.ts'
import { formatMoney } from '../data/shop-currency.ts'
import { shopName } from '../data/shop-name.ts'
import { idIn } from '../data/url-filters.ts'
import { Empty } from '../parts/generic/empty.tsx'
import { Page } from '../parts/generic/page.tsx'
import { formatCount, formatInstant } from '../parts/names/format.ts'
import { Name, OrderLink } from '../parts/names/names.tsx'
import { Refusal } from '../parts/names/refusal.tsx'
import { ViewLink } from '../parts/names/view-link.tsx'
import { t } from '../words/sentences.tsx'
import type { ViewProps } from './view-props.ts'

const PAGE_MAX = 100

/** The receipt of a sale, with what came back since, for the printer of a till or of an office. */
export function ReceiptView({ id }: ViewProps) {
  const { client } = useSession()
  const receipt = idIn(id)
  const { data, error, refetch } = useQuery({
    queryKey: ['orders', 'receipt', id],
    queryFn: async () => {
      const lines: SaleLine[] = []
      const input = { receipt: receipt ?? 0n, limit: PAGE_MAX }
      for await (const line of client.listSales(input)) lines.push(line)
      return lines
    },
    enabled: receipt !== undefined,
  })
  const isMissing = receipt === undefined || data?.length === 0
  const isShown = data && data.length > 0
  return (
    <Page
      title={t('Receipt {id}', { id })}
      actions={isShown && <Button onClick={() => print()}>{t('Print')}</Button>}
    >
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      {isMissing ? (
        <Empty title={t('There is no such receipt')}>
          {t('A receipt has the number of the first order of a sale.')}{' '}
          <ViewLink href="/orders" underline="always">
            {t('All orders')}
          </ViewLink>
        </Empty>
      ) : data ? (
        <>
          <Receipt number={id} lines={data} />
          <Text size="sm">
            {t('Its orders:')}{' '}
            {[...new Set(data.map(({ orderId }) => orderId))].map(orderId => (
              <span key={String(orderId)}>
                <OrderLink id={orderId} />{' '}
              </span>
            ))}
          </Text>
        </>
      ) : (
        !error && <Skeleton height={300} maw={320} />
      )}
    </Page>
  )
}

/** What is printed. */
function Receipt({ number, lines }: { readonly number: string; readonly lines: readonly SaleLine[] }) {
  const sold = lines.filter(({ quantity }) => quantity > 0n)
  const returned = lines.filter(({ quantity }) => quantity < 0n)
  const reference = lines[0]?.reference
  return (
    <Paper withBorder className="printed receipt">
      <Stack gap="xs">
        <Title order={2} size="h4" ta="center" className="name">
          <Name name={shopName} />
        </Title>
        <div>
          <Text inherit>{t('Receipt {id}', { id: number })}</Text>
          {lines[0] && <Text inherit>{formatInstant(lines[0].at)}</Text>}
          {reference !== undefined && (
            <Text inherit className="name">
              {t('Reference {reference}', { reference })}
            </Text>
          )}
        </div>
        <Divider />
        <Lines lines={sold} />
        {returned.length > 0 && (
          <>
            <Row label={t('Sum of the sale')}>{formatMoney(sumOf(sold))}</Row>
            <Divider />
            <Text inherit fw={700}>
              {t('Returned')}
            </Text>
            <Lines lines={returned} isDated />
          </>
        )}
        <Divider />
        <Row label={t('Sum')} isBold>
          {formatMoney(sumOf(lines))}
        </Row>
      </Stack>
    </Paper>
  )
}

function sumOf(lines: readonly SaleLine[]): bigint {
  return lines.reduce((sum, { amount = 0n }) => sum + amount, 0n)
}

/** The lines in two rows each: the paper of a till has no room for four columns. */
function Lines({ lines, isDated = false }: { lines: readonly SaleLine[]; isDated?: boolean }) {
  return lines.map(({ id, at, petId, petName = petNumber(petId), quantity, unitPrice, amount }) => (
    <div key={String(id)} className="receipt-line">
      {isDated && <Text inherit>{formatInstant(at)}</Text>}
      <Text inherit className="name">
        <Name name={petName} id={petId} />
      </Text>
      <Row
        label={`${formatCount(quantity)} × ${unitPrice === undefined ? t('no price') : formatMoney(unitPrice)}`}
      >
        {amount === undefined ? '–' : formatMoney(amount)}
      </Row>
    </div>
  ))
}

interface RowProps {
  readonly label: string
  readonly isBold?: boolean
  readonly children: ReactNode
}

/** A label at the left, and its value at the right; below it if both are too wide. */
function Row({ label, isBold = false, children }: RowProps) {
  return (
    <Group justify="space-between" gap="xs" fw={isBold ? 700 : undefined}>
      <Text inherit className="name">
        {label}
      </Text>
      <Text inherit className="name" ms="auto" ta="end">
        {children}
      </Text>
    </Group>
  )
}
