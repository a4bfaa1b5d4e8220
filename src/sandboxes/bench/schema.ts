import { z } from 'zod'
import { instant } from '../../values/instant-schema.ts'
import { int64Between } from '../../values/int64-schema.ts'
import { similarName } from '../../values/similar-name.ts'
import { text } from '../../values/text-schema.ts'
import { plantableFaults } from './catalogue.ts'
import { faultClasses } from './planted-fault.ts'

const FINDINGS_MAX = 2000
const RUNS_MAX = 5
const COUNT_MAX = 9_007_199_254_740_991n
const EXAMPLE_TIME = '2026-11-21T10:00:00.120Z'

const count = (description: string) => int64Between(0n, COUNT_MAX).meta({ description, example: 3 })

const FaultClass = z.enum(faultClasses).meta({
  id: 'PlantedFaultClass',
  description: 'What planted faults are about.',
  example: 'headers',
})

const ids = plantableFaults.map(({ id }) => id)
const faultId = z
  .string()
  .superRefine((given, context) => {
    if (ids.includes(given)) return
    const meant = similarName(given, ids)
    const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
    const message = `must be the id of a planted fault, not ${JSON.stringify(given.slice(0, 50))}${hint}`
    context.addIssue({ code: 'custom', message, params: { field: 'not_in_enum' } })
  })
  .meta({ description: 'The id of the fault.', maxLength: 50, example: 'location-missing' })

const shownId = z.string().meta({
  description: 'The id of the fault.',
  maxLength: 50,
  example: 'location-missing',
})
const operationId = z.string().meta({
  description: 'The operationId of an operation of the store.',
  maxLength: 64,
  example: 'placeOrder',
})
const sentence = (description: string, example: string) =>
  z.string().meta({ description, maxLength: 300, example })
const status = int64Between(100n, 599n).meta({ format: 'int32', description: 'The status.', example: 201 })

export const PlantableFault = z
  .object({
    id: shownId,
    class: FaultClass,
    summary: sentence('What is wrong.', 'A creation has no Location.'),
    sign: sentence('What a correct tool sees.', 'A documented header field is absent.'),
    clause: sentence('What it breaks.', 'RFC 9110, section 15.3.2 (201), and the description'),
    operations: z
      .array(operationId)
      .max(100)
      .meta({
        description: 'The operations whose responses it can make wrong.',
        example: ['placeOrder'],
      }),
  })
  .meta({
    id: 'PlantableFault',
    description: 'A way in which a sandbox can be wrong on purpose.',
    example: {
      id: 'location-missing',
      class: 'headers',
      summary: 'A creation has no Location.',
      sign: 'A documented header field is absent.',
      clause: 'RFC 9110, section 15.3.2 (201), and the description',
      operations: ['placeOrder'],
    },
  })

const PlantedChoice = z
  .strictObject({
    id: faultId,
    operation: operationId.optional().meta({
      description: 'The only operation that is wrong; all that the fault can be planted in if absent.',
    }),
  })
  .superRefine(({ id, operation }, context) => {
    const fault = plantableFaults.find(known => known.id === id)
    if (!fault || operation === undefined || fault.operations.some(known => known === operation)) return
    const message = `must be one of ${fault.operations.join(', ')}`
    context.addIssue({ code: 'custom', path: ['operation'], message, params: { field: 'not_in_enum' } })
  })
  .meta({ id: 'PlantedChoice', description: 'A fault to plant.', example: { id: 'location-missing' } })
export type PlantedChoice = z.output<typeof PlantedChoice>

export const PlantedFaults = z
  .strictObject({
    faults: z
      .array(PlantedChoice)
      .max(ids.length)
      .superRefine((choices, context) => {
        const duplicate = choices.find(({ id }, index) => choices.findIndex(other => other.id === id) < index)
        if (!duplicate) return
        const message = `must not have ${duplicate.id} twice`
        context.addIssue({ code: 'custom', message, params: { field: 'duplicate' } })
      })
      .meta({ description: 'The planted faults.', example: [{ id: 'location-missing' }] }),
  })
  .meta({
    id: 'PlantedFaults',
    description: 'The faults that are planted in a sandbox.',
    example: { faults: [{ id: 'location-missing' }] },
  })

export const NewHunt = z
  .strictObject({
    seed: int64Between(0n, 4_294_967_295n).meta({
      description: 'The same seed plants the same faults.',
      example: 7,
    }),
    class: FaultClass.optional(),
  })
  .meta({
    id: 'NewHunt',
    description: 'Which faults are planted: unknown ones of one class, or of all classes if absent.',
    example: { seed: 7, class: 'headers' },
  })
