import { expect, test } from 'bun:test'
import { leakFaultRules } from '../controls/leaking-fault-rules.ts'
import { openSandboxHost, type TestHost } from '../support/sandbox-host.ts'

/** Creates two sandboxes. Returns what leaks from one into the other, as sentences; [] if they are isolated. */
async function leaksOf(
  afterRules: (host: TestHost, one: string, other: string) => Promise<void> = async () => {},
): Promise<string[]> {
  await using host = await openSandboxHost()
  const [one, other] = [await host.create(), await host.create()]
  const leaks: string[] = []
  const key = { Authorization: `Bearer ${one.created.adminKey}` }
  const inOther = await other.call('GET', '/keys', { headers: key })
  if (inOther.status !== 401) leaks.push('a key of one sandbox works in another one')
  const shown = await fetch(`${host.base}/sandboxes/${other.created.id}`, { headers: key })
  if (shown.status !== 401) leaks.push('a key of one sandbox controls another one')

  const rules = [{ name: 'broken', effect: { type: 'error', code: 'internal_error' } }]
  await one.callHost('PUT', '/faults', { rules })
  await afterRules(host, one.created.id, other.created.id)
  if ((await one.call('GET', '/pets')).status !== 500) leaks.push('a rule has no effect')
  if ((await other.call('GET', '/pets')).status !== 200) leaks.push('a rule affects another sandbox')
  for (const sandbox of [one, other]) await sandbox.callHost('DELETE', '/faults')

  await one.call('POST', '/store/orders', { body: { petId: 3 } })
  if ((await other.call('GET', '/store/orders')).text !== '[]') leaks.push('an order is in another sandbox')
  const paths = (await other.callHost('GET', '/requests')).data as { path: string; method: string }[]
  if (paths.some(({ method }) => method === 'POST')) leaks.push('a request is in the log of another sandbox')
  return leaks
}

test('two sandboxes share no key, rule, order or log entry', async () => {
  expect(await leaksOf()).toEqual([])
})

test('control: a rule that leaks into another sandbox is detected', async () => {
  expect(await leaksOf(leakFaultRules)).toEqual(['a rule affects another sandbox'])
})
