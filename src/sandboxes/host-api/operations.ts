import type { Operation } from '../../contract/operation.ts'
import { int64Parameter, integerParameter, type Parameter } from '../../contract/parameter.ts'
import { sandboxKeyRequired, sandboxNotFound, storageFull, wrongSandboxKey } from '../../contract/refusals.ts'
import { int64Between } from '../../values/int64-schema.ts'
import { plantableFaults } from '../bench/catalogue.ts'
import { BenchReport, Hunt, NewHunt, PlantableFault, PlantedFaults, ToolFindings } from '../bench/schema.ts'
import {
  Class,
  ClassBoard,
  ClassPatch,
  CreatedClass,
  classId,
  Invitation,
  InvitedClass,
  Joining,
  NewClass,
  NewStudents,
  PLACES_MAX,
  StudentProgress,
} from '../contract/class-schema.ts'
import {
  classFull,
  classNotFound,
  codeRequired,
  hostKeyRequired,
  huntInProgress,
  nameTaken,
  sandboxDamaged,
  snapshotNotFound,
  teacherKeyRequired,
  teacherOnly,
  tooManyCreated,
  tooManySnapshots,
  wrongCode,
  wrongHostKey,
  wrongTeacherKey,
} from '../contract/refusals.ts'
import {
  CreatedSandbox,
  LifecycleClock,
  LoggedRequest,
  NewSandbox,
  Sandbox,
  SandboxPatch,
  SandboxReset,
  Snapshot,
  sandboxId,
  snapshotName,
} from '../contract/schema.ts'
import { FaultRuleStates, FaultRules } from '../failures/rules.ts'
import { REQUESTS_KEPT } from '../requests/log.ts'

/** The most items of a list without pages. No host has as many snapshots or classes. */
const LISTED_MAX = 1000
const id: Parameter<string> = {
  schema: sandboxId,
  read: value => value,
  expects: 'the id of a sandbox',
  description: 'The id of the sandbox.',
  example: '7k2m9xq4w8e3rtyu5pasdf6ghj',
}
const name: Parameter<string> = {
  schema: snapshotName,
  read: value => value,
  expects: 'a name of 1 to 50 lower-case letters, digits and hyphens that does not start with a hyphen',
  description: 'The name of the snapshot.',
  example: 'lesson-1',
}
// What the operations of one path have in common. All of these require the key of the sandbox that the path names.
const ofSandbox = {
  scope: 'any-key',
  actsOn: 'sandbox',
  pathParameters: { sandboxId: id },
  tag: 'Sandboxes',
  path: '/sandboxes/{sandboxId}',
} as const
/** What the key of a student may not do. */
const ofTeacher = { ...ofSandbox, isForTeacher: true, errors: [teacherOnly()] } as const
const ofClass = {
  scope: 'any-key',
  actsOn: 'class',
  tag: 'Classes',
  path: '/classes/{classId}',
  pathParameters: {
    classId: {
      schema: classId,
      read: (value: string) => value,
      expects: 'the id of a class',
      description: 'The id of the class.',
      example: '7k2m9xq4w8e3rtyu5pasdf6ghj',
    },
  },
  errors: [teacherKeyRequired(), wrongTeacherKey(), classNotFound()],
} as const
const ofInvitation = {
  ...ofClass,
  actsOn: 'invitation',
  path: '/classes/{classId}/join',
  errors: [codeRequired(), wrongCode()],
} as const
const ofClasses = {
  scope: 'any-key',
  actsOn: 'host',
  tag: 'Classes',
  path: '/classes',
  errors: [hostKeyRequired(), wrongHostKey()],
} as const
const ofClock = { ...ofSandbox, path: '/sandboxes/{sandboxId}/clock' } as const
const ofSnapshot = {
  ...ofSandbox,
  tag: 'Snapshots',
  path: '/sandboxes/{sandboxId}/snapshots/{name}',
  pathParameters: { sandboxId: id, name },
} as const
/** The refusals of an operation that opens the store of the sandbox, even to read. */
const ofOpened = [sandboxDamaged(), storageFull()]
const ofFaults = {
  ...ofSandbox,
  tag: 'Failures',
  path: '/sandboxes/{sandboxId}/faults',
  errors: ofOpened,
} as const
const ofPlanted = {
  ...ofSandbox,
  tag: 'Planted faults',
  path: '/sandboxes/{sandboxId}/planted-faults',
  errors: ofOpened,
} as const
const ofHunted = { ...ofPlanted, errors: [...ofOpened, huntInProgress()] } as const
const ofRequests = {
  ...ofSandbox,
  tag: 'Requests',
  path: '/sandboxes/{sandboxId}/requests',
  errors: ofOpened,
} as const

