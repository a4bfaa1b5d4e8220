import { z } from 'zod'
import { instant } from '../../values/instant-schema.ts'
import { int64Between } from '../../values/int64-schema.ts'
import { text } from '../../values/text-schema.ts'
import { sandboxId } from './schema.ts'

/** The maximum number of students of a class. */
export const PLACES_MAX = 300
/** The longest lifetime of a class. */
export const CLASS_DAYS_MAX = 200
const EXERCISES_MAX = 50
const LINK_EXAMPLE =
  'http://192.168.1.20:8082/join/7k2m9xq4w8e3rtyu5pasdf6ghj#code=psc_00000000000000000000000000000000'
const KEY_EXAMPLE = 'pst_0000000000000000000000000000000000000000000000000'

/** A class id has the form of a sandbox id. */
export const classId = sandboxId.meta({ ...sandboxId.meta(), description: 'The id of the class.' })

/** Returns the schema of a list, whose example is that of its items. */
function listOf<Item extends z.ZodType>(item: Item, max: number, description: string): z.ZodArray<Item> {
  return z
    .array(item)
    .max(max)
    .meta({ description, example: [item.meta()?.example] })
}

const name = text(1, 100).meta({ description: 'The name of the class.', example: '10b' })
const endsAt = instant.meta({
  description: `When the sandboxes of the class expire; at most ${CLASS_DAYS_MAX} days from now.`,
  example: '2027-02-01T00:00:00Z',
})
const places = int64Between(1n, BigInt(PLACES_MAX)).meta({
  description: 'The number of students that the host reserves sandboxes and space for.',
  example: 30,
})
const exerciseId = z
  .string()
  .max(80)
  .meta({ description: 'The id of an exercise.', example: '1-read-something' })
const studentName = text(1, 100).meta({
  description: 'The name that the board shows.',
  example: 'Ada Lovelace',
})
const identifier = text(1, 200).meta({
  description: 'What makes the student unique in the class, such as an e-mail address.',
  example: 'ada@school.example',
})

const lesson = z.string().min(1).max(262_144).meta({
  description: 'The lesson: Markdown with blocks for checks, solutions, hints and answers.',
  example: '# HTTP\n\n## 1. Read something\n\n```check\nlistPets status=200\n```\n',
})

export const NewClass = z
  .strictObject({
    name,
    lesson,
    endsAt,
    places,
  })
  .meta({
    id: 'NewClass',
    description: 'A class to create.',
    example: {
      name: '10b',
      lesson: '# HTTP\n\n## 1. Read something\n\n```check\nlistPets status=200\n```\n',
      endsAt: '2027-02-01T00:00:00Z',
      places: 30,
    },
  })
export type NewClass = z.output<typeof NewClass>

export const ClassPatch = z
  .strictObject({
    endsAt: endsAt.optional(),
    places: places.optional(),
    lesson: lesson.optional().meta({
      ...lesson.meta(),
      description:
        'Another lesson. An exercise whose title stays keeps what was met, except for changed lines of its check.',
    }),
    openHints: z
      .array(exerciseId)
      .max(EXERCISES_MAX)
      .optional()
      .meta({
        description:
          'The exercises whose hints every student sees now. The others open an hour after their first request.',
        example: ['1-read-something'],
      }),
  })
  .meta({
    id: 'ClassPatch',
    description: 'The members to change, as a JSON Merge Patch (RFC 7396).',
    example: { openHints: ['1-read-something'] },
  })
export type ClassPatch = z.output<typeof ClassPatch>

const classMembers = {
  id: classId,
  name,
  endsAt,
  createdAt: instant.meta({ description: 'When it was created.', example: '2026-11-21T09:30:00Z' }),
  places,
}
const classExample = {
  id: '7k2m9xq4w8e3rtyu5pasdf6ghj',
  name: '10b',
  endsAt: '2027-02-01T00:00:00Z',
  createdAt: '2026-11-21T09:30:00Z',
  places: 30,
}

export const Class = z
  .object(classMembers)
  .meta({ id: 'Class', description: 'A class, without its students.', example: classExample })
