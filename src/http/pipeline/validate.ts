import { z } from 'zod'
import { FIELD_ERRORS_MAX, type FieldError, fieldErrorCodes, validationFailed } from '../../contract/error.ts'
import { type JsonValue, writeJson } from '../../values/json.ts'
import { similarName } from '../../values/similar-name.ts'

/** The maximum length of an echoed name or value, so that no response repeats a megabyte that a client sent. */
const NAME_CHARS_MAX = 100

type FieldErrorCode = FieldError['code']
type Issue = z.core.$ZodIssue

/**
 * Returns the parsed body. Throws `validation_failed` with the parts that break the schema, at most the first hundred.
 */
export function validateBody(schema: z.ZodType, value: JsonValue): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  // Truncated before the messages are created, because a body of 1 MiB can have half a million errors.
  const issues = result.error.issues.slice(0, FIELD_ERRORS_MAX)
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  throw validationFailed(issues.filter(isIndependent).flatMap(issue => bodyErrors(issue, value, known)))
}

/** Returns false for an issue that only follows from a wrong type: text instead of an array also has a wrong length. */
function isIndependent(issue: Issue, index: number, issues: readonly Issue[]): boolean {
  const place = issue.path.join('/')
  return !issues
    .slice(0, index)
    .some(earlier => earlier.code === 'invalid_type' && earlier.path.join('/') === place)
}

/** Returns the code of an issue, out of the closed set of codes, and its message. `given` is the sent value. */
export function explain(issue: Issue, given: unknown): { code: FieldErrorCode; message: string } {
  switch (issue.code) {
    case 'invalid_type':
      if (given === undefined) return { code: 'required', message: 'is required' }
      return {
        code: 'type_mismatch',
        message: `must be ${typeNames[issue.expected] ?? `a ${issue.expected}`}`,
      }
    case 'too_small':
      return boundError(issue.origin, 'at least', issue.minimum, 'too_short')
    case 'too_big':
      return boundError(issue.origin, 'at most', issue.maximum, 'too_long')
    case 'invalid_value':
      if (given === undefined) return { code: 'required', message: 'is required' }
      return notInEnum(issue.values, given)
    case 'unrecognized_keys':
      return { code: 'unknown_field', message: 'is not a member of this object' }
    case 'invalid_union':
      if (given === undefined && issue.discriminator !== undefined)
        return { code: 'required', message: 'is required' }
      // A union without a discriminator has a message of its own.
      if (!('options' in issue && issue.options)) return { code: 'invalid_format', message: issue.message }
      return notInEnum(issue.options, given)
    case 'custom':
      return { code: customCode(issue.params), message: issue.message }
    default:
      return { code: 'invalid_format', message: 'has an invalid format' }
  }
}

function notInEnum(values: readonly unknown[], given: unknown): { code: FieldErrorCode; message: string } {
  return {
    code: 'not_in_enum',
    message: `must be one of ${values.map(String).join(', ')}, not ${quotedValue(given)}`,
  }
}

const typeNames: Readonly<Record<string, string>> = {
  bigint: 'an integer without fraction or exponent',
  int: 'an integer',
  array: 'an array',
  object: 'an object',
}

/**
 * Returns the errors of an issue: one for each unknown member, and one for any other issue. `known` are the members
 * that the body can have.
 */
function bodyErrors(issue: Issue, body: JsonValue, known: readonly string[]): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    const missing = issue.path.length > 0 ? [] : known.filter(name => valueAt(body, [name]) === undefined)
    // One issue names all unknown members of an object, which can be tens of thousands. Only some errors are sent.
    return issue.keys
      .slice(0, FIELD_ERRORS_MAX)
      .map(key => bodyError([...issue.path, key], explainUnknownMember(key, issue, missing)))
  }
  const option = issue.code === 'invalid_union' ? meantOption(issue, body) : undefined
  if (option) {
    const inside = option.map(one => ({ ...one, path: [...issue.path, ...one.path] }))
    return inside.flatMap(one => bodyErrors(one, body, []))
  }
  return [bodyError(issue.path, explain(issue, valueAt(body, issue.path)))]
}

/** Returns the issues of the only option of a union that has no missing and no unknown member, if there is one. */
function meantOption(
  { errors, path }: Extract<Issue, { code: 'invalid_union' }>,
  body: JsonValue,
): readonly Issue[] | undefined {
  const [meant, ...others] = errors.filter(issues =>
    issues.every(
      issue => issue.code !== 'unrecognized_keys' && valueAt(body, [...path, ...issue.path]) !== undefined,
    ),
  )
  return others.length === 0 ? meant : undefined
}

/**
 * Returns the error of an unknown member. If a client sends an id on creation, the error says that the store assigns
 * ids. Any other error names the member that was probably meant, out of those in `missing`.
 */
function explainUnknownMember(
  key: string,
  issue: Issue,
  missing: readonly string[],
): ReturnType<typeof explain> {
  if (key === 'id' && issue.path.length === 0)
    return { code: 'read_only', message: 'is assigned by the store' }
  const { code, message } = explain(issue, null)
  const meant = similarName(key, missing)
  return { code, message: meant === undefined ? message : `${message} (did you mean ${meant}?)` }
}

function bodyError(path: readonly PropertyKey[], { code, message }: ReturnType<typeof explain>): FieldError {
  const names = path.map(key => String(key).slice(0, NAME_CHARS_MAX))
  const pointer = names.map(name => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  const name = locationName(path) || 'The body'
  return { in: 'body', pointer, code, message: `${name} ${message}` }
}

/** Returns a path in readable form: `scopes[0]`, `name`. Only the innermost member is named. */
function locationName(path: readonly PropertyKey[]): string {
  const last = path.findLastIndex(key => typeof key !== 'number')
  const [member = '', ...indexes] = path.slice(Math.max(last, 0))
  return `${String(member).slice(0, NAME_CHARS_MAX)}${indexes.map(index => `[${String(index)}]`).join('')}`
}

function quotedValue(value: unknown): string {
  return writeJson(value).slice(0, NAME_CHARS_MAX)
}

function boundError(
  origin: string,
  words: string,
  limit: number | bigint,
  lengthCode: FieldErrorCode,
): { code: FieldErrorCode; message: string } {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'element' : undefined
  if (unit)
    return {
      code: lengthCode,
      message: `must have ${words} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`,
    }
  return { code: 'out_of_range', message: `must be ${words} ${limit}` }
}

function customCode(params: Record<string, unknown> | undefined): FieldErrorCode {
  return fieldErrorCodes.find(code => code === params?.field) ?? 'invalid_format'
}

function valueAt(value: JsonValue, path: readonly PropertyKey[]): unknown {
  let member: unknown = value
  for (const key of path)
    member = typeof member === 'object' && member !== null ? Reflect.get(member, key) : undefined
  return member
}
