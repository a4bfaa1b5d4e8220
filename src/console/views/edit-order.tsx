import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Order, OrderPatch } from '../../client/petstore-client.ts'
import { useSession } from '../data/store.ts'
import { Conflict } from '../parts/conflict.tsx'
import { CountInput, countIn } from '../parts/count-input.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'

interface EditOrderProps {
  readonly order: Order
  /** The version that the form shows. The store refuses the change if the order has another one by then. */
  readonly etag: string | undefined
  readonly onClose: () => void
}

/** The values of the form, as text. */
interface Values {
  readonly quantity: string
  /** For the field of the browser: `2026-11-22T08:30`, in its time zone; empty without a date. */
  readonly shipDate: string
  readonly reference: string
}

/** The dialog that changes an open order. */
export function EditOrder({ order, etag, onClose }: EditOrderProps) {
  const { client } = useSession()
  const [values, setValues] = useState(valuesOf(order))
  const [version, setVersion] = useState({ etag, order })
  const [theirs, setTheirs] = useState<{ order: Order; etag: string | undefined }>()
  const set = (changed: Partial<Values>): void => setValues({ ...values, ...changed })
  const submit = async (): Promise<void> => {
    try {
      await client.updateOrder(
        { orderId: order.id, body: patchOf(values, valuesOf(version.order)) },
        { ifMatch: version.etag },
      )
    } catch (error) {
      const current = await client.getOrder({ orderId: order.id }).catch(() => undefined)
      if (current) setTheirs({ order: current.data, etag: current.etag })
      throw error
    }
  }
  const decide = (chosen: Values): void => {
    if (theirs) setVersion(theirs)
    setTheirs(undefined)
    setValues(chosen)
  }
  const conflict = theirs ? (
    <Conflict
      differences={differences(values, valuesOf(theirs.order))}
      onTakeTheirs={() => decide(valuesOf(theirs.order))}
      onKeepMine={() => decide(values)}
    />
  ) : null
  return (
    <FormDialog
      title={`Edit order ${order.id}`}
      action="Save"
      done="Order changed"
      submit={submit}
      fields={['quantity', 'shipDate', 'reference']}
      conflict={conflict}
      onClose={onClose}
    >
      {errors => (
        <>
          <CountInput
            label="Units"
            value={values.quantity}
            onChange={quantity => set({ quantity })}
            error={errors.quantity}
          />
          <TextInput
            type="datetime-local"
            label="Ships"
            value={values.shipDate}
            onChange={event => set({ shipDate: event.currentTarget.value })}
            error={errors.shipDate}
          />
          <TextInput
            label="Reference"
            value={values.reference}
            onChange={event => set({ reference: event.currentTarget.value })}
            error={errors.reference}
          />
        </>
      )}
    </FormDialog>
  )
}

/** Returns the change from one set of values to another: only what differs, because a date loses its seconds here. */
function patchOf(values: Values, before: Values): OrderPatch {
  const { quantity, shipDate, reference } = values
  return {
    ...(quantity !== before.quantity && { quantity: countIn(quantity) ?? 0n }),
    ...(shipDate !== before.shipDate && {
      shipDate: shipDate === '' ? null : new Date(shipDate).toISOString(),
    }),
    ...(reference !== before.reference && { reference: reference.trim() === '' ? null : reference.trim() }),
  }
}

function valuesOf({ quantity, shipDate, reference = '' }: Order): Values {
  return { quantity: String(quantity), shipDate: shipDate ? localTime(shipDate) : '', reference }
}

/** Returns an instant as the field of the browser needs it: local, to the minute, without a zone. */
function localTime(instant: string): string {
  const date = new Date(instant)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function differences(mine: Values, theirs: Values) {
  const labels: Readonly<Record<keyof Values, string>> = {
    quantity: 'Units',
    shipDate: 'Ships',
    reference: 'Reference',
  }
  const names: readonly (keyof Values)[] = ['quantity', 'shipDate', 'reference']
  return names
    .filter(name => mine[name] !== theirs[name])
    .map(name => ({ label: labels[name], mine: mine[name] || '–', theirs: theirs[name] || '–' }))
}
