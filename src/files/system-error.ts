/** Returns whether an error has one of these codes, such as ENOENT for a file that does not exist. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some(code => code === error.code)
}
