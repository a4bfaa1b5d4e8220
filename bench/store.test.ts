import { expect, test } from 'bun:test'
import { START_ENVIRONMENT, startEnvironment } from './store.ts'

test('the measured stores start with the variables of the start script', () => {
  expect(Object.keys(START_ENVIRONMENT)).toEqual([
    'BUN_JSC_forceRAMSize',
    'BUN_JSC_mediumHeapGrowthFactor',
    'BUN_JSC_largeHeapGrowthFactor',
  ])
})

test('control: a start script with a line or a command that the benchmark does not know is refused', () => {
  const command = 'exec bun src/main.ts serve'
  expect(() => startEnvironment(`export A="1"\n${command}\n`)).toThrow('unknown line')
  expect(() => startEnvironment(`export A="\${A:-1}"\n${command}\n`)).toThrow('unknown command')
})
