import { Group, SegmentedControl, TextInput } from '@mantine/core'
import { dayAfter, monthOf, type Period, weekOf } from '../../data/days.ts'
import { dayIn, shopZone, startOfDay } from '../../data/shop-zone.ts'
import { optionIn, type useUrlFilters } from '../../data/url-filters.ts'
import { t } from '../../words/sentences.tsx'
import { formatIsoDay } from '../names/format.ts'

/** Returns whether the last day of a period is before the first one. */
export function isReversed({ from, to }: Period): boolean {
  return from !== '' && to !== '' && from > to
}

const choices = ['today', 'yesterday', 'week', 'month', 'last-month', 'range'] as const

/** Returns the days that the address selects; undefined for orders of any time. `day` is today in the shop. */
export function periodIn({ get }: ReturnType<typeof useUrlFilters>, day: string): Period | undefined {
  switch (optionIn(choices, get('day'))) {
    case 'today':
      return { from: day, to: day }
    case 'yesterday': {
      const yesterday = dayAfter(day, -1)
      return { from: yesterday, to: yesterday }
    }
    case 'week':
      return weekOf(day)
    case 'month':
      return monthOf(day)
    case 'last-month':
      return monthOf(dayAfter(`${day.slice(0, 7)}-01`, -1))
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

/** Returns a period as a text: `2026-11-22`, `2026-11-01 to 2026-11-30` or `From 2026-11-01`. */
export function periodText(period: Period): string {
  const from = formatIsoDay(period.from)
  const to = formatIsoDay(period.to)
  if (period.from === '') return period.to === '' ? t('All days') : t('Until {day}', { day: to })
  if (period.to === '') return t('From {day}', { day: from })
  return from === to ? from : t('{from} to {to}', { from, to })
}

/** Selects orders of any time, a day, a month or a range of days. The address keeps the choice. */
export function PeriodField({ filters }: { readonly filters: ReturnType<typeof useUrlFilters> }) {
  const { get, set } = filters
  const choice = optionIn(choices, get('day'))
  return (
    <Group align="flex-end">
      <SegmentedControl
        aria-label={t('Placed, in days of {zone}', { zone: shopZone })}
        value={choice ?? 'any'}
        onChange={value => set('day', value === 'any' ? null : value)}
        data={[
          { value: 'any', label: t('Any day') },
          { value: 'today', label: t('Today') },
          { value: 'yesterday', label: t('Yesterday') },
          { value: 'week', label: t('This week') },
          { value: 'month', label: t('This month') },
          { value: 'last-month', label: t('Last month') },
          { value: 'range', label: t('Range') },
        ]}
      />
      {choice === 'range' &&
        (['from', 'to'] as const).map(name => (
          <TextInput
            key={name}
            type="date"
            label={name === 'from' ? t('From') : t('To')}
            max="9999-12-30"
            value={get(name)}
            onChange={({ currentTarget }) => set(name, currentTarget.value)}
          />
        ))}
    </Group>
  )
}
