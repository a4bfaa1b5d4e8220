import { InvalidArgumentError } from 'commander'
import { parseInt64 } from '../../values/int64.ts'

/** Returns a parser of an option that takes a whole number. `noun` is the kind of number, for the message. */
export function wholeNumber(min: number, max: number, noun = 'number'): (text: string) => number {
  return text => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a ${noun} from ${min} to ${max}.`)
  }
}

/** Returns the id of a resource, for an argument. */
export function readId(text: string): bigint {
  const id = parseInt64(text)
  if (id !== undefined && id > 0n) return id
  throw new InvalidArgumentError('It must be a positive 64-bit integer.')
}
