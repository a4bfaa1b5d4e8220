import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { BODY_BYTES_MAX } from '../../contract/limits.ts'
import { type Operation, requiredScope } from '../../contract/operation.ts'
import type { OperationId } from '../../shop/registry/operations.ts'
import { exampleOf } from './example.ts'
import { flagsOf, InvalidValue, type OperationFlag, pathReader } from './flags.ts'
import { type GivenInput, type GivenValue, requestOf } from './input.ts'
import { kebabCase, operationOf } from './names.ts'
import { addOptions, type OperationOptions, requestOptions } from './request-options.ts'
import { runOperation } from './run.ts'

const EXIT_CODES = `Exit codes:
  0  success
  1  the store refused
  2  the command line is wrong
  3  no connection, a time limit, or an error of the server`

/** Adds the command of one operation, made from the contract. */
export function addOperation(program: Command, id: OperationId): void {
  const operation = operationOf(id)
  const { flags, common } = optionsOf(id, operation)
  const command = program
    .command(kebabCase(id))
    .summary(summaryOf(operation))
    .description(descriptionOf(operation))
  for (const [name, parameter] of Object.entries(operation.pathParameters ?? {})) {
    const read = withArgumentErrors(pathReader(parameter))
    command.addArgument(new Argument(`<${kebabCase(name)}>`, parameter.description).argParser(read))
  }
  addOptions(command, 'Parameters:', flags.filter(({ place }) => place !== 'body').flatMap(optionsFor))
  addOptions(
    command,
    'Members of the body:',
    flags.filter(({ place }) => place === 'body').flatMap(optionsFor),
  )
  addOptions(command, 'Common options:', common)
  const needed = flags.filter(({ isRequired }) => isRequired).map(({ flag, form }) => `--${flag} <${form}>`)
  const positions = Object.keys(operation.pathParameters ?? {}).map(name => `<${kebabCase(name)}>`)
  command.usage([...positions, ...needed, '[options]'].join(' '))
  command.addHelpText('after', `\nExample:\n  ${exampleOf(id, flags)}\n\n${EXIT_CODES}`)
  command.action(async () => {
    const given: GivenInput = {
      operation,
      flags,
      path: command.processedArgs,
      options: command.opts<Record<string, GivenValue>>(),
    }
    const options = commonOptions(command, common)
    const request = await requestOf(given, options.body, nameIn(common, 'body'))
    await runOperation(id, request, options)
  })
}

/**
 * Returns the options of an operation. If a member of the body has the name of a common option, such as `url`, both get
 * a longer name. Otherwise, the URL of a webhook could be taken for the address of the store, and receive the key.
 */
export function optionsOf(id: string, operation: Operation): { flags: OperationFlag[]; common: Option[] } {
  const common = commonOf(operation)
  const names = new Set(common.map(option => option.name()))
  const flags = flagsOf(id, operation, names)
  const taken = new Map(
    flags.filter(one => names.has(kebabCase(one.name))).map(one => [kebabCase(one.name), one.flag]),
  )
  const renamed = common.flatMap(option => {
    const meant = taken.get(option.name())
    return meant === undefined ? [option] : [prefixed(option), ambiguous(option, meant)]
  })
  return { flags, common: renamed }
}

function commonOf({ body, success, query }: Operation): Option[] {
  const isPaged = 'list' in success && query !== undefined
  return [
    ...(body
      ? [new Option('--body <json>', `the whole body: JSON, @FILE or - (at most ${BODY_BYTES_MAX} bytes)`)]
      : []),
    ...(isPaged ? [new Option('--all', 'follow the pages to the end of the list')] : []),
    new Option('-i, --include-headers', 'print the status and the headers first'),
    ...requestOptions(),
  ]
}

function prefixed(option: Option): Option {
  const copy = new Option(option.flags.replace('--', '--store-'), option.description)
  return option.argChoices ? copy.choices(option.argChoices) : copy
}

/** Returns a hidden option that says which of two options to use instead. */
function ambiguous(option: Option, meant: string): Option {
  const name = option.name()
  return new Option(option.flags).hideHelp().argParser(() => {
    throw new InvalidArgumentError(`Use --${meant} for the member ${name}, or --store-${name} for the store.`)
  })
}

function commonOptions(command: Command, common: readonly Option[]): OperationOptions {
  const values: Record<string, unknown> = {}
  for (const option of common) {
    const value: unknown = command.getOptionValue(option.attributeName())
    const name = option.name().replace(/^store-/, '')
    if (value !== undefined) values[name === 'include-headers' ? 'includeHeaders' : name] = value
  }
  // Safe: each option has the name of a member of OperationOptions, and its value has the type of that member.
  return values as unknown as OperationOptions
}

function nameIn(common: readonly Option[], name: string): string {
  return common.some(option => option.name() === `store-${name}`) ? `--store-${name}` : `--${name}`
}

/** Returns the option of a flag, and a hidden one with the name that the contract uses: `--categoryId`. */
function optionsFor(flag: OperationFlag): Option[] {
  const description = [plain(flag.description), ...(flag.isRepeated ? ['May be repeated.'] : [])].join(' ')
  const read = collector(flag)
  const make = (name: string): Option => {
    const option = new Option(`--${name} <${flag.form}>`, description).argParser(read)
    if (flag.values.length > 0) option.argChoices = [...flag.values]
    return option
  }
  const isSame = flag.place === 'header' || flag.name === flag.flag || kebabCase(flag.name) !== flag.flag
  return isSame ? [make(flag.flag)] : [make(flag.flag), make(flag.name).hideHelp()]
}

/** Returns a parser of an option. The values of a repeated option become a list; any other option may occur once. */
function collector({ isRepeated, read }: OperationFlag): (text: string, previous?: GivenValue) => GivenValue {
  const parse = withArgumentErrors(read)
  return (text, previous) => {
    const value = parse(text)
    if (isRepeated) return { value: Array.isArray(previous?.value) ? [...previous.value, value] : [value] }
    if (previous !== undefined) throw new InvalidArgumentError('It may be given only once.')
    return { value }
  }
}

function withArgumentErrors(read: (text: string) => unknown): (text: string) => unknown {
  return text => {
    try {
      return read(text)
    } catch (error) {
      if (error instanceof InvalidValue) throw new InvalidArgumentError(error.message)
      throw error
    }
  }
}

/** Returns the summary of an operation, with its stability unless it is stable. */
export function summaryOf({ summary, stability = 'stable' }: Operation): string {
  return stability === 'stable' ? summary : `${summary} (${stability})`
}

function descriptionOf(operation: Operation): string {
  const { method, path, description, scope } = operation
  const needed = requiredScope(operation)
  const key = needed
    ? `Requires a key with the scope ${needed}.`
    : scope === 'public'
      ? 'Requires no key.'
      : 'Requires a key.'
  return [
    `${summaryOf(operation)}: ${method} ${path}. ${key}`,
    ...(description ? [plain(description)] : []),
  ].join('\n\n')
}

/** Returns a text of the contract without the marks of Markdown. */
function plain(text: string): string {
  return text.replaceAll('`', '')
}
