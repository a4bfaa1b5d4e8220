import { z } from 'zod'
import { int64Between } from '../values/int64-schema.ts'
import { FIELD_ERRORS_MAX, fieldErrorCodes } from './error.ts'

/** The maximum length of texts that echo a part of the request head. The runtime limits the head to this size. */
const HEAD_CHARS_MAX = 16_384
const codeForm = { pattern: '^[a-z_]+$', maxLength: 64 }

const FieldErrorPlace = z
  .enum(['body', 'path', 'query', 'header'])
  .meta({ id: 'FieldErrorPlace', description: 'The part of the request that is invalid.', example: 'body' })

const FieldErrorCode = z.enum(fieldErrorCodes).meta({
  id: 'FieldErrorCode',
  description: 'What is wrong with a field or a parameter of the request.',
  example: 'required',
})

const FieldError = z
  .object({
    in: FieldErrorPlace,
    pointer: z.string().optional().meta({
      description: 'JSON Pointer (RFC 6901) into the body.',
      maxLength: HEAD_CHARS_MAX,
      example: '/name',
    }),
    name: z
      .string()
      .optional()
      .meta({ description: 'The name of the parameter.', maxLength: HEAD_CHARS_MAX, example: 'limit' }),
    code: FieldErrorCode,
    message: z.string().meta({
      description: 'What is wrong, in words for people.',
      maxLength: HEAD_CHARS_MAX,
      example: 'name is required',
    }),
  })
  .meta({
    id: 'FieldError',
    description: 'One invalid field or parameter of a request.',
    example: { in: 'body', pointer: '/name', code: 'required', message: 'name is required' },
  })

const httpStatus = int64Between(400n, 599n).meta({ format: 'int32' })

export const ErrorBody = z
  .object({
    code: z.string().meta({
      description: 'A code from the error catalogue.',
      ...codeForm,
      example: 'pet_not_found',
    }),
    message: z.string().meta({
      description: 'What went wrong, in one or two sentences for people.',
      maxLength: HEAD_CHARS_MAX,
      example: 'Pet 404 does not exist.',
    }),
    status: httpStatus.meta({ description: 'The HTTP status of the response.', example: 404 }),
    subject: z.string().optional().meta({
      description: 'The resource that the error is about: its kind and its id; absent if it is about none.',
      pattern: '^[a-z]+/-?[0-9]+$',
      maxLength: 40,
      example: 'pets/404',
    }),
    errors: z
      .array(FieldError)
      .max(FIELD_ERRORS_MAX)
      .optional()
      .meta({ description: 'The invalid fields and parameters; absent if the error concerns none.' }),
  })
  .meta({
    id: 'Error',
    description: 'The body of every error response.',
    // No example: Prism would prefer it to the example of the requested status.
  })
export type ErrorBody = z.output<typeof ErrorBody>

export const ErrorInfo = z
  .object({
    code: z
      .string()
      .meta({ description: 'The code, as it appears in an Error.', ...codeForm, example: 'pet_not_found' }),
    status: httpStatus.meta({ description: 'The HTTP status of the response.', example: 404 }),
    meaning: z.string().meta({
      description: 'What the error means.',
      maxLength: 256,
      example: 'There is no pet with this id.',
    }),
  })
  .meta({
    id: 'ErrorInfo',
    description: 'An entry in the error catalogue.',
    example: { code: 'pet_not_found', status: 404, meaning: 'There is no pet with this id.' },
  })
export type ErrorInfo = z.output<typeof ErrorInfo>
