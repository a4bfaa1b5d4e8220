import type { ApiResponse, Order } from '../../../client/petstore-client.ts'
import { request } from '../../data/change.ts'
import { dayAfter } from '../../data/days.ts'
import { useSession } from '../../data/session-context.ts'
import { today } from '../../data/shop-clock.ts'
import { dayIn, startOfDay } from '../../data/shop-zone.ts'
import { t } from '../../words/sentences.tsx'
import { FormDialog, useForm } from '../generic/form-dialog.tsx'
import { TextField } from '../generic/text-field.tsx'
import { UnitsInput } from '../inventory/units-input.tsx'
import { PetSelect } from '../pets/pet-select.tsx'
import { noteSale } from './sale-note.tsx'
import { orderBody, type SellProps } from './sell.tsx'

/** The dialog that keeps units for a customer who collects them later: an open order. */
export function Reserve({ pet, onClose }: SellProps) {
  const { client } = useSession()
  const day = today.use()
  const form = useForm<{ petId: string; quantity: bigint | undefined; reference: string; shipDate: string }>(
    { petId: pet ? String(pet.id) : '', quantity: 1n, reference: '', shipDate: '' },
    { petId: t('Pet'), quantity: t('Units'), reference: t('For whom'), shipDate: t('Until') },
  )
  const { shipDate, reference, ...fields } = form.values
  return (
    <FormDialog
      name="reserve"
      title={t('Reserve')}
      action={t('Reserve')}
      done={(order: ApiResponse<Order>) => noteSale(client, order.data)}
      form={form}
      check={() => ({
        ...(reference.trim() === '' && { reference: t('Enter the name of the customer.') }),
        ...(shipDate !== '' &&
          (dayIn(shipDate) === '' || shipDate < day) && { shipDate: t('Choose today or a later day.') }),
      })}
      make={() =>
        request(client, 'placeOrder', {
          body: orderBody(fields, {
            reference,
            complete: false,
            // The last moment of the day: the reservation is overdue when the next one begins.
            ...(shipDate !== '' && { shipDate: startOfDay(dayAfter(shipDate, 1), 1) }),
          }),
        })
      }
      look={{ path: '/orders', what: t('the newest orders') }}
      onClose={onClose}
    >
      {field => (
        <>
          <PetSelect first={pet} {...field('petId')} />
          <UnitsInput {...field('quantity')} isOrdered data-autofocus={pet !== undefined || undefined} />
          <TextField
            {...field('reference')}
            description={t('The customer; “Orders” finds the reservation by this name')}
            required
          />
          <TextField
            {...field('shipDate')}
            type="date"
            min={day}
            max="9999-12-30"
            description={t('The last day on which the units are kept; empty if it is not known')}
          />
        </>
      )}
    </FormDialog>
  )
}
