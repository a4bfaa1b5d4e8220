import type { TestHost } from '../support/sandbox-host.ts'

/** Broken on purpose: the fault rules of one sandbox also apply to another sandbox of its host. */
export async function leakFaultRules({ host }: TestHost, fromId: string, toId: string): Promise<void> {
  const { rules } = await host.use(fromId, async ({ faults }) => faults.states())
  await host.use(toId, async ({ faults }) => {
    faults.set(rules.map(({ calls: _, applied: __, ...rule }) => rule))
  })
}
