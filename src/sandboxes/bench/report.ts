import type { Operation } from '../../contract/operation.ts'
import { findPath } from '../../http/request/paths.ts'
import { contract, isOperationId, type OperationId } from '../../shop/registry/operations.ts'
import { faultClasses } from './planted-fault.ts'
import type { BenchReport, FaultOutcome, FindingMatch, ToolFinding, ToolFindings } from './schema.ts'

const operations: [string, Operation][] = Object.entries(contract)
const templates = [...new Set(operations.map(([, { path }]) => path))]

/** A response that was made wrong. */
export interface Provocation {
  readonly at: string
  readonly operation: string
  readonly status: bigint
  readonly requestId: string
}

/** A planted fault and what was recorded of it: its first provocations, and how many there were. */
export interface ProvokedFault {
  readonly outcome: FaultOutcome
  readonly provocations: readonly Provocation[]
}

/** Returns the operations with this method at a path; all operations of the path if none has the method. */
export function operationsAt(method: string, path: string): readonly OperationId[] {
  const template = findPath(templates, path)?.template ?? path
  const atPath = operations.filter(([, operation]) => operation.path === template)
  const read = method === 'HEAD' ? 'GET' : method
  const withMethod = atPath.filter(([, operation]) => operation.method === read)
  return (withMethod.length > 0 ? withMethod : atPath).map(([id]) => id).filter(isOperationId)
}

/**
 * Returns the outcomes with how each fault was reported, and the scores. A finding counts once, for the fault that it
 * matches best, and not if a run without faults has an equal one.
 */
export function score(
  faults: readonly ProvokedFault[],
  { findings, cleanRuns = [] }: ToolFindings,
): Pick<BenchReport, 'faults' | 'scores' | 'falseAlarms'> {
  const clean = new Set(cleanRuns.flat().map(keyOf))
  const left = new Set(findings.filter(finding => !clean.has(keyOf(finding))))
  const reported = new Map<ProvokedFault, FindingMatch>()
  for (const match of ['request', 'operation and status', 'operation'] as const) {
    for (const fault of faults) {
      const found = [...left].filter(finding => matchesBy[match](fault, finding))
      if (found.length === 0) continue
      if (!reported.has(fault)) reported.set(fault, match)
      // A tool may report a fault many times.
      for (const finding of found) left.delete(finding)
    }
  }
  const outcomes = faults.map(fault => ({ ...fault.outcome, reportedBy: reported.get(fault) }))
  const scores = faultClasses.flatMap(name => {
    const ofClass = outcomes.filter(outcome => outcome.class === name)
    const count = (holds: (outcome: FaultOutcome) => boolean): bigint => BigInt(ofClass.filter(holds).length)
    if (ofClass.length === 0) return []
    return {
      class: name,
      planted: count(() => true),
      provoked: count(({ provoked }) => provoked > 0n),
      reported: count(({ reportedBy }) => reportedBy !== undefined),
    }
  })
  return { faults: outcomes, scores, falseAlarms: BigInt(left.size) }
}

const matchesBy: Readonly<Record<FindingMatch, (fault: ProvokedFault, finding: ToolFinding) => boolean>> = {
  request: ({ provocations }, { requestId }) =>
    requestId !== undefined && provocations.some(known => known.requestId === requestId),
  'operation and status': ({ provocations }, finding) =>
    finding.requestId === undefined &&
    provocations.some(
      ({ operation, status }) => status === finding.status && operationsOf(finding).includes(operation),
    ),
  operation: ({ provocations }, finding) =>
    finding.requestId === undefined &&
    provocations.some(({ operation }) => operationsOf(finding).includes(operation)),
}

function operationsOf({ operation, method, path }: ToolFinding): readonly string[] {
  if (operation !== undefined) return [operation]
  return method !== undefined && path !== undefined ? operationsAt(method.toUpperCase(), path) : []
}

/** Returns what two equal findings of two runs have in common: numbers, ids and quoted values may differ. */
function keyOf(finding: ToolFinding): string {
  const message = finding.message.replaceAll(/"[^"]{0,200}"|[0-9a-f-]{8,}|\d+/gi, '#')
  return `${operationsOf(finding).join()} ${finding.status ?? ''} ${message}`
}
