import { advance, DELIVERY, hasNewlyMet, newProgress } from '../../sandboxes/classes/conditions.ts'
import { type Exercise, readLesson } from '../../sandboxes/classes/lesson.ts'
import { runSolution } from '../../sandboxes/classes/solution.ts'
import type { SandboxHost } from '../../sandboxes/host/host.ts'
import type { JsonValue } from '../../values/json.ts'

const HOUR_MS = 3_600_000
/** How long a solution waits until its deliveries have met the check. */
const DELIVERY_MS_MAX = 10_000
const DELIVERY_CHECK_MS = 20

/** What a run of the solutions found: a line for each exercise, and the problems. */
interface LessonReport {
  readonly lines: readonly string[]
  readonly problems: readonly string[]
}

/**
 * Runs the solutions of a lesson, one after the other, in a new sandbox of a host. It is a problem if a solution does
 * not meet its check, or if a line of a check holds before any request. Throws LessonProblem.
 */
export async function checkLesson(text: string, host: SandboxHost): Promise<LessonReport> {
  const { exercises } = readLesson(text)
  const endsAt = new Date(Date.now() + HOUR_MS).toISOString()
  const { id } = host.ofClasses.createClass({ name: 'check', lesson: text, endsAt, places: 1n })
  const [student] = await host.ofClasses.addStudents(id, [{ name: 'solutions', identifier: 'solutions' }])
  if (!student) throw new Error('the class of the check has no student')
  const lines: string[] = []
  const problems: string[] = []
  const place = { baseUrl: student.baseUrl, controlUrl: controlOf(student.baseUrl), key: student.adminKey }
  for (const exercise of exercises) {
    const { title, conditions } = exercise
    const states = new Map<string, JsonValue | undefined>()
    for (const { kind, of } of conditions)
      if (kind === 'state') states.set(of, await host.use(student.id, sandbox => sandbox.readState(of)))
    const before = newProgress(conditions)
    if (hasNewlyMet(before, advance(conditions, before, NOTHING, states)))
      problems.push(`"${title}": a line of the check holds before any request.`)
    const sent = await runSolution(exercise.solution, place)
    const unmet = await unmetLines(host, student.id, exercise)
    lines.push(`${unmet.length === 0 ? 'met    ' : 'NOT MET'}  ${title}`)
    if (sent.length === 0) problems.push(`"${title}": there is no solution.`)
    else if (unmet.length > 0)
      problems.push(
        [`"${title}": the solution does not meet its check.`, ...unmet.map(line => `  not met: ${line}`)]
          .concat(sent.map(line => `  ${line}`))
          .join('\n'),
      )
  }
  return { lines, problems }
}

/** Returns the lines that are not met. A delivery happens after the response to the request that causes it. */
async function unmetLines(
  host: SandboxHost,
  studentId: string,
  { id, conditions }: Exercise,
): Promise<string[]> {
  const waitMs = conditions.some(({ of }) => of === DELIVERY) ? DELIVERY_MS_MAX : 0
  const untilMs = performance.now() + waitMs
  for (;;) {
    const unmet = host.classes.unmetLines(studentId, id)
    if (unmet.length === 0 || performance.now() >= untilMs) return unmet
    await Bun.sleep(DELIVERY_CHECK_MS)
  }
}

/** A request that is none. */
const NOTHING = {
  operationId: undefined,
  method: 'PUT',
  target: '',
  requestHeaders: new Headers(),
  requestBody: '',
  status: 200,
  responseHeaders: new Headers(),
  responseBody: '',
  atMs: 0,
}

function controlOf(baseUrl: string): string {
  return baseUrl.replace(/\/s\/([^/]+)$/, '/sandboxes/$1')
}