export type Class = z.output<typeof Class>

export const CreatedClass = z
  .object({
    ...classMembers,
    teacherKey: z.string().max(64).meta({
      description: 'The key of the teacher, for this class only. Only this response contains it.',
      example: KEY_EXAMPLE,
    }),
  })
  .meta({
    id: 'CreatedClass',
    description: 'A new class and the key of its teacher.',
    example: { ...classExample, teacherKey: KEY_EXAMPLE },
  })
export type CreatedClass = z.output<typeof CreatedClass>

const ExerciseState = z.enum(['open', 'tried', 'done']).meta({
  id: 'ExerciseState',
  description: 'How far a student is with an exercise.',
  example: 'tried',
})
const metMembers = {
  id: exerciseId,
  state: ExerciseState,
  met: int64Between(0n, 100n).meta({ description: 'How many lines of the check were met.', example: 1 }),
  of: int64Between(1n, 100n).meta({ description: 'How many lines the check has.', example: 3 }),
  doneAt: instant.optional().meta({ description: 'When all were met.', example: '2026-11-21T10:00:00Z' }),
}
const ExerciseResult = z
  .object({
    ...metMembers,
    tries: int64Between(0n, 1_000_000_000n).meta({
      description: 'The requests that belong to the exercise, until it was done.',
      example: 4,
    }),
  })
  .meta({
    id: 'ExerciseResult',
    description: 'What a student has done of one exercise.',
    example: { id: '1-read-something', state: 'tried', met: 1, of: 3, tries: 4 },
  })
export type ExerciseResult = z.output<typeof ExerciseResult>

const BoardExercise = z
  .object({
    id: exerciseId,
    title: z
      .string()
      .max(1000)
      .meta({ description: 'The heading in the lesson.', example: '1. Read something' }),
    hasHint: z.boolean().meta({ description: 'Whether the lesson has a hint.', example: true }),
    isHintOpen: z.boolean().meta({ description: 'Whether every student sees it now.', example: false }),
  })
  .meta({
    id: 'BoardExercise',
    description: 'A column of the board.',
    example: { id: '1-read-something', title: '1. Read something', hasHint: true, isHintOpen: false },
  })

const openedAt = instant.meta({
  description: 'When the link for students was opened; absent if it is closed.',
  example: '2026-11-21T09:30:00Z',
})

export const Invitation = z
  .object({
    link: z.string().meta({
      description: 'The link for students. Only this response contains its code.',
      format: 'uri',
      maxLength: 2200,
      example: LINK_EXAMPLE,
    }),
    qrCode: z.string().max(1_000_000).meta({
      description: 'The QR code of the link: the address of an image, with all of it (`data:`).',
      example: 'data:image/svg+xml,%3Csvg/%3E',
    }),
    openedAt,
  })
  .meta({
    id: 'Invitation',
    description: 'A link with which students join a class.',
    example: {
      link: LINK_EXAMPLE,
      qrCode: 'data:image/svg+xml,%3Csvg/%3E',
      openedAt: '2026-11-21T09:30:00Z',
    },
  })
export type Invitation = z.output<typeof Invitation>

const TICKET = /^[0-9a-f]{32,64}$/
const freeName = {
  name: studentName,
  identifier: identifier.optional().meta({
    ...identifier.meta(),
    description: 'What tells the student from another one with this name; absent if the name does.',
  }),
}

export const FreeName = z.object(freeName).meta({
  id: 'FreeName',
  description: 'The name of a student with which nobody has joined.',
  example: { name: 'Ada Lovelace' },
})
export type FreeName = z.output<typeof FreeName>

export const Joining = z
  .strictObject({
    ...freeName,
    ticket: z.string().regex(TICKET).max(64).optional().meta({
      description:
        'A random text of the caller. If the response was lost, the same request with the same ticket takes the same name again, for ten minutes.',
      pattern: TICKET.source,
      maxLength: 64,
      example: '9f86d081884c7d659a2feaa0c55ad015',
    }),
  })
  .meta({ id: 'Joining', description: 'The student who joins.', example: { name: 'Ada Lovelace' } })
