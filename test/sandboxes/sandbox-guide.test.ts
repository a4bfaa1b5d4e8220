import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedCapacities } from '../../src/http/limits/admission.ts'
import { FaultEffect, FaultRule, isDeliveryEffect } from '../../src/sandboxes/failures/rules.ts'
import { defaultLimits } from '../../src/sandboxes/host/limits.ts'
import {
  STREAMS_MAX,
  STREAMS_PER_ADDRESS_MAX,
  STREAMS_PER_SANDBOX_MAX,
} from '../../src/sandboxes/requests/streams.ts'
import { run } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { openSandboxHost, type TestSandbox } from '../support/sandbox-host.ts'

const guide = readFileSync(join(ROOT, 'docs', 'sandboxes.md'), 'utf8')
const MIB = 1024 * 1024

const host = await openSandboxHost()
afterAll(() => host[Symbol.asyncDispose]())

/** Returns the cells of the table under a heading, without the backquotes of code. */
function rowsUnder(heading: string): string[][] {
  const section = guide.split(`### ${heading}\n`)[1]?.split('\n#')[0] ?? ''
  const [, , ...rows] = section.split('\n').filter(line => line.startsWith('|'))
  return rows.map(row => row.split(' | ').map(cell => cell.replaceAll(/^\| |`| \|$/g, '')))
}

/** Returns the status and the header Petstore-Fault of a response; `lost` and null if the connection was lost. */
async function outcomeOf(
  sandbox: TestSandbox,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly [string | number, string | null]> {
  try {
    const { status, headers: received } = await sandbox.call('GET', path, { headers })
    return [status, received.get('petstore-fault')]
  } catch {
    return ['lost', null]
  }
}

/** Returns the effect of a rule as the value of the header Petstore-Fault. */
function asHeaderField({ type, ...members }: { readonly type: string }): string {
  const snake = (name: string): string => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  return [type, ...Object.entries(members).map(([name, value]) => `${snake(name)}=${value}`)].join('; ')
}

async function setRule(sandbox: TestSandbox, rule: object): Promise<void> {
  const { status, text } = await sandbox.callHost('PUT', '/faults', { rules: [{ name: 'shown', ...rule }] })
  expect([status, text]).toEqual([200, text])
}

test('the tables of effects have every effect, with a rule that is valid', async () => {
  const requests = rowsUnder('Effects on requests')
  const deliveries = rowsUnder('Effects on deliveries')
  const effects = FaultEffect.options.map(({ shape }) => shape.type.value)
  expect(requests.map(([effect]) => effect)).toEqual(effects.filter(type => !isDeliveryEffect(type)))
  expect(deliveries.map(([effect]) => effect)).toEqual(effects.filter(isDeliveryEffect))
  const sandbox = await host.create({ seed: 'empty' })
  for (const [type, , rule = ''] of [...requests, ...deliveries]) {
    const effect = JSON.parse(rule)
    expect(effect.type).toBe(type)
    await setRule(sandbox, { effect })
  }
})

test('each effect on requests has the same outcome whether a rule or a header requests it', async () => {
  const sandbox = await host.create()
  for (const [type, , rule = ''] of rowsUnder('Effects on requests')) {
    const header = asHeaderField(JSON.parse(rule))
    const path = type === 'cut_stream' ? '/events/stream?after=0' : '/pets?id=3'
    await sandbox.callHost('DELETE', '/faults')
    const asHeader = await outcomeOf(sandbox, path, { 'Petstore-Fault': header })
    if (type === 'rate_limit') {
      expect([type, asHeader]).toEqual([type, [400, null]])
      continue
    }
    await setRule(sandbox, { effect: JSON.parse(rule) })
    const [outcome, fault] = asHeader
    expect([type, outcome === 200 || outcome === 503 ? fault : header]).toEqual([type, header])
    const withRule = fault === null ? null : `${fault}; rule="shown"`
    expect([type, await outcomeOf(sandbox, path)]).toEqual([type, [outcome, withRule]])
  }
})

test('the table of conditions has every condition, with the calls to which its example applies', async () => {
  const rows = rowsUnder('Conditions')
  const names = rows.flatMap(([name = '']) => name.split(', '))
  expect(names).toEqual(FaultRule.shape.when.unwrap().options.flatMap(({ shape }) => Object.keys(shape)))
  const sandbox = await host.create()
  for (const [name, when = '', calls = ''] of rows) {
    await setRule(sandbox, { when: JSON.parse(when), effect: { type: 'error', code: 'internal_error' } })
    const applied: number[] = []
    for (let call = 1; call <= 8; call++) {
      // Every second call has the headers that two of the conditions check.
      const headers = call % 2 === 0 ? { 'Idempotency-Key': '"cart-17"', 'X-Test': 'slow' } : {}
      const { status } = await sandbox.call('PATCH', '/categories/1', { body: { name: `${call}` }, headers })
      if (status === 500) applied.push(call)
    }
    expect([name, applied.join(', ')]).toEqual([name, /^\d/.test(calls) ? calls : '2, 4, 6, 8'])
  }
})

test('the table of limits has every limit with its default', async () => {
  const { output } = await run(['sandboxes', '--help'])
  const flags = [...output.matchAll(/^ +(--max-[a-z-]+) /gm)].map(match => match[1] ?? '')
  const defaults = Object.values(defaultLimits)
  expect(rowsUnder('Limits').map(([flag, fallback]) => [flag, fallback])).toEqual(
    flags.map((flag, index) => [flag, String((defaults[index] ?? 0) / (flag.endsWith('-mib') ? MIB : 1))]),
  )
})

test('the table of the limits of all sandboxes has every limit of the code', () => {
  const number = (value: number): string => value.toLocaleString('en')
  const { requests, bodies, bodyBytes, largeBodies, polls, streams } = sharedCapacities
  const mib = (value: number): string => `${value / MIB} MiB`
  expect(rowsUnder('Limits of all sandboxes together').map(([, total, share]) => [total, share])).toEqual([
    [number(requests.total), number(requests.perCaller)],
    [
      `${number(bodies.total)}; ${mib(bodyBytes.total)}`,
      `${number(bodies.perCaller)}; ${mib(bodyBytes.perCaller)}`,
    ],
    [number(largeBodies.total), number(largeBodies.perCaller)],
    [number(polls.total), number(polls.perCaller)],
    [number(streams.total), '--max-streams'],
    [`${number(STREAMS_MAX)}, and ${STREAMS_PER_ADDRESS_MAX} per address`, `${STREAMS_PER_SANDBOX_MAX}`],
  ])
})
