import { dayAfter } from '../data/days.ts'
import { useKeyNames } from '../data/key-names.ts'
import { nameText } from '../data/name-text.ts'
import { dayIn, shopZone, startOfDay } from '../data/shop-zone.ts'
import { idIn, useUrlFilters } from '../data/url-filters.ts'
import { Diary } from '../parts/events/diary.tsx'
import { Empty, ReversedDays } from '../parts/generic/empty.tsx'
import { FilterSelect, Filters } from '../parts/generic/filters.tsx'
import { Page } from '../parts/generic/page.tsx'
import { TextField } from '../parts/generic/text-field.tsx'
import { UnitsInput } from '../parts/inventory/units-input.tsx'
import { PetFilter } from '../parts/pets/pet-filter.tsx'
import { t } from '../words/sentences.tsx'

export function Audit() {
  const names = useKeyNames()
  const { get, set } = useUrlFilters()
  const petId = idIn(get('petId'))
  const orderId = idIn(get('orderId'))
  const keyId = idIn(get('keyId'))
  const since = dayIn(get('since'))
  const until = dayIn(get('until'))
  const filters = {
    ...(petId !== undefined && { petId }),
    ...(orderId && { subject: `orders/${orderId}` }),
    ...(keyId !== undefined && { keyId }),
    ...(since !== '' && { since: startOfDay(since) }),
    ...(until !== '' && { until: startOfDay(dayAfter(until, 1)) }),
  }
  const dayField = { type: 'date', description: shopZone, inputWrapperOrder }
  return (
    <Page title={t('Audit log')}>
      <Filters>
        <PetFilter value={petId} onChange={id => set('petId', id)} />
        <UnitsInput
          label={t('Order')}
          placeholder={t('Its number')}
          value={orderId}
          onChange={id => set('orderId', id === undefined ? null : String(id))}
          allowNegative={false}
        />
        {names.size > 0 && (
          <FilterSelect
            label={t('Key')}
            searchable
            data={[...names].map(([id, { name, isRevoked }]) => ({
              value: String(id),
              label: isRevoked ? t('{name} (revoked)', { name: nameText(name, id) }) : nameText(name, id),
            }))}
            value={keyId?.toString()}
            onChange={id => set('keyId', id)}
          />
        )}
        <TextField {...dayField} label={t('From')} value={get('since')} onChange={day => set('since', day)} />
        <TextField {...dayField} label={t('To')} value={get('until')} onChange={day => set('until', day)} />
      </Filters>
      {since !== '' && until !== '' && since > until ? (
        <ReversedDays />
      ) : (
        <Diary
          label={t('Audit log')}
          filters={filters}
          empty={<Empty title={t('No changes')}>{t('No change matches. Choose other filters above.')}</Empty>}
        />
      )}
    </Page>
  )
}

/** The fields of one row are at the same height, whether they have a description or not. */
const inputWrapperOrder: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
]
