import { expect, test } from 'bun:test'
import { Faults } from './faults.ts'

const noHeaders = new Headers()

test('the counts of saved rules continue when they are read again', () => {
  const faults = new Faults('')
  faults.set([
    { name: 'third', when: { every: 3n }, effect: { type: 'error', code: 'storage_full' } },
    { name: 'slow', operation: 'getPet', effect: { type: 'delay', delayMs: 5n } },
  ])
  for (let call = 0; call < 4; call++) faults.forRequest({ operationId: 'listPets', headers: noHeaders })
  faults.forRequest({ operationId: 'getPet', headers: noHeaders })
  const again = new Faults(faults.save())
  expect(again.states()).toEqual(faults.states())
  expect(again.states().rules.map(({ calls, applied }) => [calls, applied])).toEqual([
    [5n, 1n],
    [1n, 1n],
  ])
  expect(again.forRequest({ operationId: 'listPets', headers: noHeaders })?.effect.type).toBe('error')
})

test('a rule that cuts streams counts and changes no other request', () => {
  const faults = new Faults('')
  faults.set([{ name: 'cut', when: { call: 1n }, effect: { type: 'cut_stream', events: 2n } }])
  expect(faults.forRequest({ operationId: 'listPets', headers: noHeaders })).toBeUndefined()
  expect(faults.states().rules[0]?.calls).toBe(0n)
  expect(faults.forRequest({ operationId: 'streamEvents', headers: noHeaders })?.effect.type).toBe(
    'cut_stream',
  )
})

test('a rule for a header applies to its value, including an empty one, or to any value', () => {
  const sent = {
    absent: noHeaders,
    empty: new Headers({ 'X-Till': '' }),
    seven: new Headers({ 'X-Till': '7' }),
  }
  const appliesTo = (value: string | undefined): string[] => {
    const faults = new Faults('')
    const header = { name: 'X-Till', ...(value !== undefined && { value }) }
    faults.set([{ name: 'till', when: { header }, effect: { type: 'error', code: 'storage_full' } }])
    return Object.entries(sent).flatMap(([name, headers]) =>
      faults.forRequest({ operationId: 'listPets', headers }) ? [name] : [],
    )
  }
  expect([appliesTo(''), appliesTo('7'), appliesTo(undefined)]).toEqual([
    ['empty'],
    ['seven'],
    ['empty', 'seven'],
  ])
})
