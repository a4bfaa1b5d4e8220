import { InvalidArgumentError } from 'commander'

/** Returns a parser of an option that takes a whole number. `noun` is the kind of number, for the message. */
export function wholeNumber(min: number, max: number, noun = 'number'): (text: string) => number {
  return text => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a ${noun} from ${min} to ${max}.`)
  }
}
