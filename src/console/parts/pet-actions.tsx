import { Button, Group, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Pet } from '../../client/petstore-client.ts'
import type { Version } from '../data/edit.ts'
import { useCan, useSession } from '../data/store.ts'
import { DeletePet, EditPet, SellPet } from './pet-forms.tsx'
import { Refusal } from './refusal.tsx'
import { AdjustDialog, CountDialog } from './stock-dialogs.tsx'

type Dialog = 'edit' | 'sell' | 'delete' | 'count' | 'adjust'

interface PetActionsProps {
  readonly pet: Version<Pet>
  /** Units on hand; undefined while they are loading. */
  readonly quantity: bigint | undefined
}

/** The buttons for the changes to a pet that the key of the session may make. Shows nothing if there are none. */
export function PetActions({ pet, quantity }: PetActionsProps) {
  const can = useCan()
  const [dialog, setDialog] = useState<Dialog>()
  const hold = useHold(pet.value)
  const { status } = pet.value
  const canEdit = can('pets:write')
  const canCount = can('inventory:write')
  if (!canEdit && !canCount) return null
  const opens = (name: Dialog) => ({ variant: 'default', onClick: () => setDialog(name) })
  return (
    <Stack gap="sm">
      <Group gap="xs" role="group" aria-label="Actions">
        {canEdit && <Button {...opens('edit')}>Edit</Button>}
        {canEdit && status !== 'sold' && (
          <Button variant="default" loading={hold.isPending} onClick={() => hold.mutate()}>
            {status === 'pending' ? 'Release' : 'Put on hold'}
          </Button>
        )}
        {canEdit && status !== 'sold' && <Button {...opens('sell')}>Mark as sold</Button>}
        {canCount && <Button {...opens('count')}>Set stock</Button>}
        {canCount && <Button {...opens('adjust')}>Adjust</Button>}
        {canEdit && (
          <Button {...opens('delete')} c="var(--mantine-color-error)">
            Delete
          </Button>
        )}
      </Group>
      <Refusal error={hold.error} />
      <PetDialog pet={pet} quantity={quantity} dialog={dialog} onClose={() => setDialog(undefined)} />
    </Stack>
  )
}

/** Puts an available pet on hold, or releases a pending one. Neither asks first, because the other one undoes it. */
function useHold({ id, name, status }: Pet) {
  const { client } = useSession()
  const queries = useQueryClient()
  const isPending = status === 'pending'
  return useMutation({
    mutationFn: () => client.updatePet({ petId: id, body: { status: isPending ? 'available' : 'pending' } }),
    onSuccess: async () => {
      notifications.show({ message: isPending ? `${name} was released.` : `${name} is on hold.` })
      await queries.invalidateQueries()
    },
  })
}

interface PetDialogProps extends PetActionsProps {
  readonly dialog: Dialog | undefined
  readonly onClose: () => void
}

function PetDialog({ pet, quantity, dialog, onClose }: PetDialogProps) {
  const [, navigate] = useLocation()
  const { id: petId, name } = pet.value
  switch (dialog) {
    case 'edit':
      return <EditPet pet={pet} onClose={onClose} />
    case 'sell':
      return <SellPet pet={pet.value} onClose={onClose} />
    case 'delete':
      return <DeletePet pet={pet.value} onClose={onClose} onDeleted={() => navigate('/pets')} />
    case 'count':
      return <CountDialog petId={petId} name={name} quantity={quantity} onClose={onClose} />
    case 'adjust':
      return <AdjustDialog petId={petId} name={name} onClose={onClose} />
    default:
      return null
  }
}
