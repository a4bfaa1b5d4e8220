/**
 * Returns the result of `next` for the result of a read. If the read returned a value, as on SQLite, `next` runs at
 * once and there is no promise: the promises of a single read cost more than the read itself.
 */
export function mapRead<Value, Result>(
  read: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return read instanceof Promise ? read.then(next) : next(read)
}
