import { existsSync, readFileSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { textOfFile } from '../../catalogue/file-text.ts'
import { ApiError, ConnectionError } from '../../client/errors.ts'
import type { ClassBoard, CreatedClass, CreatedSandbox, HostOperations } from '../../client/sandbox-api.ts'
import { writeWholeFile } from '../../files/private-file.ts'
import { LessonProblem } from '../../sandboxes/classes/conditions.ts'
import { hostKeyPath } from '../../sandboxes/classes/host-key.ts'
import { type NewStudent, PLACES_MAX } from '../../sandboxes/contract/class-schema.ts'
import { isKeyText } from '../../shop/keys/key-text.ts'
import { countText } from '../../values/count-text.ts'
import { csvLine } from '../../values/csv.ts'
import { durationMs } from '../../values/duration.ts'
import { mayHaveTakenEffect } from '../../values/effect.ts'
import { isRefusedConnection, UNKNOWN_OUTCOME } from '../operations/request-failure.ts'
import { givenKey, readAddress, readKeyOption } from '../store-access/store-options.ts'
import { confirm } from '../terminal/confirmation.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, print, reasonOf, say } from '../terminal/terminal.ts'
import { chooseHost, controlHost, HOST_DATA, hostFailure } from './host.ts'
import { checkLesson } from './lesson-check.ts'
import { withOwnHost } from './own-host.ts'
import { readRoster } from './roster.ts'
import { csvLabel, SavedSandboxes, sandboxesCsv, savedSandbox } from './saved.ts'

const LINK_FILE = 'class.link'
const LINK = /^(.*)\/board\/([2-9a-km-np-z]{26})#key=(pst_\w+)$/

const CREATE_HELP = `
The first run creates the class with the host key, which the host writes to the file host-key in its data directory. It
writes the link to the board of the teacher to --link, and the keys of the students to --save; only you can read both.
Later runs add the students that the class lacks, and extend it.

With --places in place of --names, students type their names when they join with the link of "petstore class invite".

Examples:
  petstore class create --names class.csv --lesson lesson.md --until 2027-02-01 --dry-run
  petstore class create --places 30 --lesson lesson.md --until 30d --key @sandboxes/host-key
  petstore class create --names class.csv --lesson lesson.md --until 2027-02-01 --key @sandboxes/host-key`

interface CreateClassOptions {
  readonly names?: string
  readonly places?: number
  readonly lesson: string
  readonly until: string
  readonly name?: string
  readonly key?: string
  readonly hostUrl?: string
  readonly save: string
  readonly link: string
  readonly dryRun?: boolean
}

interface LinkOptions {
  readonly link: string
  readonly hostUrl?: string
}

/** Adds the command `class`, which creates classes on a host, checks lessons, and reads results. */
export function addClass(program: Command): void {
  const command = program
    .command('class')
    .description('create classes on a host of sandboxes, and check lessons')
  command
    .command('create')
    .description('create a class with a sandbox for each student; later, add students or move the end')
    .option('--names <file>', 'the list of the students: a name a line, or a table (CSV or Excel)')
    .option('--places <number>', 'the number of students who join with the link, without a list', readPlaces)
    .requiredOption('--lesson <file>', 'the lesson, in Markdown')
    .requiredOption(
      '--until <date>',
      'the last day, such as 2027-02-01, or 30d; at most 200 days from now',
      readUntil,
    )
    .option('--name <text>', 'the name of the class (default: that of the list, or else of the lesson)')
    .option('--key <key>', `the host key, or @FILE (default: @${hostKeyPath(HOST_DATA)}) [PETSTORE_KEY]`)
    .option('--host-url <url>', 'address of the host (default: http://127.0.0.1:8081) [PETSTORE_SANDBOXES]')
    .option('--save <file>', 'the list of the sandboxes with their keys', 'sandboxes.csv')
    .option('--link <file>', 'the file with the link to the board', LINK_FILE)
    .option('--dry-run', 'show what would be created')
    .addHelpText('after', CREATE_HELP)
    .action(runCreateClass)
  command
    .command('check <lesson>')
    .description('run the solutions of a lesson in a new sandbox, and compare them with the checks')
    .action(runCheck)
  const withLink = (name: string, about: string): Command =>
    command
      .command(name)
      .description(about)
      .option('--link <file>', 'the file with the link to the board', LINK_FILE)
      .option('--host-url <url>', 'address of the host, in place of the one in the link')
  withLink('update', 'replace the lesson; what was done of an exercise stays if its title does')
    .requiredOption('--lesson <file>', 'the lesson, in Markdown')
    .action(runUpdate)
  withLink('invite', 'print a link with which students join; a link that was opened before stops working')
    .option('--close', 'close the link, and print none')
    .action(runInvite)
  withLink('results', 'print what each student has done, as CSV').action(runResults)
  withLink('delete', 'delete a class with its sandboxes and results')
    .option('--yes', 'do not ask')
    .action(runDeleteClass)
}

/** Returns the end of a day on this computer, or a time from now, as an instant. */
function readUntil(text: string): string {
  const aheadMs = durationMs(text, 'dw')
  if (aheadMs !== undefined) return new Date(Date.now() + aheadMs).toISOString()
  const end = new Date(`${text}T23:59:59`)
  // 31 February would be a day of March.
  if (dayOf(end) === text) return end.toISOString()
  throw new InvalidArgumentError('It must be a date such as 2027-02-01, or a time such as 30d.')
}

/** Returns the day of an instant on this computer, such as `2027-02-01`. */
function dayOf(at: Date): string {
  const parts = [at.getFullYear(), at.getMonth() + 1, at.getDate()]
  return parts.map(part => String(part).padStart(2, '0')).join('-')
}

function readPlaces(text: string): number {
  const places = Number(text)
  if (Number.isInteger(places) && places >= 1 && places <= PLACES_MAX) return places
  throw new InvalidArgumentError(`It must be a number from 1 to ${PLACES_MAX}.`)
}

/** Returns the students of --names, or none with --places. Throws CommandFailed unless exactly one of them is given. */
async function studentsOf({ names, places }: CreateClassOptions): Promise<NewStudent[]> {
  if ((names === undefined) === (places === undefined))
    throw new CommandFailed(
      'Give the list of the students with --names, or their number with --places.',
      EXIT_USAGE,
    )
  if (names === undefined) return []
  const { students, about } = await readRoster(names)
  say(`${countText(students.length, 'student')}. ${about}`)
  return [...students]
}

async function runCreateClass(options: CreateClassOptions): Promise<void> {
  const students = await studentsOf(options)
  const lesson = readText(options.lesson)
  const link = existsSync(options.link) ? readLink(options) : undefined
  if (options.dryRun) {
    for (const { name, identifier } of students)
      await print(`${escapeControls(name === identifier ? name : `${name} (${identifier})`)}\n`)
    return say(
      link
        ? 'The class exists: those that it lacks would be added.'
        : 'Nothing was created, because of --dry-run.',
    )
  }
  const saved = new SavedSandboxes(options.save)
  if (students.length > 0) saved.prepare()
  const { host, id, key } = link ?? (await createClass(options, lesson, options.places ?? students.length))
  try {
    const control = controlHost(host, key)
    const added = students.length === 0 ? [] : await addStudents(control, id, students, saved)
    const places = link && options.places !== undefined ? { places: options.places } : {}
    const { data } = await control.updateClass({ classId: id, body: { endsAt: options.until, ...places } })
    const known = students.length - added.length
    const until = dayOf(new Date(options.until))
    if (students.length === 0)
      say(`${escapeControls(data.name)} has ${countText(Number(data.places), 'place')}, until ${until}.`)
    else
      say(
        `Added ${countText(added.length, 'student')} to ${escapeControls(data.name)}, until ${until}.` +
          (known > 0 ? ` ${known} were in the class already.` : '') +
          ` The keys are in ${escapeControls(options.save)}: "petstore sandbox print" makes cards of them.`,
      )
    if (known > 0) sayUnsaved(data, students, saved)
    await print(`${boardLink(host, id, key)}\n`)
  } catch (error) {
    throw hostFailure(error, host, escapeControls(options.link))
  }
}

/** Names the students whose keys are not in the file: the response with them may have been lost. */
function sayUnsaved({ students }: ClassBoard, roster: readonly NewStudent[], saved: SavedSandboxes): void {
  const identifiers = new Set(roster.map(({ identifier }) => identifier))
  const ids = new Set(saved.read().map(({ id }) => id))
  const unsaved = students.filter(
    ({ sandboxId, identifier }) => identifiers.has(identifier) && !ids.has(sandboxId),
  )
  for (const { name, identifier } of unsaved)
    say(
      `${escapeControls(name === identifier ? name : `${name} (${identifier})`)} is in the class, but ` +
        `${escapeControls(saved.path)} has no key: make a new one on the board.`,
    )
}

/** Adds students to a class, and saves their keys. Prints those that it cannot save: no response has them again. */
async function addStudents(
  control: HostOperations,
  classId: string,
  students: readonly NewStudent[],
  saved: SavedSandboxes,
): Promise<readonly CreatedSandbox[]> {
  const { data: added } = await control.addStudents({ classId, body: { students } })
  const unsaved = added.map(savedSandbox)
  try {
    for (let [sandbox] = unsaved; sandbox; [sandbox] = unsaved) {
      saved.add(sandbox)
      unsaved.shift()
    }
  } catch (error) {
    await print(sandboxesCsv(unsaved))
    throw error
  }
  return added
}

async function createClass(
  options: CreateClassOptions,
  lesson: string,
  places: number,
): Promise<{ host: string; id: string; key: string }> {
  const host = chooseHost(options.hostUrl)
  const { key, source } = hostKey(options.key)
  const name = options.name ?? basename(options.names ?? options.lesson).replace(/\.\w+$/, '')
  // Only the link has the key of the new class, so the file must be there before the class is.
  writeLink(options.link, '', false)
  let created: CreatedClass
  try {
    const body = { name, lesson, endsAt: options.until, places }
    created = (await controlHost(host, key).createClass({ body })).data
  } catch (error) {
    rmSync(options.link)
    const isUnclear =
      error instanceof ApiError
        ? mayHaveTakenEffect(error)
        : error instanceof ConnectionError && !isRefusedConnection(error.cause)
    if (isUnclear) say(`${UNKNOWN_OUTCOME} A class without its link keeps its places until it ends.`)
    throw hostFailure(error, host, source)
  }
  const { id, teacherKey } = created
  const link = boardLink(host, id, teacherKey)
  writeLink(options.link, `${link}\n`, true, `The class was created; its board is ${link}`)
  return { host, id, key: teacherKey }
}

function writeLink(file: string, text: string, replace: boolean, hint = 'Nothing was created.'): void {
  try {
    writeWholeFile(file, text, { replace })
  } catch (error) {
    throw new CommandFailed(
      `The file ${escapeControls(file)} cannot be written: ${reasonOf(error)}. ${hint}`,
      EXIT_USAGE,
    )
  }
}

function hostKey(option: string | undefined): { key: string; source: string } {
  const source = `@${hostKeyPath(HOST_DATA)}`
  const given = givenKey(option)
  if (given) return given
  if (existsSync(hostKeyPath(HOST_DATA))) return { key: readKeyOption(source, '--key'), source }
  throw new CommandFailed(
    'Give the host key with --key @FILE: the host writes it to the file host-key in its data directory.',
    EXIT_USAGE,
  )
}

function boardLink(host: string, id: string, key: string): string {
  return `${host}/board/${id}#key=${key}`
}

function readLink({ link, hostUrl }: LinkOptions): { host: string; id: string; key: string } {
  const [, host = '', id = '', key = ''] = LINK.exec(readText(link).trim()) ?? []
  if (id === '' || !isKeyText(key))
    throw new CommandFailed(
      `${escapeControls(link)} has no link to a board. --link names another file.`,
      EXIT_USAGE,
    )
  return {
    host: hostUrl === undefined ? readAddress(host, '--link') : readAddress(hostUrl, '--host-url'),
    id,
    key,
  }
}

function readText(file: string): string {
  try {
    return textOfFile(file, readFileSync(file), 'text')
  } catch (error) {
    throw new CommandFailed(
      `The file ${escapeControls(file)} cannot be read: ${reasonOf(error)}.`,
      EXIT_USAGE,
    )
  }
}

async function runCheck(file: string): Promise<void> {
  const text = readText(file)
  try {
    const { lines, problems } = await withOwnHost({}, ({ host }) => checkLesson(text, host))
    for (const line of lines) await print(`${escapeControls(line)}\n`)
    if (problems.length > 0) throw new CommandFailed(problems.join('\n'))
    say('Each solution meets its check, and no check is met without it.')
  } catch (error) {
    throw error instanceof LessonProblem
      ? new CommandFailed(`${escapeControls(file)}: ${error.message}`)
      : error
  }
}

async function withClass<T>(
  options: LinkOptions,
  work: (control: HostOperations, id: string) => Promise<T>,
): Promise<T> {
  const { host, id, key } = readLink(options)
  try {
    return await work(controlHost(host, key), id)
  } catch (error) {
    throw hostFailure(error, host, escapeControls(options.link))
  }
}

async function runUpdate(options: LinkOptions & { readonly lesson: string }): Promise<void> {
  const lesson = readText(options.lesson)
  const { data } = await withClass(options, (control, classId) =>
    control.updateClass({ classId, body: { lesson } }),
  )
  say(`The lesson was replaced: ${data.exercises.map(({ title }) => escapeControls(title)).join(', ')}.`)
}

async function runInvite({ close, ...options }: LinkOptions & { readonly close?: boolean }): Promise<void> {
  if (close) {
    await withClass(options, (control, classId) => control.closeInvitation({ classId }))
    return say('The link is closed.')
  }
  const { data } = await withClass(options, (control, classId) => control.openInvitation({ classId }))
  say('Students join with this link until you close it. Each name can be taken once.')
  await print(`${data.link}\n`)
}

async function runResults(options: LinkOptions): Promise<void> {
  const { data } = await withClass(options, (control, classId) => control.getClass({ classId }))
  await print(resultsCsv(data))
}

function resultsCsv({ exercises, students }: ClassBoard): string {
  const rows = students.flatMap(({ name, identifier, exercises: results }) =>
    results.map(({ state, doneAt = '', tries }, index) => [
      csvLabel(name),
      csvLabel(identifier),
      csvLabel(exercises[index]?.title ?? ''),
      state,
      doneAt,
      String(tries),
    ]),
  )
  const header = ['student', 'identifier', 'exercise', 'state', 'when', 'tries']
  return [header, ...rows].map(row => csvLine(row)).join('')
}

async function runDeleteClass({ yes, ...options }: LinkOptions & { readonly yes?: boolean }): Promise<void> {
  if (!yes) await confirm('This deletes the class with all its sandboxes and results.', 'delete')
  await withClass(options, (control, classId) => control.deleteClass({ classId }))
  rmSync(options.link, { force: true })
  say('The class was deleted, with its sandboxes and results.')
}
