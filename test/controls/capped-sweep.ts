import { systemCommand } from '../../src/store/commands.ts'
import type { StoreEngine } from '../../src/store/open.ts'

/** Broken on purpose: a sweep that ends after one command each for replies, staged rows and deliveries. */
export async function cappedSweep(engine: StoreEngine): Promise<void> {
  const now = new Date().toISOString()
  for (const id of ['sweepReplies', 'sweepStagedRows', 'sweepDeliveries'] as const) {
    await engine.execute(systemCommand(id, { before: now }, now, 'test'))
  }
}
