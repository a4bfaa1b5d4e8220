import { z } from 'zod'
import { BARCODE } from './limits.ts'

/** What a scanner types. */
export const barcode = z.string().regex(BARCODE).meta({ minLength: 1, maxLength: 64 })