export type NewHunt = z.output<typeof NewHunt>

export const Hunt = z
  .object({
    ...NewHunt.shape,
    startedAt: instant.meta({ description: 'When the hunt began.', example: EXAMPLE_TIME }),
    isRevealed: z.boolean().meta({ description: 'Whether its faults were revealed.', example: false }),
  })
  .meta({
    id: 'Hunt',
    description: 'A search for unknown faults.',
    example: { seed: 7, class: 'headers', startedAt: EXAMPLE_TIME, isRevealed: false },
  })
export type Hunt = z.output<typeof Hunt>

const ToolFinding = z
  .strictObject({
    message: text(1, 1000).meta({ description: 'What the tool found.', example: 'Location is missing' }),
    operation: operationId.optional(),
    method: text(1, 20).optional().meta({
      description: 'The method of the request, if the operation is not known.',
      example: 'POST',
    }),
    path: text(1, 2048).optional().meta({
      description: 'Its path, or the path of the operation in the description.',
      example: '/store/orders',
    }),
    status: status.optional(),
    requestId: text(1, 128).optional().meta({
      description: 'The X-Request-Id of the response.',
      example: 'tool-17',
    }),
  })
  .meta({
    id: 'ToolFinding',
    description: 'Something that a tool reported, and where.',
    example: { message: 'Location is missing', operation: 'placeOrder', status: 201 },
  })
export type ToolFinding = z.output<typeof ToolFinding>

const findings = z.array(ToolFinding).max(FINDINGS_MAX)
export const ToolFindings = z
  .strictObject({
    findings: findings.meta({ description: 'What the tool reported.', example: [] }),
    cleanRuns: z
      .array(findings)
      .max(RUNS_MAX)
      .optional()
      .meta({
        description:
          'What it reported in runs without planted faults, with the same options and seed: two are enough. A finding that is in one of them does not count.',
        example: [[], []],
      }),
  })
  .meta({
    id: 'ToolFindings',
    description: 'What a tool reported of a sandbox.',
    example: { findings: [{ message: 'no Location', operation: 'placeOrder' }], cleanRuns: [[], []] },
  })
export type ToolFindings = z.output<typeof ToolFindings>

const ExercisedOperation = z
  .object({ operation: operationId, status, count: count('The number of responses.') })
  .meta({ id: 'ExercisedOperation', description: 'How often an operation responded with a status.' })

const matches = ['request', 'operation and status', 'operation'] as const
export type FindingMatch = (typeof matches)[number]

const FaultOutcome = z
  .object({
    id: shownId,
    class: FaultClass,
    operation: operationId.optional(),
    provoked: count('How many wrong responses or events left the store.'),
    first: z
      .object({
        at: instant.meta({ description: 'When it was sent.', example: EXAMPLE_TIME }),
        operation: operationId,
        status,
        requestId: z.string().max(256).meta({
          description: 'Its X-Request-Id; for a delivery, its webhook-id.',
          example: 'tool-17',
        }),
      })
      .optional()
      .meta({ id: 'FirstProvocation', description: 'The first of them.' }),
    reportedBy: z.enum(matches).optional().meta({
      id: 'FindingMatch',
      description: 'How a finding was matched to the fault; absent if none was.',
      example: 'request',
    }),
  })
  .meta({ id: 'FaultOutcome', description: 'What became of a planted fault.' })
export type FaultOutcome = z.output<typeof FaultOutcome>

const ClassScore = z
  .object({
    class: FaultClass,
    planted: count('The number of planted faults.'),
    provoked: count('How many of them the tool provoked.'),
    reported: count('How many of them it provoked and reported.'),
  })
  .meta({ id: 'ClassScore', description: 'The result of one class of faults.' })

export const BenchReport = z
  .object({
    hunt: Hunt.optional(),
    exercised: z
      .array(ExercisedOperation)
      .max(5000)
      .meta({
        description: 'The responses since the faults were planted.',
        example: [{ operation: 'placeOrder', status: 201, count: 3 }],
      }),
    faults: z.array(FaultOutcome).max(ids.length).optional().meta({
      description: 'The planted faults; absent during a hunt.',
    }),
    scores: z.array(ClassScore).max(faultClasses.length).optional().meta({
      description: 'The result by class; only in the response to findings.',
    }),
    falseAlarms: count(
      'The findings that belong to no planted fault, and to no run without faults.',
    ).optional(),
  })
  .meta({
    id: 'BenchReport',
    description: 'What a tool did to a sandbox, and noticed.',
    example: { exercised: [{ operation: 'placeOrder', status: 201, count: 3 }], faults: [] },
  })
export type BenchReport = z.output<typeof BenchReport>
