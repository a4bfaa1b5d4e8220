import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Pet } from '../../client/petstore-client.ts'
import type { Version } from '../data/edit.ts'
import { petNumber, usePet, useStock, useStoredPetName } from '../data/pets.ts'
import { useCan } from '../data/session-context.ts'
import { formatMoney } from '../data/shop-currency.ts'
import { idIn } from '../data/url-filters.ts'
import { PetTimeline } from '../parts/events/pet-timeline.tsx'
import { Empty } from '../parts/generic/empty.tsx'
import { Figure } from '../parts/generic/figure.tsx'
import { Page, PageSkeleton } from '../parts/generic/page.tsx'
import { PetMovements } from '../parts/inventory/pet-movements.tsx'
import { CategoryName } from '../parts/names/names.tsx'
import { Refusal } from '../parts/names/refusal.tsx'
import { statusWord, unitsForSale, words } from '../parts/names/shop-words.ts'
import { ViewLink } from '../parts/names/view-link.tsx'
import { OpenOrders } from '../parts/orders/open-orders.tsx'
import { StateDiagram } from '../parts/pets/state-diagram.tsx'
import { StatusBadge } from '../parts/pets/status.tsx'
import { t } from '../words/sentences.tsx'
import { NotFound } from './not-found.tsx'
import { type OpenedPetDialog, PetActions, PetDialog } from './pet-actions.tsx'
import type { ViewProps } from './view-props.ts'

/** Returns the states of a pet. The one between the others is the hold, or that open orders reserve every unit. */
const statesOf = (pending: string) => [
  { name: t('available') },
  { name: pending, reachedBy: t('held, or all units reserved') },
  { name: t('sold'), reachedBy: t('no unit in stock') },
]

export function PetView({ id }: ViewProps) {
  const petId = idIn(id)
  // The React key resets the page for another pet, so that no dialog of the previous pet stays open.
  return petId === undefined ? <NotFound /> : <PetPage key={id} petId={petId} />
}

function PetPage({ petId }: { readonly petId: bigint }) {
  const [opened, setOpened] = useState<OpenedPetDialog>()
  return (
    <>
      <PetContent petId={petId} onOpen={setOpened} />
      {/* Outside the content, which changes if the pet is deleted: what the user entered must not disappear. */}
      {opened && <PetDialog opened={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

interface PetContentProps {
  readonly petId: bigint
  readonly onOpen: (opened: OpenedPetDialog) => void
}

function PetContent({ petId, onOpen }: PetContentProps): ReactNode {
  const { data: pet, error, refetch } = usePet(petId)
  const storedName = useStoredPetName(petId)
  const can = useCan()
  const refusal = error && <Refusal error={error} onRetry={() => void refetch()} />
  if (pet === undefined) return error ? <Page title={petNumber(petId)}>{refusal}</Page> : <PageSkeleton />
  return (
    <Page title={pet?.data.name ?? storedName} id={petId}>
      {/* A failed read keeps the details, which have the state of a change. */}
      {refusal}
      {pet ? <PetDetails pet={pet} onOpen={onOpen} /> : <NoPet petId={petId} />}
      {can('audit:read') && <PetTimeline petId={petId} />}
    </Page>
  )
}

interface PetDetailsProps extends Pick<PetContentProps, 'onOpen'> {
  readonly pet: Version<Pet>
}

function PetDetails({ pet, onOpen }: PetDetailsProps) {
  const { id, categoryId, status, price, barcode } = pet.data
  const { data: version } = useStock(id)
  const stock = version?.data
  const known = { ...stock, status }
  const isPending = status === 'pending'
  const can = useCan()
  return (
    <>
      <Stack gap="sm">
        <Group gap="sm">
          <StatusBadge {...known} />
          <ViewLink href={`/pets?categoryId=${categoryId}`} className="name">
            <CategoryName id={categoryId} />
          </ViewLink>
          {price !== undefined && <Text>{formatMoney(price)}</Text>}
          {barcode !== undefined && <Text size="sm">{t('Barcode {code}', { code: barcode })}</Text>}
          <Text c="dimmed" size="sm">
            {petNumber(id)}
          </Text>
        </Group>
        <StateDiagram
          label={t('States of the pet')}
          states={statesOf(statusWord(isPending ? known : { status: 'pending' }))}
          current={statusWord(known)}
        />
        {isPending && stock && (
          <Text c="dimmed" size="sm">
            {stock.quantity > (stock.reserved ?? 0n)
              ? t('On hold: it cannot be sold.')
              : t('All units are reserved by open orders.')}
          </Text>
        )}
      </Stack>
      <SimpleGrid cols={{ base: 2, xs: stock?.reorderAt === undefined ? 3 : 4 }} maw={640}>
        <Figure label={words.quantity} count={stock?.quantity} />
        <Figure label={words.reserved} count={stock && (stock.reserved ?? 0n)} />
        <Figure label={words.forSale} count={stock && unitsForSale(known)} />
        {stock?.reorderAt !== undefined && <Figure label={words.reorderAt} count={stock.reorderAt} />}
      </SimpleGrid>
      <PetActions pet={pet} stock={version} onOpen={onOpen} />
      {can('orders:read') && <OpenOrders petId={id} />}
      {can('inventory:read') && <PetMovements petId={id} />}
    </>
  )
}

function NoPet({ petId }: { readonly petId: bigint }) {
  return (
    <Empty title={t('There is no pet {id}', { id: String(petId) })}>
      {t('It was deleted, or it never existed.')}{' '}
      <ViewLink href="/pets" underline="always">
        {t('See all pets')}
      </ViewLink>
    </Empty>
  )
}
