const THOUSAND = 1000
/** The texts of the numbers below a thousand, with and without leading zeros. */
const short = Array.from({ length: THOUSAND }, (_, number) => String(number))
const padded = short.map(text => text.padStart(3, '0'))

/**
 * Makes texts that consist of a prefix and a number, for numbers that mostly follow each other: it keeps the text of
 * the thousands. Making the digits of a new number takes a tenth of a microsecond, and a request has two such texts.
 */
export class NumberText {
  readonly #prefix: string
  #thousands = 0
  #start: string

  constructor(prefix: string) {
    this.#prefix = prefix
    this.#start = prefix
  }

  /** Returns the prefix and the decimal digits of an integer from 0 to 2^53 - 1. */
  of(number: number): string {
    const thousands = Math.floor(number / THOUSAND)
    if (thousands !== this.#thousands) {
      this.#thousands = thousands
      this.#start = thousands === 0 ? this.#prefix : this.#prefix + thousands
    }
    const digits = thousands === 0 ? short : padded
    return this.#start + digits[number - thousands * THOUSAND]
  }
}
