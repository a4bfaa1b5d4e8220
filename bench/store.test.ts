import { expect, test } from 'bun:test'
import { START_ENVIRONMENT } from './store.ts'

test('the measured stores start with the variables of the start script', () => {
  expect(Object.keys(START_ENVIRONMENT)).toEqual([
    'BUN_JSC_forceRAMSize',
    'BUN_JSC_mediumHeapGrowthFactor',
    'BUN_JSC_largeHeapGrowthFactor',
  ])
})
