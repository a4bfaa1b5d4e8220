import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BODY_BYTES_MAX, URL_CHARS_MAX } from '../../src/contract/limits.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { shuttingDown, storageFull, tooManyInProgress } from '../../src/contract/refusals.ts'
import type { CreatedClass, Invitation } from '../../src/sandboxes/contract/class-schema.ts'
import { sandboxDamaged } from '../../src/sandboxes/contract/refusals.ts'
import { type HostOperationId, hostOperations } from '../../src/sandboxes/host-api/operations.ts'
import { KEY_RANDOM_BYTES, keyText } from '../../src/shop/keys/key-text.ts'
import { sendHalfBody } from '../support/half-body.ts'
import { openSandboxHost, type TestHost, type TestSandbox } from '../support/sandbox-host.ts'
import type { Observed } from './conformance-check.ts'

const WRONG_KEY = keyText(new Uint8Array(KEY_RANDOM_BYTES).fill(7))
const UNKNOWN_ID = '2'.repeat(26)
/** The number of wrong keys that each address may send in a minute. */
const WRONG_KEYS_PER_MINUTE = 60
const CALL_INTERVAL_MS = 50
/** The operations that can refuse a request because the files of the sandbox, or of a snapshot, are damaged. */
const DAMAGED: readonly HostOperationId[] = [
  ...(['createSandbox', 'resetSandbox'] as const),
  ...(['putSnapshot', 'getFaults', 'setFaults', 'deleteFaults'] as const),
  ...(['listRequests', 'deleteRequests', 'streamRequests', 'getArchive'] as const),
  ...(['getPlantedFaults', 'setPlantedFaults', 'startHunt', 'getBenchReport', 'scoreFindings'] as const),
]
const LESSON = '# HTTP\n\n## 1. Read\n\n```check\nlistPets status=200\n```\n\n```hint\nLook.\n```\n'

// Safe: the keys of the contract are its ids.
const ids = Object.keys(hostOperations) as HostOperationId[]

/** A sandbox without a class, and a class with a student. */
interface Driven extends TestSandbox {
  readonly hostKey: string
  readonly ofClass: CreatedClass
  readonly code: string
}

/** A request to the host API. */
interface HostRequest {
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The key to send; null for none. */
  readonly key: string | null
}

/** The bodies with which operations succeed. Operations that are missing here succeed without a body. */
const bodies: Readonly<Partial<Record<HostOperationId, string>>> = {
  createSandbox: '{"seed":"empty","label":"Ada"}',
  createClass: JSON.stringify({ name: '10b', lesson: LESSON, endsAt: inDays(1), places: 1 }),
  updateClass: JSON.stringify({ endsAt: inDays(2), openHints: ['1-read'], lesson: LESSON }),
  joinClass: '{"name":"Alan"}',
  addStudents: '{"students":[{"name":"Grace","identifier":"grace"}]}',
  updateSandbox: '{"lifetimeSeconds":172800}',
  setClock: '{"now":"2027-06-01T00:00:00Z"}',
  setPlantedFaults: '{"faults":[{"id":"location-missing"}]}',
  startHunt: '{"seed":7,"class":"headers"}',
  scoreFindings: '{"findings":[{"message":"no Location","operation":"createCategory","status":201}]}',
  setFaults:
    '{"rules":[{"name":"full","operation":"placeOrder","when":{"every":3},"effect":{"type":"error","code":"storage_full"}}]}',
}

/** Sends requests that get every status of every operation of the host API, and returns the responses. */
export async function driveHost(): Promise<Observed[]> {
  await using host = await openSandboxHost({ limits: { snapshots: 1 } })
  const timeouts = driveTimeouts(host)
  const observed = [
    ...(await driveMistakes(host)),
    ...(await driveSuccesses(host)),
    ...(await driveMissing(host)),
    ...(await driveFailures(host)),
    ...(await driveLimits()),
  ]
  return [...observed, ...(await timeouts)]
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString()
}

