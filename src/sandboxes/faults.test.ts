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
