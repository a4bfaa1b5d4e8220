import { Button, Group, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import type { ApiResponse, InventoryItem, Pet } from '../../client/petstore-client.ts'
import { readPageAgain, request, useChange } from '../data/change.ts'
import type { Version } from '../data/edit.ts'
import { useCan, useSession } from '../data/session-context.ts'
import { ActButton } from '../parts/generic/act-button.tsx'
import type { DialogProps } from '../parts/generic/form-dialog.tsx'
import { UnknownAlert } from '../parts/generic/unknown-alert.tsx'
import { AdjustDialog, CountDialog, LevelDialog } from '../parts/inventory/stock-dialogs.tsx'
import { Refusal } from '../parts/names/refusal.tsx'
import { words } from '../parts/names/shop-words.ts'
import { Reserve } from '../parts/orders/reserve.tsx'
import { Sell } from '../parts/orders/sell.tsx'
import { DeletePet, EditPet, SellPet } from '../parts/pets/pet-forms.tsx'
import { t } from '../words/sentences.tsx'

/** An open dialog about a pet, with the versions that the user saw when it was opened. */
export type OpenedPetDialog =
  | { readonly dialog: 'edit' | 'delete' | 'adjust'; readonly pet: Version<Pet> }
  | {
      readonly dialog: 'sell' | 'count' | 'level' | 'order' | 'reserve'
      readonly pet: Version<Pet>
      readonly stock: Version<InventoryItem>
    }

interface PetActionsProps {
  readonly pet: Version<Pet>
  /** Undefined while the stock is loading. */
  readonly stock: Version<InventoryItem> | undefined
  readonly onOpen: (opened: OpenedPetDialog) => void
}

/** The buttons for the changes that the key of the session may make to a pet. Shows nothing if there are none. */
export function PetActions({ pet, stock, onOpen }: PetActionsProps) {
  const can = useCan()
  const hold = useHold(pet.data)
  const { status } = pet.data
  const canEdit = can('pets:write')
  const canCount = can('inventory:write')
  const canOrder = can('orders:write') && status === 'available'
  if (!canEdit && !canCount && !canOrder) return null
  const { quantity = 0n, reserved = 0n } = stock?.data ?? {}
  // If every unit is reserved, there is no hold to release: the pet becomes available when an order is cancelled.
  const canHold = canEdit && (status === 'available' || (status === 'pending' && quantity > reserved))
  // A dialog must be about the version that the user sees, not the one that the hold replaces.
  const isReplaced = hold.isRunning
  const opens = (dialog: 'edit' | 'delete' | 'adjust') => ({
    variant: 'default',
    disabled: isReplaced,
    onClick: () => onOpen({ dialog, pet }),
  })
  const opensWithStock = (dialog: 'sell' | 'count' | 'level' | 'order' | 'reserve') => ({
    variant: 'default',
    // The dialogs change the stock or depend on it, so the user must see it first.
    disabled: !stock || isReplaced,
    onClick: () => stock && onOpen({ dialog, pet, stock }),
  })
  return (
    <Stack gap="sm">
      <Group gap="xs" role="group" aria-label={t('Actions')}>
        {canEdit && <Button {...opens('edit')}>{t('Edit')}</Button>}
        {canOrder && (
          <Button {...opensWithStock('order')} variant="filled">
            {t('Sell')}
          </Button>
        )}
        {canOrder && <Button {...opensWithStock('reserve')}>{t('Reserve')}</Button>}
        {canHold && (
          <ActButton variant="default" change={hold} onAct={hold.toggle}>
            {status === 'pending' ? t('Release') : t('Put on hold')}
          </ActButton>
        )}
        {canEdit && canCount && status !== 'sold' && reserved === 0n && (
          <Button {...opensWithStock('sell')}>{t('Mark as sold')}</Button>
        )}
        {canCount && <Button {...opensWithStock('count')}>{t('Set stock')}</Button>}
        {canCount && <Button {...opens('adjust')}>{t('Adjust')}</Button>}
        {canCount && <Button {...opensWithStock('level')}>{words.reorderAt}</Button>}
        {canEdit && (
          <Button {...opens('delete')} c="var(--mantine-color-error)">
            {t('Delete')}
          </Button>
        )}
      </Group>
      <Refusal error={hold.error} />
      <UnknownAlert change={hold} look={{ path: `/pets/${pet.data.id}`, what: t('the pet') }} />
    </Stack>
  )
}

/**
 * Puts an available pet on hold, or releases a pending one. Neither action asks for confirmation, because each undoes
 * the other.
 */
function useHold({ id: petId, name, status }: Pet) {
  const { client } = useSession()
  const queries = useQueryClient()
  const change = useChange<ApiResponse<Pet>>('hold', {
    onDone: async ({ data }) => {
      const isHeld = data.status === 'pending'
      notifications.show({ message: t(isHeld ? '{name} is on hold.' : '{name} was released.', { name }) })
      await readPageAgain(queries)
    },
  })
  const next = status === 'pending' ? 'available' : 'pending'
  const toggle = (): void =>
    change.start(() => request(client, 'updatePet', { petId, body: { status: next } }))
  return { ...change, toggle }
}

/** The dialog that a button of `PetActions` opens. The page renders it even if the pet was deleted meanwhile. */
export function PetDialog({ opened, onClose }: DialogProps & { readonly opened: OpenedPetDialog }) {
  const [, navigate] = useLocation()
  const { dialog, pet } = opened
  const { id: petId, name } = pet.data
  switch (dialog) {
    case 'edit':
      return <EditPet pet={pet} onClose={onClose} />
    case 'sell':
      return <SellPet pet={pet} stock={opened.stock} onClose={onClose} />
    case 'delete':
      return <DeletePet pet={pet.data} onClose={onClose} onDeleted={() => navigate('/pets')} />
    case 'count':
      return <CountDialog petId={petId} name={name} stock={opened.stock} onClose={onClose} />
    case 'level':
      return <LevelDialog petId={petId} name={name} stock={opened.stock.data} onClose={onClose} />
    case 'order':
      return <Sell pet={{ ...pet.data, ...opened.stock.data }} onClose={onClose} />
    case 'reserve':
      return <Reserve pet={{ ...pet.data, ...opened.stock.data }} onClose={onClose} />
    case 'adjust':
      return <AdjustDialog petId={petId} name={name} onClose={onClose} />
  }
}