export type Joining = z.output<typeof Joining>

export const InvitedClass = z
  .object({
    name,
    students: listOf(FreeName, PLACES_MAX, 'The students whose names nobody has taken, by name.'),
    hasRoom: z.boolean().meta({
      description: 'Whether a student can join with another name.',
      example: false,
    }),
  })
  .meta({
    id: 'InvitedClass',
    description: 'What somebody with the link may know of a class.',
    example: { name: '10b', students: [FreeName.meta()?.example], hasRoom: false },
  })
export type InvitedClass = z.output<typeof InvitedClass>

const BoardStudent = z
  .object({
    sandboxId,
    name: studentName,
    identifier,
    takenAt: instant.optional().meta({
      description: 'When somebody joined with the name, or first used its key.',
      example: '2026-11-21T09:35:00Z',
    }),
    lastActivityAt: instant.optional().meta({
      description: 'When the last request arrived.',
      example: '2026-11-21T10:00:00Z',
    }),
    requestsPerMinute: int64Between(0n, 1_000_000n).meta({
      description: 'The requests to the store and the control calls of the last 60 seconds.',
      example: 12,
    }),
    lastError: z.string().max(1000).optional().meta({
      description: 'The last request that failed, and its response, until the next exercise is done.',
      example: 'POST /store/orders got 409 insufficient_stock: Fewer units are available.',
    }),
    exercises: listOf(ExerciseResult, EXERCISES_MAX, 'In the order of the exercises of the board.'),
  })
  .meta({
    id: 'BoardStudent',
    description: 'A row of the board.',
    example: {
      sandboxId: '7k2m9xq4w8e3rtyu5pasdf6ghj',
      name: 'Ada Lovelace',
      identifier: 'ada@school.example',
      requestsPerMinute: 12,
      exercises: [ExerciseResult.meta()?.example],
    },
  })

export const ClassBoard = z
  .object({
    ...classMembers,
    invitationOpenedAt: openedAt.optional(),
    exercises: listOf(BoardExercise, EXERCISES_MAX, 'The exercises of the lesson.'),
    students: listOf(BoardStudent, PLACES_MAX, 'The students, by name.'),
  })
  .meta({
    id: 'ClassBoard',
    description: 'A class with its students and what they have done.',
    example: {
      ...classExample,
      exercises: [BoardExercise.meta()?.example],
      students: [BoardStudent.meta()?.example],
    },
  })
export type ClassBoard = z.output<typeof ClassBoard>

const NewStudent = z.strictObject({ name: studentName, identifier }).meta({
  id: 'NewStudent',
  description: 'A student to add.',
  example: { name: 'Ada Lovelace', identifier: 'ada@school.example' },
})
export type NewStudent = z.output<typeof NewStudent>

export const NewStudents = z
  .strictObject({
    students: listOf(
      NewStudent,
      PLACES_MAX,
      'The students. Those that the class has are left as they are.',
    ).min(1),
  })
  .meta({
    id: 'NewStudents',
    description: 'Students to add to a class.',
    example: { students: [NewStudent.meta()?.example] },
  })
export type NewStudents = z.output<typeof NewStudents>

const ProgressExercise = z
  .object({
    ...metMembers,
    title: BoardExercise.shape.title,
    hint: z.string().max(262_144).optional().meta({
      description: 'The hint, as Markdown, once it is open.',
      example: 'Look at the status.',
    }),
  })
  .meta({
    id: 'ExerciseProgress',
    description: 'What a student has done of one exercise, and its hint.',
    example: { id: '1-read-something', title: '1. Read something', state: 'tried', met: 1, of: 3 },
  })

const OF_LESSON = 'The exercises of the lesson; empty if the sandbox belongs to no class.'
export const StudentProgress = z
  .object({ exercises: listOf(ProgressExercise, EXERCISES_MAX, OF_LESSON) })
  .meta({
    id: 'StudentProgress',
    description: 'What a student has done.',
    example: { exercises: [ProgressExercise.meta()?.example] },
  })
export type StudentProgress = z.output<typeof StudentProgress>
