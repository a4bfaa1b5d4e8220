import { type CheckLine, LessonProblem, readCondition } from './conditions.ts'
import { readSolution, type SolutionRequest } from './solution.ts'

const LESSON_CHARS_MAX = 256 * 1024
const EXERCISES_MAX = 50
const TITLE_CHARS_MAX = 200
const CONDITIONS_MAX = 30
/** The blocks that no student gets. */
const hiddenBlocks = ['check', 'solution', 'hint', 'answer'] as const
type HiddenBlock = (typeof hiddenBlocks)[number]
const FENCE = /^\s*(`{3,}|~{3,})\s*([\w-]*)/
const HEADING = /^(#{1,3})[ \t](.*)$/
/** A hidden block that is not at the start of its line, as in a quotation or a list. */
const NESTED = /(?:```|~~~)\s*(?:check|solution|hint|answer)\b/i

export interface Exercise {
  /** The title in lower case, with hyphens. */
  readonly id: string
  readonly title: string
  readonly conditions: readonly CheckLine[]
  /** Empty if there is none. */
  readonly hint: string
  readonly solution: readonly SolutionRequest[]
}

export interface Lesson {
  readonly title: string
  readonly exercises: readonly Exercise[]
  /** The Markdown that students see: without checks, solutions, hints and answers. */
  readonly studentText: string
}

/** A section of a lesson: the texts of its hidden blocks. */
interface Section {
  readonly title: string
  readonly blocks: Record<HiddenBlock, string[]>
}

/** Reads the Markdown of a lesson. Throws LessonProblem, whose message begins with the number of the line. */
export function readLesson(text: string): Lesson {
  if (text.length > LESSON_CHARS_MAX)
    throw new LessonProblem(`The lesson has more than ${LESSON_CHARS_MAX} characters.`)
  const sections: Section[] = [newSection('')]
  const shown: string[] = []
  let title = ''
  const lines = text.split(/\r\n?|\n/)
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const [, fence, word = ''] = FENCE.exec(line) ?? []
    const [, marks = '', heading = ''] = HEADING.exec(line) ?? []
    if (marks === '#' && title === '') title = heading.trim()
    if (marks === '##') sections.push(newSection(heading.trim()))
    if (fence === undefined) {
      refuseNested(line, index)
      shown.push(line)
      continue
    }
    const end = endOfBlock(lines, index, fence)
    const kind = hiddenBlocks.find(name => name === word.toLowerCase())
    if (kind) sections.at(-1)?.blocks[kind].push(lines.slice(index + 1, end).join('\n'))
    else shown.push(...lines.slice(index, end + 1))
    index = end
  }
  const exercises = sections.filter(({ blocks }) => blocks.check.length > 0).map(readExercise)
  refuseUnusable(exercises)
  return { title: title || 'Lesson', exercises, studentText: shown.join('\n').replaceAll(/\n{3,}/g, '\n\n') }
}

function newSection(title: string): Section {
  return { title, blocks: { check: [], solution: [], hint: [], answer: [] } }
}

function refuseNested(line: string, index: number): void {
  if (NESTED.test(line))
    throw new LessonProblem(`Line ${index + 1}: a block for teachers must start at the start of its line.`)
}

/** Returns the index of the line that ends a block. */
function endOfBlock(lines: readonly string[], start: number, fence: string): number {
  const end = lines.findIndex((line, index) => {
    const closing = /^\s*(`{3,}|~{3,})\s*$/.exec(line)?.[1] ?? ''
    return index > start && closing.startsWith(fence)
  })
  if (end < 0) throw new LessonProblem(`Line ${start + 1}: the block has no end.`)
  return end
}

function readExercise({ title, blocks }: Section): Exercise {
  const lines = blocks.check.flatMap(block => block.split('\n')).map(line => line.trim())
  const conditions = lines
    .filter(line => line !== '' && !line.startsWith('#'))
    .map((line, index) => {
      try {
        const condition = readCondition(line)
        if (condition.isThen && index === 0)
          throw new LessonProblem('the first line cannot begin with "then".')
        return condition
      } catch (error) {
        if (!(error instanceof LessonProblem)) throw error
        throw new LessonProblem(`"${title}", "${line}": ${error.message}`)
      }
    })
  if (conditions.length === 0 || conditions.length > CONDITIONS_MAX)
    throw new LessonProblem(`"${title}": a check must have 1 to ${CONDITIONS_MAX} lines.`)
  const id = idOf(title)
  if (id === '') throw new LessonProblem('A check must be below a heading "## Title".')
  if (title.length > TITLE_CHARS_MAX)
    throw new LessonProblem(`The title "${title.slice(0, 50)}…" has more than ${TITLE_CHARS_MAX} characters.`)
  return {
    id,
    title,
    conditions,
    hint: blocks.hint.join('\n\n').trim(),
    solution: readSolution(title, blocks.solution.join('\n')),
  }
}

function idOf(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.join('-').slice(0, 80)
}

function refuseUnusable(exercises: readonly Exercise[]): void {
  if (exercises.length === 0)
    throw new LessonProblem('The lesson has no exercise: no section has a ```check block.')
  if (exercises.length > EXERCISES_MAX)
    throw new LessonProblem(`A lesson can have ${EXERCISES_MAX} exercises, not ${exercises.length}.`)
  const repeated = exercises.find(({ id }, index) => exercises.findIndex(other => other.id === id) < index)
  if (repeated) throw new LessonProblem(`Two exercises have the title "${repeated.title}".`)
}