async function createDriven(host: TestHost, seed = 'demo'): Promise<Driven> {
  const ofClass = host.host.ofClasses.createClass({
    name: '10b',
    lesson: LESSON,
    endsAt: inDays(1),
    places: 1n,
  })
  const hostKey = readFileSync(join(host.directory, 'host-key'), 'utf8').trim()
  return {
    ...(await host.create({ seed })),
    hostKey,
    ofClass,
    code: codeOf(host.host.ofClasses.openInvitation(ofClass.id)),
  }
}

function codeOf({ link }: Invitation): string {
  return link.replace(/.*#code=/, '')
}

/** Returns a request that succeeds, for a sandbox or a class, and a snapshot. */
function requestOf(
  id: HostOperationId,
  { created, hostKey, ofClass, code }: Driven,
  snapshot = 'lesson-1',
): HostRequest {
  const { path, actsOn }: Operation = hostOperations[id]
  const body = bodies[id]
  const keys = { host: hostKey, sandbox: created.adminKey, class: ofClass.teacherKey, invitation: code }
  return {
    path: path
      .replace('{sandboxId}', created.id)
      .replace('{classId}', ofClass.id)
      .replace('{name}', snapshot),
    ...(body !== undefined && { body }),
    key: keys[actsOn ?? 'host'],
  }
}

async function driveSuccesses(host: TestHost): Promise<Observed[]> {
  const sandbox = await createDriven(host)
  const send = (id: HostOperationId, change: Partial<HostRequest> = {}): Promise<Observed> =>
    sendTo(host, id, { ...requestOf(id, sandbox), ...change })
  const observed: Observed[] = [
    await send('putSnapshot'),
    await send('putSnapshot', { path: requestOf('putSnapshot', sandbox, 'lesson-2').path }),
    await send('resetSandbox', { body: '{"snapshot":"lesson-1"}' }),
    await send('createSandbox', { body: `{"seed":"${sandbox.created.id}/lesson-1"}` }),
  ]
  // The log gets a call that failed, a call without a response, and a call with a body.
  await sandbox.call('GET', '/pets/1', { headers: { 'Petstore-Fault': 'error; code=overloaded' } })
  await sandbox
    .call('GET', '/pets/1', { headers: { 'Petstore-Fault': 'drop_before_command' } })
    .catch(() => {})
  await sandbox.call('POST', '/categories', { body: { name: 'Otters' } })
  const deletions = ids.filter(id => hostOperations[id].method === 'DELETE')
  for (const id of ids) {
    if (deletions.includes(id) || id === 'replaceSandboxKey') continue
    observed.push(id === 'streamRequests' ? await whileCalling(sandbox, send(id)) : await send(id))
    if (id === 'startHunt') observed.push(await send('getPlantedFaults'))
  }
  const deletionsInside = deletions.filter(id => id !== 'deleteSandbox')
  for (const id of deletionsInside) observed.push(await send(id))
  const replaced = await send('replaceSandboxKey')
  // Safe: the body of a 200 is a sandbox with its new key.
  const { adminKey } = JSON.parse(replaced.body ?? '') as { adminKey: string }
  return [...observed, replaced, await send('deleteSandbox', { key: adminKey })]
}

/** Calls the store of a sandbox repeatedly until the stream reports a call, which settles `reported`. */
async function whileCalling(sandbox: TestSandbox, reported: Promise<Observed>): Promise<Observed> {
  const calling = setInterval(() => void sandbox.call('GET', '/pets?limit=1'), CALL_INTERVAL_MS)
  return reported.finally(() => clearInterval(calling))
}

/** Sends each operation the requests that are refused because of their form or their key. */
async function driveMistakes(host: TestHost): Promise<Observed[]> {
  const observed: Observed[] = []
  for (const id of ids) {
    // Each sandbox counts the wrong keys of an address. In a new sandbox, these requests stay below the limit.
    const sandbox = await createDriven(host, 'empty')
    for (const request of mistakes(id, requestOf(id, sandbox))) {
      const isAboutAccept = request.headers?.Accept !== undefined
      observed.push(await sendTo(host, id, request))
      // An address may send few wrong keys.
      if (isAboutAccept || request.key === WRONG_KEY) continue
      const problem = { ...request.headers, Accept: '*/*, application/problem+json' }
      observed.push(await sendTo(host, id, { ...request, headers: problem }))
    }
  }
  return observed
}

function mistakes(id: HostOperationId, request: HostRequest): HostRequest[] {
  const { path } = request
  const operation: Operation = hostOperations[id]
  const withBody = (body: string, headers = {}): HostRequest => ({ ...request, body, headers })
  return [
    { ...request, path: `${path}?colour=red` },
    { ...request, path: operation.pathParameters ? path.replace(/[^/]{26}/, 'abc') : `${path}?%zz` },
    { ...request, path: `${path}?colour=${'x'.repeat(URL_CHARS_MAX)}` },
    { ...request, headers: { Accept: 'text/csv' } },
    ...(operation.scope === 'public'
      ? []
      : [
          { ...request, key: null },
          { ...request, key: WRONG_KEY },
        ]),
    ...(operation.pathParameters ? [{ ...request, path: path.replace(/[^/]{26}/, UNKNOWN_ID) }] : []),
    ...(operation.body
      ? [
          withBody('{"label":'),
          withBody('{"colour":"red"}'),
          withBody('{}', { 'Content-Type': 'text/plain' }),
          withBody(' '.repeat(BODY_BYTES_MAX + 1)),
        ]
      : []),
  ]
}

/** Sends requests that name snapshots or sandboxes that do not exist, and those that a student may not send. */
async function driveMissing(host: TestHost): Promise<Observed[]> {
  const sandbox = await createDriven(host, 'empty')
  const [student] = await host.host.ofClasses.addStudents(sandbox.ofClass.id, [
    { name: 'Ada', identifier: 'ada' },
  ])
  if (!student) throw new Error('no student was added')
  const observed: Observed[] = []
  for (const id of ids) {
    const { isForTeacher }: Operation = hostOperations[id]
    if (isForTeacher) observed.push(await sendTo(host, id, requestOf(id, { ...sandbox, created: student })))
  }
  const { id, adminKey } = sandbox.created
  const create = (seed: string, key: string | null): Promise<Observed> =>
    sendTo(host, 'createSandbox', { path: '/sandboxes', body: JSON.stringify({ seed }), key })
  const join = (): Promise<Observed> =>
    sendTo(host, 'joinClass', { ...requestOf('joinClass', sandbox), body: '{"name":"Ada"}' })
  return [
    ...observed,
    await join(),
    await join(),
    await sendTo(host, 'joinClass', requestOf('joinClass', sandbox)),
    await sendTo(host, 'removeStudent', requestOf('removeStudent', { ...sandbox, created: student })),
    await sendTo(host, 'removeStudent', requestOf('removeStudent', { ...sandbox, created: student })),
    await sendTo(host, 'getSnapshot', requestOf('getSnapshot', sandbox)),
    await sendTo(host, 'deleteSnapshot', requestOf('deleteSnapshot', sandbox)),
    await sendTo(host, 'resetSandbox', {
      ...requestOf('resetSandbox', sandbox),
      body: '{"snapshot":"lesson-1"}',
    }),
    await create(`${id}/lesson-1`, adminKey),
    await create(`${id}/lesson-1`, null),
    await create(`${id}/lesson-1`, WRONG_KEY),
    await create(`${UNKNOWN_ID}/lesson-1`, adminKey),
  ]
}

/** Returns the object and the name of a method that every request of an operation calls. */
function failingPart({ host }: TestHost, id: HostOperationId): [part: object, name: string] {
  if (id === 'listClasses') return [host.classes, 'list']
  if (id === 'createClass') return [host.ofClasses, 'createClass']
  const parts = {
    host: [host, 'create'],
    sandbox: [host, 'find'],
    class: [host.classes, 'find'],
    invitation: [host.classes, 'codeHashOf'],
  } as const
  return [...parts[hostOperations[id].actsOn]]
}

/** Sends requests to a host whose parts fail on demand. */
async function driveFailures(host: TestHost): Promise<Observed[]> {
  const sandbox = await createDriven(host, 'empty')
  const observed: Observed[] = []
  const failing = async (id: HostOperationId, error: Error): Promise<void> => {
    const [part, name] = failingPart(host, id)
    Reflect.set(part, name, () => {
      throw error
    })
    observed.push(await sendTo(host, id, requestOf(id, sandbox)))
    Reflect.deleteProperty(part, name)
  }
  for (const id of ids) {
    for (const error of [new Error('planted'), tooManyInProgress(), shuttingDown()]) await failing(id, error)
    if (DAMAGED.includes(id)) await failing(id, sandboxDamaged())
    if (DAMAGED.includes(id) || hostOperations[id].method !== 'GET') await failing(id, storageFull())
  }
  return observed
}

/** Sends requests beyond the limits of a host. */
async function driveLimits(): Promise<Observed[]> {
  await using host = await openSandboxHost({ limits: { sandboxes: 3, createdPerHour: 1 } })
  const sandbox = await createDriven(host, 'empty')
  const create = requestOf('createSandbox', sandbox)
  // The host treats a request that came through a proxy as a request from another machine.
  const elsewhere = { ...create, headers: { 'X-Forwarded-For': '192.0.2.1' } }
  const observed = [
    await sendTo(host, 'createSandbox', elsewhere),
    await sendTo(host, 'createSandbox', elsewhere),
    await sendTo(host, 'createSandbox', create),
  ]
  const wrong = (id: HostOperationId): HostRequest => ({ ...requestOf(id, sandbox), key: WRONG_KEY })
  for (let count = 0; count < WRONG_KEYS_PER_MINUTE; count++)
    await sendTo(host, 'getSandbox', wrong('getSandbox'))
  for (const id of ids)
    if (hostOperations[id].scope !== 'public') observed.push(await sendTo(host, id, wrong(id)))
  return observed
}

/** Sends bodies that never end. All are sent at once, because the server waits ten seconds for each body. */
async function driveTimeouts(host: TestHost): Promise<Observed[]> {
  const sandbox = await createDriven(host, 'empty')
  const withBody = ids.filter(id => 'body' in hostOperations[id])
  return Promise.all(
    withBody.map(async id => {
      const request = requestOf(id, sandbox)
      const { method } = hostOperations[id]
      const headers = { ...headersOf(request), 'Content-Type': 'application/json' }
      const { path } = request
      return { operationId: id, method, path, ...(await sendHalfBody(host.base + path, method, headers)) }
    }),
  )
}

async function sendTo({ base }: TestHost, id: HostOperationId, request: HostRequest): Promise<Observed> {
  const { method } = hostOperations[id]
  const { path, body } = request
  const response = await fetch(base + path, {
    method,
    headers: headersOf(request),
    ...(body !== undefined && { body }),
  })
  const { status, headers } = response
  const isStream = headers.get('content-type') === 'text/event-stream'
  const text = isStream ? JSON.stringify(await firstEventOf(response)) : await response.text()
  return { operationId: id, method, path: path.split('?')[0] ?? '', status, headers, body: text }
}

function headersOf({ headers, body, key }: HostRequest): Record<string, string> {
  return {
    'X-Request-Id': 'till-2.00042',
    ...(key !== null && { Authorization: `Bearer ${key}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...headers,
  }
}

/** Returns the beginning of a stream, up to the end of its first event. */
async function firstEventOf({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  let text = ''
  while (reader && !text.includes('data: ')) text += new TextDecoder().decode((await reader.read()).value)
  await reader?.cancel()
  return text
}
