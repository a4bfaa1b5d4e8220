import type { TestHost } from '../support/sandbox-host.ts'

/** Makes a host apply the fault rules of one sandbox to another one too. */
export async function leakFaultRules({ host }: TestHost, fromId: string, toId: string): Promise<void> {
  const { rules } = await host.use(fromId, async ({ faults }) => faults.states())
  await host.use(toId, async ({ faults }) => {
    faults.set(rules.map(({ calls: _, applied: __, ...rule }) => rule))
  })
}
