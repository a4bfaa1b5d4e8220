import { z } from 'zod'
import { DATE, formatInstantMs, parseInstantMs, startMs } from './instant.ts'

/** The schema of an OpenAPI `date-time`: RFC 3339 with an offset. The parsed value is text in UTC. */
export const instant = z
  .string()
  .superRefine((value, context) => {
    if (parseInstantMs(value) === undefined) {
      context.addIssue({
        code: 'custom',
        message: 'must be an RFC 3339 date-time with an offset, in the years 0001 to 9999',
        params: { field: 'invalid_format' },
      })
    }
  })
  .overwrite(value => {
    const ms = parseInstantMs(value)
    return ms === undefined ? value : formatInstantMs(ms)
  })
  .meta({ format: 'date-time' })

/** The schema of an OpenAPI `date` (RFC 3339, `full-date`) that exists, in the years 0001 to 9999. */
export const date = z
  .string()
  .superRefine((value, context) => {
    if (!DATE.test(value) || startMs(value) === undefined) {
      const params = { field: 'invalid_format' }
      context.addIssue({ code: 'custom', message: 'must be a date that exists', params })
    }
  })
  .meta({ format: 'date', example: '2026-11-21' })

/** The schema of an instant, or of a date without a time, which means a whole day in UTC. */
export const instantOrDate = z
  .string()
  .max(64)
  .superRefine((value, context) => {
    if (startMs(value) === undefined) {
      context.addIssue({
        code: 'custom',
        message: 'must be an instant or a date',
        params: { field: 'invalid_format' },
      })
    }
  })
  .meta({
    example: '2026-11-21',
    pattern:
      '^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2}))?$',
  })
