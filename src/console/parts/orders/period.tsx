import { Group, SegmentedControl, TextInput } from '@mantine/core'
import { dayAfter, dayIn, localDay, shopZone, startOfDay } from '../../data/shop-zone.ts'
import { optionIn, type useUrlFilters } from '../../data/url-filters.ts'

/** Days of the shop, such as `2026-11-22`. An empty text leaves that end open. */
interface Period {
  readonly from: string
  readonly to: string
}

const choices = ['today', 'yesterday', 'range'] as const

/** Returns the days that the address selects; undefined for orders of any time. */
export function periodIn({ get }: ReturnType<typeof useUrlFilters>): Period | undefined {
  const today = localDay(Date.now())
  switch (optionIn(choices, get('day'))) {
    case 'today':
      return { from: today, to: today }
    case 'yesterday': {
      const yesterday = dayAfter(today, -1)
      return { from: yesterday, to: yesterday }
    }
    case 'range':
      return { from: dayIn(get('from')), to: dayIn(get('to')) }
    default:
      return undefined
  }
}

/** Returns the filters of the API for a period, whose bounds are exclusive. */
export function createdIn({ from, to }: Period): { createdAfter?: string; createdBefore?: string } {
  return {
    ...(from !== '' && { createdAfter: startOfDay(from, 1) }),
    ...(to !== '' && { createdBefore: startOfDay(dayAfter(to, 1)) }),
  }
}

/** Returns a period as a text for the name of a file: `2026-11-22` or `2026-11-01-to-2026-11-30`. */
export function periodText({ from, to }: Period): string {
  return from === to && from !== '' ? from : `${from || 'the-first'}-to-${to || 'the-last'}`
}

/** Selects orders of any time, of today, of yesterday, or of a range of days. The address keeps the choice. */
export function PeriodField({ filters }: { readonly filters: ReturnType<typeof useUrlFilters> }) {
  const { get, set } = filters
  const choice = optionIn(choices, get('day'))
  return (
    <Group align="flex-end">
      <SegmentedControl
        aria-label={`Placed, in days of ${shopZone}`}
        value={choice ?? 'any'}
        onChange={value => set('day', value === 'any' ? null : value)}
        data={[
          { value: 'any', label: 'Any day' },
          { value: 'today', label: 'Today' },
          { value: 'yesterday', label: 'Yesterday' },
          { value: 'range', label: 'Range' },
        ]}
      />
      {choice === 'range' &&
        (['from', 'to'] as const).map(name => (
          <TextInput
            key={name}
            type="date"
            label={name === 'from' ? 'From' : 'To'}
            max="9999-12-30"
            value={get(name)}
            onChange={({ currentTarget }) => set(name, currentTarget.value)}
          />
        ))}
    </Group>
  )
}