/** The operations of the host API, by operationId. */
export const hostOperations = {
  createSandbox: {
    method: 'POST',
    path: '/sandboxes',
    summary: 'Create a sandbox',
    description:
      'Creates a private store and returns its base address and its key. Only this response contains the key. An absent body means a sandbox with the demo shop for 24 hours. A seed that is the snapshot of another sandbox requires the key of that sandbox.',
    tag: 'Sandboxes',
    scope: 'public',
    actsOn: 'host',
    body: NewSandbox,
    isBodyOptional: true,
    location: '/sandboxes/{id}',
    success: { status: 201, resource: CreatedSandbox, description: 'The sandbox and its key.' },
    errors: [
      sandboxKeyRequired(),
      wrongSandboxKey(),
      sandboxNotFound(),
      snapshotNotFound('lesson-1'),
      sandboxDamaged(),
      tooManyCreated(60, 42),
    ],
  },
  getSandbox: {
    ...ofSandbox,
    method: 'GET',
    summary: 'Read a sandbox',
    description: 'Returns the sandbox, without its key.',
    success: { status: 200, resource: Sandbox, description: 'The sandbox.' },
  },
  updateSandbox: {
    ...ofTeacher,
    method: 'PATCH',
    summary: 'Change the label or the lifetime',
    description: 'Changes the members that are present. The lifetime counts from now.',
    body: SandboxPatch,
    success: { status: 200, resource: Sandbox, description: 'The sandbox.' },
  },
  deleteSandbox: {
    ...ofTeacher,
    method: 'DELETE',
    summary: 'Delete a sandbox',
    description: 'Deletes the sandbox, its snapshots and its request log at once.',
    success: { status: 204, description: 'The sandbox was deleted.' },
  },
  resetSandbox: {
    ...ofSandbox,
    method: 'POST',
    path: '/sandboxes/{sandboxId}/reset',
    summary: 'Reset a sandbox',
    description:
      'Restores the content of the seed or of a snapshot. Each reset to the same content gives the same data, ids and positions, so that a recorded test can be replayed; only instants, secrets and event ids can differ. Streams end, and earlier cursors are refused. The key, the fault rules, the clock and the request log remain.',
    body: SandboxReset,
    isBodyOptional: true,
    success: { status: 200, resource: Sandbox, description: 'The sandbox, with its new generation.' },
    errors: [snapshotNotFound('lesson-1'), sandboxDamaged()],
  },
  listSnapshots: {
    ...ofSandbox,
    tag: 'Snapshots',
    method: 'GET',
    path: '/sandboxes/{sandboxId}/snapshots',
    summary: 'List the snapshots',
    description: 'Returns all snapshots of the sandbox, sorted by name.',
    success: { status: 200, list: Snapshot, description: 'The snapshots.', itemsMax: LISTED_MAX },
  },
  getSnapshot: {
    ...ofSnapshot,
    method: 'GET',
    summary: 'Read a snapshot',
    description: 'Returns the size of a snapshot, and when it was taken.',
    success: { status: 200, resource: Snapshot, description: 'The snapshot.' },
    errors: [snapshotNotFound('lesson-1')],
  },
  putSnapshot: {
    ...ofSnapshot,
    method: 'PUT',
    summary: 'Take a snapshot',
    description:
      'Stores the current content under a name. An earlier snapshot with this name is overwritten.',
    success: { status: 200, resource: Snapshot, description: 'The snapshot.' },
    errors: [tooManySnapshots(10), sandboxDamaged()],
  },
  deleteSnapshot: {
    ...ofSnapshot,
    method: 'DELETE',
    summary: 'Delete a snapshot',
    description: 'Deletes a snapshot. Sandboxes that were created from it keep a copy.',
    success: { status: 204, description: 'The snapshot was deleted.' },
    errors: [snapshotNotFound('lesson-1')],
  },
  getClock: {
    ...ofClock,
    method: 'GET',
    summary: 'Read the lifecycle clock',
    description: 'Returns the instant of the clock, which decides which operations have been retired.',
    success: { status: 200, resource: LifecycleClock, description: 'The clock.' },
  },
  setClock: {
    ...ofClock,
    method: 'PUT',
    summary: 'Set the lifecycle clock',
    description: 'Sets the clock, which continues from there. Data and events keep the real time.',
    body: LifecycleClock,
    success: { status: 200, resource: LifecycleClock, description: 'The clock.' },
  },
  getFaults: {
    ...ofFaults,
    method: 'GET',
    summary: 'Read the fault rules',
    description: 'Returns the rules, and how often each was checked and applied.',
    success: { status: 200, resource: FaultRuleStates, description: 'The rules.' },
  },
  setFaults: {
    ...ofFaults,
    method: 'PUT',
    summary: 'Set the fault rules',
    description:
      'Replaces all rules; their counts begin at 0. Only the first rule that applies to a call takes effect. A response that a rule affected carries the header Petstore-Fault. A single request can also ask for a failure without a rule, with the request header Petstore-Fault.',
    body: FaultRules,
    success: { status: 200, resource: FaultRuleStates, description: 'The rules.' },
  },
  deleteFaults: {
    ...ofFaults,
    method: 'DELETE',
    summary: 'Delete the fault rules',
    description: 'Deletes all rules.',
    success: { status: 204, description: 'The rules were deleted.' },
  },
  listPlantableFaults: {
    ...ofSandbox,
    method: 'GET',
    path: '/sandboxes/{sandboxId}/plantable-faults',
    tag: 'Planted faults',
    summary: 'List the faults that can be planted',
    description: 'Returns all ways in which a sandbox can be wrong on purpose.',
    success: {
      status: 200,
      list: PlantableFault,
      description: 'The faults.',
      itemsMax: plantableFaults.length,
    },
  },
  getPlantedFaults: {
    ...ofHunted,
    method: 'GET',
    summary: 'Read the planted faults',
    description: 'Returns the planted faults. During a hunt, nobody may read them.',
    success: { status: 200, resource: PlantedFaults, description: 'The faults.' },
  },
  setPlantedFaults: {
    ...ofPlanted,
    method: 'PUT',
    summary: 'Plant faults',
    description:
      'Replaces the planted faults, and begins a new report; an empty list makes the store right again. The responses of the store, and what it delivers, are then wrong as the faults say, and carry no sign of it. What is stored stays right. Rules and `Petstore-Fault` apply as well: to a store that is wrong. Ends a hunt.',
    body: PlantedFaults,
    success: { status: 200, resource: PlantedFaults, description: 'The faults.' },
  },
  startHunt: {
    ...ofPlanted,
    method: 'POST',
    path: '/sandboxes/{sandboxId}/hunt',
    summary: 'Plant unknown faults',
    description:
      'Replaces the planted faults by unknown ones, each in one operation, and begins a new report. No response names them until `scoreFindings`.',
    body: NewHunt,
    success: { status: 200, resource: Hunt, description: 'The hunt.' },
  },
  getBenchReport: {
    ...ofPlanted,
    method: 'GET',
    path: '/sandboxes/{sandboxId}/report',
    summary: 'Read what was exercised and provoked',
    description:
      'Returns which operations responded with which statuses since the faults were planted, and, except in a hunt, which faults made a response or a delivery wrong.',
    success: { status: 200, resource: BenchReport, description: 'The report.' },
  },
  scoreFindings: {
    ...ofPlanted,
    method: 'POST',
    path: '/sandboxes/{sandboxId}/report',
    summary: 'Score what a tool reported',
    description:
      'Compares the findings of a tool with the faults that it provoked, and returns the report with scores. A finding counts if no run without faults has an equal one, and if it belongs to a wrong response: by its request id, or else by operation and status, or by operation. In a hunt, this reveals the faults and ends the hunt.',
    body: ToolFindings,
    success: { status: 200, resource: BenchReport, description: 'The report with scores.' },
  },
  listRequests: {
    ...ofRequests,
    method: 'GET',
    summary: 'List the last requests',
    description: `Returns requests to the sandbox and their responses, the newest first. The log keeps the last ${REQUESTS_KEPT}, or fewer if they are large.`,
    query: {
      limit: integerParameter(1, REQUESTS_KEPT, 'The maximum number of requests; 100 by default.'),
      before: int64Parameter(
        int64Between(1n, 9_007_199_254_740_991n),
        'the number of a request',
        'Only requests before the one with this number.',
      ),
    },
    success: { status: 200, list: LoggedRequest, description: 'The requests.', itemsMax: REQUESTS_KEPT },
  },
  deleteRequests: {
    ...ofRequests,
    isForTeacher: true,
    errors: [...ofOpened, teacherOnly()],
    method: 'DELETE',
    summary: 'Clear the request log',
    description: 'Deletes all logged requests. The numbers continue.',
    success: { status: 204, description: 'The log is empty.' },
  },
  getArchive: {
    ...ofTeacher,
    errors: [...ofOpened, teacherOnly()],
    tag: 'Requests',
    method: 'GET',
    path: '/sandboxes/{sandboxId}/archive',
    summary: 'Download an archive',
    description:
      'Returns a .tar.gz with all categories, pets and orders of the store, and the last requests, each as a JSON file. It contains no keys or secrets.',
    success: { status: 200, file: 'application/gzip', description: 'The archive.' },
  },
  replaceSandboxKey: {
    ...ofTeacher,
    method: 'POST',
    path: '/sandboxes/{sandboxId}/key',
    summary: 'Replace the key',
    description:
      'Gives the sandbox another key at the same address. The key before is revoked, and so are all other keys of the store, also in its snapshots.',
    success: { status: 200, resource: CreatedSandbox, description: 'The sandbox and its new key.' },
  },
  getProgress: {
    ...ofSandbox,
    tag: 'Classes',
    method: 'GET',
    path: '/sandboxes/{sandboxId}/progress',
    summary: 'Read the progress of a student',
    description: 'Returns what the student has done of the lesson, and the hints that are open.',
    success: { status: 200, resource: StudentProgress, description: 'The progress.' },
  },
  createClass: {
    ...ofClasses,
    method: 'POST',
    summary: 'Create a class',
    description:
      'Creates a class without students, and reserves sandboxes and space for them. Only this response contains the key of the teacher.',
    body: NewClass,
    location: '/classes/{id}',
    success: { status: 201, resource: CreatedClass, description: 'The class and the key of its teacher.' },
  },
  listClasses: {
    ...ofClasses,
    method: 'GET',
    summary: 'List the classes',
    description: 'Returns all classes of the host, without their students.',
    success: { status: 200, list: Class, description: 'The classes.', itemsMax: LISTED_MAX },
  },
  getClass: {
    ...ofClass,
    method: 'GET',
    summary: 'Read a class and its board',
    description: 'Returns the class, its students, and what they have done of each exercise.',
    success: { status: 200, resource: ClassBoard, description: 'The class and its board.' },
  },
  updateClass: {
    ...ofClass,
    method: 'PATCH',
    summary: 'Extend a class, or open hints',
    description: 'Changes the members that are present. All sandboxes of the class expire when it ends.',
    body: ClassPatch,
    success: { status: 200, resource: ClassBoard, description: 'The class and its board.' },
  },
  readInvitation: {
    ...ofInvitation,
    method: 'GET',
    summary: 'Read who can join a class',
    description: 'Returns the names that are free.',
    success: { status: 200, resource: InvitedClass, description: 'The class and its free names.' },
  },
  joinClass: {
    ...ofInvitation,
    method: 'POST',
    summary: 'Join a class',
    description:
      'Takes a free name, once, and returns its sandbox with a new key; an earlier key stops working. In a class with room, a name that is not in the list gets a new sandbox. Only this response contains the key.',
    body: Joining,
    success: { status: 200, resource: CreatedSandbox, description: 'The sandbox of the student.' },
    errors: [...ofInvitation.errors, nameTaken('Ada'), classFull(1)],
  },
  openInvitation: {
    ...ofClass,
    method: 'POST',
    path: '/classes/{classId}/invitation',
    summary: 'Open a link for students',
    description:
      'Returns a link with which students take their names. A link that was opened before stops working.',
    success: { status: 200, resource: Invitation, description: 'The link.' },
  },
  closeInvitation: {
    ...ofClass,
    method: 'DELETE',
    path: '/classes/{classId}/invitation',
    summary: 'Close the link for students',
    description: 'The link stops working. Students who have joined stay in the class.',
    success: { status: 204, description: 'The link is closed.' },
  },
  deleteClass: {
    ...ofClass,
    method: 'DELETE',
    summary: 'Delete a class',
    description: 'Deletes the class, its sandboxes, and all that is known of its students.',
    success: { status: 204, description: 'The class was deleted.' },
  },
  addStudents: {
    ...ofClass,
    method: 'POST',
    path: '/classes/{classId}/students',
    summary: 'Add students',
    description:
      'Creates a sandbox for each student that the class lacks, and returns only these with their keys. Only this response contains the keys.',
    body: NewStudents,
    success: { status: 200, list: CreatedSandbox, description: 'The new sandboxes.', itemsMax: PLACES_MAX },
  },
  removeStudent: {
    ...ofClass,
    method: 'DELETE',
    path: '/classes/{classId}/students/{sandboxId}',
    pathParameters: { ...ofClass.pathParameters, sandboxId: id },
    summary: 'Remove a student',
    description: 'Deletes the sandbox of a student and all results. The name and the place are free again.',
    success: { status: 204, description: 'The student was removed.' },
    errors: [...ofClass.errors, sandboxNotFound()],
  },
  streamRequests: {
    ...ofRequests,
    method: 'GET',
    path: '/sandboxes/{sandboxId}/requests/stream',
    summary: 'Stream the requests',
    description:
      'Server-sent events: each new request as it is logged. `data` is a LoggedRequest, `id` its number.',
    success: {
      status: 200,
      stream: LoggedRequest,
      description: 'The requests as they arrive.',
      example: `retry: 1000\n\nid: 12\nevent: request\ndata: ${JSON.stringify(LoggedRequest.meta()?.example)}\n\n`,
    },
  },
} as const satisfies Record<string, Operation>

export type HostOperationId = keyof typeof hostOperations
