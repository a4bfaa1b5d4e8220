import { expect, test } from 'bun:test'
import { type Command, timeLimitMs } from './commands.ts'

const context = { now: '', caller: { keyId: null, scopes: [] }, requestId: '' }

test('only a command that reads or changes many rows may take an hour', () => {
  const limitOf = (id: Command['id']): number | undefined => timeLimitMs({ id, input: {}, context })
  const many = [
    'stageImport',
    'discardImport',
    'findImportCategories',
    'findImportPets',
    'takeBackImport',
  ] as const
  const sweeps = [
    'sweepReplies',
    'sweepStagedRows',
    'sweepHandovers',
    'sweepEvents',
    'sweepDeliveries',
  ] as const
  for (const id of [...many, ...sweeps]) expect([id, limitOf(id)]).toEqual([id, 3_600_000])
  for (const id of ['placeOrder', 'loadImportSlice', 'leaseWebhooks'] as const)
    expect(limitOf(id)).toBeUndefined()
})
