import {
  type ErrorCodeName,
  type ErrorDetails,
  errorTable,
  StoreError,
  validationFailed,
} from '../../contract/error.ts'

// One function for each refusal of the host. Each function returns the error; its caller throws it.

export function sandboxDamaged(): StoreError {
  return new StoreError(
    'sandbox_damaged',
    'The files of this sandbox were damaged, probably by a power failure. Reset it to its seed or to a snapshot.',
  )
}

export function snapshotDamaged(): StoreError {
  return new StoreError(
    'sandbox_damaged',
    'The file of this snapshot is damaged or missing, and nothing was changed. Use another snapshot, or a seed.',
  )
}

/** `isSeed`: whether the sandbox was created from a snapshot of another sandbox, and that snapshot has this name. */
export function snapshotNotFound(name: string, isSeed = false): StoreError {
  const hint = isSeed
    ? ' Its seed is a snapshot with this name in another sandbox. To restore the seed, reset without a snapshot name.'
    : ''
  return new StoreError('snapshot_not_found', `This sandbox has no snapshot ${JSON.stringify(name)}.${hint}`)
}

export function tooManySnapshots(max: number): StoreError {
  return new StoreError('sandbox_limit_reached', `A sandbox can have ${max} snapshots: delete one first.`)
}

/** The refusal of a command beyond a bound of its sandbox, such as `20 webhooks`. */
export function boundReached(code: 'storage_full' | 'webhook_limit_reached', bound: string): StoreError {
  const message = `This sandbox has reached its limit of ${bound}. Reset it, or create another one.`
  return new StoreError(code, message)
}

/** The refusal of anything new while the host is full. `bound` names the limit, such as `1000 sandboxes`. */
export function hostFull(bound: string): StoreError {
  const message = `This host has reached its limit of ${bound}; try again when some sandboxes have expired.`
  return new StoreError('overloaded', message, { retryAfterSeconds: 600 })
}

export function tooManyCreated(max: number, retryAfterSeconds: number): StoreError {
  const message = `One address can create ${max} sandboxes an hour; try again in ${retryAfterSeconds} seconds.`
  return new StoreError('rate_limited', message, { retryAfterSeconds })
}

export function allOpenAreBusy(max: number): StoreError {
  return new StoreError('overloaded', `All ${max} sandboxes that can be open at once are in use.`, {
    retryAfterSeconds: 5,
  })
}

/** The refusal of a form in the lab: of another type than these, or, without types, one that cannot be read. */
export function notThisForm(types: readonly string[] | undefined): StoreError {
  return types
    ? new StoreError('unsupported_media_type', `Content-Type must be ${types.join(' or ')}.`)
    : new StoreError('validation_failed', 'The body is not a form of its Content-Type.')
}

export function huntInProgress(): StoreError {
  const message = 'The faults of a hunt are secret until its findings are scored (POST to report).'
  return new StoreError('hunt_in_progress', message)
}

/** The refusal that a fault rule, or the header of a request, asked for. */
export function requestedFailure(code: ErrorCodeName, details: ErrorDetails): StoreError {
  return new StoreError(code, `${errorTable[code].meaning} This failure was requested.`, details)
}

export function tooManyRequestsOfSandbox(perMinute: number, details: ErrorDetails): StoreError {
  return new StoreError(
    'rate_limited',
    `This sandbox has reached its limit of ${perMinute} requests a minute.`,
    details,
  )
}

export function classNotFound(): StoreError {
  return new StoreError('class_not_found')
}

export function hostKeyRequired(): StoreError {
  const message = 'This operation requires the host key, as Authorization: Bearer pst_...'
  return new StoreError('authentication_required', message)
}

export function wrongHostKey(): StoreError {
  return new StoreError(
    'invalid_token',
    'The key is not the host key, which is in the file host-key of the host.',
  )
}

export function teacherKeyRequired(): StoreError {
  const message = 'This operation requires the key of the teacher, as Authorization: Bearer pst_...'
  return new StoreError('authentication_required', message)
}

export function wrongTeacherKey(): StoreError {
  return new StoreError('invalid_token', 'The key is not that of the teacher of this class.')
}

export function codeRequired(): StoreError {
  const message =
    'This operation requires the code of the link to the class, as Authorization: Bearer psc_...'
  return new StoreError('authentication_required', message)
}

/** The refusal of a code, whatever makes it useless: it tells nobody which classes exist. */
export function wrongCode(): StoreError {
  const message = 'This link to a class does not work any more. Ask your teacher for another one.'
  return new StoreError('invalid_token', message)
}

export function nameTaken(name: string): StoreError {
  return new StoreError(
    'name_taken',
    `${JSON.stringify(name)} is taken. If it is your name, ask your teacher for a new card; ` +
      'if somebody else has it too, type it with something more.',
  )
}

/** The refusal of a name that more than one student of the class has. */
export function nameAmbiguous(name: string): StoreError {
  return new StoreError(
    'name_taken',
    `More than one student is called ${JSON.stringify(name)}: choose yours in the list.`,
  )
}

export function tooFewPlaces(students: number): StoreError {
  const message = `places must be at least ${students}, the number of students`
  return validationFailed([{ in: 'body', pointer: '/places', code: 'out_of_range', message }])
}

export function emptyName(): StoreError {
  const message = 'name must have a visible character'
  return validationFailed([{ in: 'body', pointer: '/name', code: 'invalid_format', message }])
}

export function classFull(places: number): StoreError {
  const message = `Nobody of this name is in the class, and its places (${places}) are taken: ask your teacher.`
  return new StoreError('sandbox_limit_reached', message)
}

/** The refusal of what the key of a student may not do in the sandbox of a class. */
export function teacherOnly(): StoreError {
  const message = 'The sandbox belongs to a class: only its teacher can do this.'
  return new StoreError('insufficient_scope', message, { scope: 'teacher' })
}

export function sandboxFailed(): StoreError {
  return new StoreError('internal_error', 'The sandbox failed; the host has logged the reason.')
}
