import type { Answer } from './answer.ts'
import type { Ask } from './ask.ts'
import type { Operation } from './document.ts'
import { askOf, type Lane } from './draft.ts'
import { breakDraft } from './flaws.ts'
import { aliveCount, type Thing } from './memory.ts'
import { validDraft } from './valid-draft.ts'

/** A later request of a virtual client that follows from a response. */
export type Step =
  | { readonly kind: 'ask'; readonly operation: Operation; readonly thing: Thing }
  | { readonly kind: 'head'; readonly ask: Ask; readonly answer: Answer }

/** With fewer resources of a kind, operations on it are requested less often. */
const KEPT_MIN = 2

const routeMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']

/**
 * Returns one request of a client: usually a valid one, else an invalid one, a repeat, or one outside the description.
 */
export function nextAsk(lane: Lane, number: number, planned: Step | undefined): Ask {
  const { random } = lane
  const given = planned?.kind === 'head' ? headAsk(planned, number) : plannedAsk(lane, number, planned)
  if (given) return given
  const kind = random.below(100)
  if (kind < 4) return besideAsk(lane, number)
  if (kind < 9) return repeatAsk(lane, number) ?? nextAsk(lane, number, undefined)
  if (kind < 12) return pageAsk(lane, number)
  const draft = validDraft(lane, pickOperation(lane))
  if (kind < 45) breakDraft(lane, draft)
  return askOf(lane, draft, number)
}

/** Possible next steps: a resource is read, changed, deleted and read again; a GET is followed by its HEAD. */
export function followUps(
  { random, description }: Lane,
  ask: Ask,
  answer: Answer,
  made: Thing | undefined,
): Step[] {
  // Guesses of keys are counted, so the same guess may get another response the second time.
  const isGuess = ask.expects.kind === 'refusal' && ask.expects.check === 'auth-bypassed'
  const isRead = ask.method === 'GET' && ask.operation && answer.status !== 0 && !isGuess
  if (isRead && random.chance(0.1)) return [{ kind: 'head', ask, answer }]
  const thing = made ?? (ask.expects.kind === 'valid' ? ask.expects.thing : undefined)
  if (!thing || ask.method === 'GET') return []
  const items = description.operations.filter(({ path }) => path.endsWith(`{${thing.kind}}`))
  const of = (...methods: string[]): Step[] =>
    methods.flatMap(method =>
      items
        .filter(item => item.method === method)
        .map(operation => ({ kind: 'ask' as const, operation, thing })),
    )
  if (made)
    return random.chance(0.2) ? of('GET', 'PATCH', 'GET', 'PUT', 'DELETE', 'GET', 'DELETE') : of('GET')
  return random.chance(0.3) ? of('GET') : []
}

/** Returns any operation; preferably one whose resources exist, and one that creates rather than deletes. */
function pickOperation({ random, memory, description }: Lane): Operation {
  let operation = random.pick(description.operations)
  for (let turn = 0; turn < 6; turn++) {
    const { parameters, body, method } = operation
    const path = parameters.filter(({ place }) => place === 'path').map(({ name }) => name)
    const needed = method === 'POST' ? [...path, ...(body?.schema.required ?? [])] : path
    const isShort = needed.some(name => description.kinds.has(name) && aliveCount(memory, name) < KEPT_MIN)
    const isUnwanted = isShort || (method === 'DELETE' && random.chance(0.7))
    if (!isUnwanted && (method !== 'GET' || path.length > 0 || random.chance(0.5))) return operation
    operation = random.pick(description.operations)
  }
  return operation
}

function plannedAsk(lane: Lane, number: number, planned: Step | undefined): Ask | undefined {
  if (planned?.kind !== 'ask') return undefined
  return askOf(lane, validDraft(lane, planned.operation, planned.thing), number)
}

function headAsk({ ask, answer }: Step & { kind: 'head' }, number: number): Ask {
  return {
    ...ask,
    number,
    label: `HEAD of ${ask.label}`,
    method: 'HEAD',
    expects: { kind: 'head', of: answer },
  }
}

/** Repeats a request that got its response under an idempotency key, or sends another request under the same key. */
function repeatAsk({ memory, random }: Lane, number: number): Ask | undefined {
  if (memory.repeatable.length === 0) return undefined
  const { ask, answer } = random.pick(memory.repeatable)
  if (random.chance(0.7)) return { ...ask, number, expects: { kind: 'replay', of: answer } }
  if (!ask.body) return undefined
  const { sent: _, ...rest } = ask
  return {
    ...rest,
    number,
    body: Buffer.concat([ask.body, Buffer.from(' ')]),
    expects: {
      kind: 'refusal',
      statuses: [422],
      check: 'accepted-invalid',
      why: 'the Idempotency-Key is already used',
    },
  }
}

/** Requests the next page of a list, exactly as its Link says, or the first page if no next page is known. */
function pageAsk(lane: Lane, number: number): Ask {
  const { memory, random, keys, description } = lane
  const lists = description.operations.filter(({ parameters }) =>
    parameters.some(({ name }) => name === 'cursor'),
  )
  const operation = random.pick(lists)
  const target = memory.nextPages.get(operation.id)
  if (target === undefined) return askOf(lane, validDraft(lane, operation), number)
  const key = keys.goodFor(random, operation)
  return {
    number,
    label: operation.id,
    operation,
    method: 'GET',
    target,
    headers: key === undefined ? [] : [['Authorization', `Bearer ${key}`]],
    path: new Map(),
    query: [],
    expects: { kind: 'valid', thing: undefined, condition: 'none' },
  }
}

/** Requests a described path with a method that it does not have, or a path that does not exist. */
function besideAsk(lane: Lane, number: number): Ask {
  const { random, description } = lane
  const operation = random.pick(description.operations)
  const { path, target } = askOf(lane, validDraft(lane, operation), number)
  const methods = description.methods.get(operation.path) ?? []
  const method = random.pick(
    routeMethods.filter(name => !methods.includes(name) && !(name === 'HEAD' && methods.includes('GET'))),
  )
  const plain = { number, headers: [], path, query: [] }
  if (random.chance(0.2)) {
    const strange = target.replace(/\?.*/, '') + random.pick(['/', '/no/such/path', '/%C3%A9/no/path'])
    return {
      ...plain,
      label: 'an unknown path',
      method: 'GET',
      target: strange,
      expects: { kind: 'unknown path' },
    }
  }
  return {
    ...plain,
    label: `${method} ${operation.path}`,
    method,
    target,
    expects: { kind: 'allow', status: method === 'OPTIONS' ? 204 : 405, methods },
  }
}
