import { z } from 'zod'

/**
 * The numbers `first`, `first + step`, ...: `count` of them, all equally often, or with `isLogUniform` the first ones
 * more often: 1 to 10 as often as 10 to 100.
 */
const RandomRange = z.strictObject({
  first: z.number(),
  count: z.number(),
  step: z.number(),
  isLogUniform: z.boolean().optional(),
})
export type RandomRange = z.output<typeof RandomRange>

/** The work of the load generator, passed as JSON in its only argument. */
export const LoadPlan = z.strictObject({
  port: z.number(),
  /** The process whose processor time is measured. */
  pid: z.number(),
  connections: z.number(),
  warmSeconds: z.number(),
  seconds: z.number(),
  /** The only correct status. Any other status ends the run with an error. */
  status: z.number(),
  request: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('get'),
      /**
       * May contain names in braces, such as `/pets/{pet}`. Each name is replaced by a new random number, or one of the
       * texts, in every request. If a target contains a name several times, the numbers differ.
       */
      target: z.string(),
      random: z.record(z.string(), RandomRange.or(z.array(z.string()))),
      headers: z.record(z.string(), z.string()),
      /** The length of every body; null if it varies. */
      bodyBytes: z.number().nullable(),
    }),
    z.strictObject({
      kind: z.literal('read-write'),
      /** The target of the reads. */
      target: z.string(),
      /** The target of a PUT that sets the quantity of a pet. */
      writeTarget: z.string(),
      adminKey: z.string(),
      /** Every n-th request is a write, where n is this number. */
      writeEvery: z.number(),
    }),
    z.strictObject({
      kind: z.literal('order'),
      adminKey: z.string(),
      petIdFirst: z.number(),
      pets: z.number(),
      /** The prefix of the Idempotency-Key of each request, or null for requests without such a key. */
      idempotencyKeyPrefix: z.string().nullable(),
    }),
  ]),
})
export type LoadPlan = z.output<typeof LoadPlan>
