import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Client } from '../../client/petstore-client.ts'
import { readCategoriesOf } from '../data/categories.ts'
import { nameText } from '../data/name-text.ts'
import { petNumber, readPets } from '../data/pets.ts'
import { useSession } from '../data/session-context.ts'
import { today } from '../data/shop-clock.ts'
import { shopName } from '../data/shop-name.ts'
import { Empty } from '../parts/generic/empty.tsx'
import { Page } from '../parts/generic/page.tsx'
import { type Column, ColumnTable } from '../parts/generic/table.tsx'
import { formatArticles, formatCount, formatFullDay } from '../parts/names/format.ts'
import { Name, PetLink } from '../parts/names/names.tsx'
import { Refusal } from '../parts/names/refusal.tsx'
import { words } from '../parts/names/shop-words.ts'
import { ViewLink } from '../parts/names/view-link.tsx'
import { csvFile } from '../parts/orders/csv-file.ts'
import { ListActions } from '../parts/orders/list-actions.tsx'
import { locale } from '../words/language.ts'
import { rich, t } from '../words/sentences.tsx'

const PAGE_MAX = 100

/** A pet at or below its level. */
interface Short {
  readonly petId: bigint
  readonly name: string
  readonly category: string
  readonly quantity: bigint
  readonly reserved: bigint
  readonly reorderAt: bigint
}

/** What to order from suppliers: the pets at or below their levels, by category. */
export function Reorder() {
  const { client } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: ['inventory', 'list to order'],
    queryFn: () => readShort(client),
  })
  const day = today.use()
  const categories = [...Map.groupBy(data ?? [], ({ category }) => category)]
  return (
    <Page title={t('List to order')}>
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <Empty title={t('Nothing to order')}>
          {rich('No pet is at or below its level. Levels are set in {inventory}.', {
            inventory: (
              <ViewLink href="/inventory" underline="always">
                {t('Inventory')}
              </ViewLink>
            ),
          })}
        </Empty>
      )}
      {data && data.length > 0 && (
        <Stack className="printed">
          <Group justify="space-between">
            <Text role="status">
              {rich('{shop}, {day}: {articles} to order.', {
                shop: <Name name={shopName} />,
                day: formatFullDay(day),

                articles: formatArticles(data.length),
              })}
            </Text>
            <ListActions name={day} file="order-list" textOf={isForExcel => fileOf(data, isForExcel)} />
          </Group>
          {categories.map(([category, short]) => (
            <Stack key={category} gap="xs">
              <Title order={2} size="h4" className="name">
                {category}
              </Title>
              <ColumnTable label={category} columns={columns} rows={short} idOf={({ petId }) => petId} />
            </Stack>
          ))}
        </Stack>
      )}
    </Page>
  )
}

const columns: readonly Column<Short>[] = [
  { head: t('Pet'), cell: ({ petId }) => <PetLink id={petId} /> },
  { head: words.quantity, isNumber: true, cell: ({ quantity }) => formatCount(quantity) },
  { head: words.reserved, isNumber: true, cell: ({ reserved }) => formatCount(reserved) },
  { head: words.reorderAt, isNumber: true, cell: ({ reorderAt }) => formatCount(reorderAt) },
  {
    head: t('Below the level'),
    isNumber: true,
    // At its level, a pet is to be ordered, and how many is for the owner to say.
    cell: short => (missingOf(short) === 0n ? '–' : formatCount(missingOf(short))),
  },
]

/** Returns the units that are missing up to the level, when the reserved ones are gone. */
function missingOf({ quantity, reserved, reorderAt }: Short): bigint {
  const missing = reorderAt - (quantity - reserved)
  return missing > 0n ? missing : 0n
}

async function readShort(client: Client): Promise<Short[]> {
  const items = await Array.fromAsync(client.listInventory({ toReorder: true, limit: PAGE_MAX }))
  const pets = await readPets(
    client,
    items.map(({ petId }) => petId),
  )
  const categories = await readCategoriesOf(client, pets)
  const names = new Map(pets.map(({ id, name }) => [id, nameText(name, id)]))
  return items
    .map(({ petId, quantity, reserved = 0n, reorderAt = 0n }) => ({
      petId,
      quantity,
      reserved,
      reorderAt,
      name: names.get(petId) ?? petNumber(petId),
      category: categories.get(petId)?.name ?? t('Deleted pets'),
    }))
    .toSorted((a, b) => a.category.localeCompare(b.category, locale) || a.name.localeCompare(b.name, locale))
}

function fileOf(short: readonly Short[], isForExcel: boolean): string {
  return csvFile(
    ['category', 'pet', 'petId', 'quantity', 'reserved', 'reorderAt', 'missing'],
    short,
    (one, { text }) => [
      text(one.category),
      text(one.name),
      one.petId,
      one.quantity,
      one.reserved,
      one.reorderAt,
      missingOf(one),
    ],
    isForExcel,
  )
}
