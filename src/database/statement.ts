/** The value of a column. Booleans are 0n and 1n, instants are RFC 3339 text, JSON is text. */
export type Value = string | bigint | null

/** Returns a boolean as it is stored in a column. */
export function storedBoolean(value: boolean): bigint {
  return value ? 1n : 0n
}

/** Returns the boolean that is stored in a column. */
export function readBoolean(value: bigint): boolean {
  return value === 1n
}

/** One SQL statement, the names of its parameters, and the type of the rows it returns. */
export interface Statement<Row, Name extends string = never> {
  /** The SQL, with `$1` in place of the first name, `$2` in place of the second, ... */
  readonly text: string
  /** The equivalent for PostgreSQL with the same parameters, if `text` would be slow or sort differently there. */
  readonly postgresText?: string
  /** The names in the order of their numbers. A name that the SQL uses twice has one number. */
  readonly names: readonly Name[]
  /** The values of a statement that was made for one call, in the order of their numbers. */
  readonly values?: Value[]
  /** Whether the statement can change rows. */
  readonly writes: boolean
  /** The table that the statement writes; absent if it only reads, or if the table is not at the start of its text. */
  readonly table?: string
  /**
   * The parameter with the id of the only row that the statement writes; absent if its text names no such parameter.
   */
  readonly writtenId?: Name
  /** Exists only in the type; no statement has a value here. */
  readonly row?: Row
}

/** The arguments after the statement in a call: an object with a value for each name, or nothing if it has no names. */
export type ParametersOf<Name extends string> = [Name] extends [never]
  ? []
  : [parameters: Readonly<Record<Name, Value>>]

/** A statement and its parameters: the arguments of a call that runs the statement. */
export type StatementCall<Row, Name extends string> = [
  statement: Statement<Row, Name>,
  ...parameters: ParametersOf<Name>,
]

type Characters<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First | Characters<Rest>
  : never

type Letter = Characters<'abcdefghijklmnopqrstuvwxyz'>
type NameCharacter = Letter | Uppercase<Letter> | Characters<'0123456789'>

type LeadingName<
  Text extends string,
  Name extends string = '',
> = Text extends `${infer First extends NameCharacter}${infer Rest}`
  ? LeadingName<Rest, `${Name}${First}`>
  : Name

/**
 * The names that follow a `$` in a text. `Found` makes the type tail-recursive, because the compiler expands other
 * recursive types only to 50 levels.
 */
type NamesIn<Text extends string, Found extends string = never> = Text extends `${string}$${infer Rest}`
  ? NamesIn<Rest, Found | LeadingName<Rest>>
  : Found

/** A text that the compiler knows in full; for any other text, a type that says in a sentence what to use instead. */
type KnownText<Text extends string> =
  // A record with known keys requires them, so it does not accept `{}`. A record whose keys are `string` or a pattern
  // accepts it.
  Record<never, unknown> extends Record<Text, unknown> ? 'The text is not known here: use dynamicSql.' : Text

const PARAMETER = /\$(\w*)/g
const NAME = /^[a-z][A-Za-z0-9]*$/

/**
 * Returns a function that declares a statement with rows of the type `Row`. Parameters are written `$petId`, and the
 * compiler checks the object of each call against them: `tx.one(findPet, { petId })`. The text is parsed once, when it
 * is declared. Every `$` in it must begin a parameter, even in quotes. Throws if a `$` is not followed by a name in
 * camelCase.
 */
export function sql<Row = never>(): <const Text extends string>(
  text: KnownText<Text>,
) => Statement<Row, NamesIn<Text>> {
  return numbered
}

function numbered<Name extends string>(named: string): Statement<never, Name> {
  const names: Name[] = []
  const text = named.replaceAll(PARAMETER, (_, name: string) => {
    if (!NAME.test(name)) throw new Error(`"$${name}" is not a parameter in camelCase: ${named}`)
    // Safe: NamesIn finds the same names in the same text.
    const known = name as Name
    if (!names.includes(known)) names.push(known)
    return `$${names.indexOf(known) + 1}`
  })
  return { text, names, writes: writes(text), ...targetOf(named, names) }
}

const WRITTEN_TABLE = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)/
const INSERTED_ID = /^\s*INSERT INTO\s+\w+\s*\(\s*id,[^()]*\)\s*VALUES\s*\(\s*\$(\w+)/
const CHANGED_ID = /^\s*id = \$(\w+)\s*(?:$|AND\s|RETURNING\s)/

/** Returns the table that a statement writes, and the parameter with the id of the only written row, if it has them. */
function targetOf<Name extends string>(
  named: string,
  names: readonly Name[],
): Pick<Statement<never, Name>, 'table' | 'writtenId'> {
  const table = WRITTEN_TABLE.exec(named)?.[1]
  if (table === undefined) return {}
  const written = INSERTED_ID.exec(named)?.[1] ?? changedId(named)
  const writtenId = names.find(name => name === written)
  return writtenId === undefined ? { table } : { table, writtenId }
}

/**
 * Returns the parameter `x` of an UPDATE or DELETE with `WHERE id = $x`, alone or before an AND; otherwise undefined.
 */
function changedId(named: string): string | undefined {
  const [, condition = '', ...others] = named.split('WHERE')
  return others.length > 0 || /\bOR\b/.test(condition) ? undefined : CHANGED_ID.exec(condition)?.[1]
}

/** Adds a value to the parameters of the statement that is being written, and returns its place in the text: `$1`. */
export type Place = (value: Value) => string

/**
 * Returns a statement for one call, whose text depends on the request. `write` returns the text, and optionally its
 * equivalent for PostgreSQL. It calls `place` with each value, and puts the returned place into the text. Each distinct
 * text costs memory in a connection, so there should be few texts.
 */
export function dynamicSql<Row = never>(
  write: (place: Place) => string | readonly [text: string, postgresText: string],
): Statement<Row> {
  const values: Value[] = []
  const written = write(value => `$${values.push(value)}`)
  const [text, postgresText] = typeof written === 'string' ? [written] : written
  return {
    text,
    names: [],
    values,
    writes: writes(text),
    ...targetOf(text, []),
    ...(postgresText !== undefined && { postgresText }),
  }
}

function writes(text: string): boolean {
  return !/^\s*SELECT\b/.test(text)
}

/**
 * Returns the values of a call in the order of their numbers. Throws if a value is missing, because it would be bound
 * as NULL.
 */
export function valuesOf<Name extends string>(
  { names, values, text }: Statement<unknown, Name>,
  [parameters]: readonly Readonly<Record<Name, Value>>[],
): Value[] {
  if (values) return values
  const ordered: Value[] = []
  for (const name of names) {
    const value = parameters?.[name]
    if (value === undefined) throw new Error(`the parameter ${name} has no value: ${text}`)
    ordered.push(value)
  }
  return ordered
}
