import type { Order, OrderPatch } from '../../client/petstore-client.ts'
import { request } from '../data/change.ts'
import { useEdit, type Version } from '../data/edit.ts'
import { useSession } from '../data/session-context.ts'
import { amountIn, amountProblem, amountText, shopCurrency } from '../data/shop-currency.ts'
import { localTime } from '../data/shop-zone.ts'
import { AmountField } from '../parts/generic/amount-field.tsx'
import { editConflict } from '../parts/generic/conflict.tsx'
import { type DialogProps, FormDialog, useForm } from '../parts/generic/form-dialog.tsx'
import { InstantInput, instantIn, NOT_AN_INSTANT, TextField } from '../parts/generic/text-field.tsx'
import { UnitsInput } from '../parts/inventory/units-input.tsx'
import { t } from '../words/sentences.tsx'

interface Values {
  readonly quantity: bigint | undefined
  /** As a `datetime-local` field needs it: local time such as `2026-11-22T08:30`. Empty if the order has no date. */
  readonly shipDate: string
  readonly reference: string
  readonly unitPrice: string
}

const labels = {
  quantity: t('Units'),
  shipDate: t('Ship date'),
  reference: t('Reference'),
  unitPrice: t('Price of one ({currency})', { currency: shopCurrency }),
}

/** Of a complete order, only the reference can be changed. */
export function EditOrder({ order, onClose }: DialogProps & { readonly order: Version<Order> }) {
  const { client } = useSession()
  const { id: orderId, complete } = order.data
  const form = useForm(valuesOf(order.data), labels)
  const { values } = form
  const edit = useEdit(order, () => client.getOrder({ orderId }))
  return (
    <FormDialog
      name="edit-order"
      title={t(complete ? 'Reference of order {id}' : 'Edit order {id}', { id: String(orderId) })}
      action={t('Save')}
      done={t('Order changed')}
      form={form}
      check={() => ({
        ...amountProblem('unitPrice', values.unitPrice),
        ...(values.shipDate !== '' && !instantIn(values.shipDate) && { shipDate: NOT_AN_INSTANT }),
      })}
      make={() => {
        const { data, etag } = edit.base
        return request(client, 'updateOrder', { orderId, body: patchOf(values, valuesOf(data)) }, etag)
      }}
      look={{ path: `/orders/${orderId}`, what: t('the order') }}
      conflict={editConflict({
        edit,
        differences: theirs => differences(values, valuesOf(theirs)),
        onTakeTheirs: theirs => form.set(valuesOf(theirs)),
      })}
      onClose={onClose}
    >
      {field => (
        <>
          {!complete && (
            <>
              <UnitsInput {...field('quantity')} isOrdered data-autofocus />
              <AmountField {...field('unitPrice')} />
              <InstantInput {...field('shipDate')} />
            </>
          )}
          <TextField {...field('reference')} data-autofocus={complete || undefined} />
        </>
      )}
    </FormDialog>
  )
}

/**
 * Returns a patch with only the values that differ. The form has no seconds, so sending an unchanged date would drop
 * its seconds.
 */
function patchOf(values: Values, before: Values): OrderPatch {
  const { quantity, shipDate, reference, unitPrice } = values
  return {
    ...(quantity !== before.quantity && { quantity: quantity ?? 0n }),
    ...(unitPrice !== before.unitPrice && { unitPrice: amountIn(unitPrice) ?? null }),
    ...(shipDate !== before.shipDate && { shipDate: instantIn(shipDate) ?? null }),
    ...(reference !== before.reference && { reference: reference.trim() === '' ? null : reference.trim() }),
  }
}

function valuesOf({ quantity, shipDate, reference = '', unitPrice }: Order): Values {
  return {
    quantity,
    shipDate: shipDate ? localTime(Date.parse(shipDate)) : '',
    reference,
    unitPrice: unitPrice === undefined ? '' : amountText(unitPrice),
  }
}

function differences(mine: Values, theirs: Values) {
  const names = ['quantity', 'unitPrice', 'shipDate', 'reference'] as const
  return names
    .filter(name => mine[name] !== theirs[name])
    .map(name => ({
      label: labels[name],
      mine: String(mine[name] || '–'),
      theirs: String(theirs[name] || '–'),
    }))
}
