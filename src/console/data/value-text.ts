/** Returns a value as text, to compare it with others. */
export function textOf(value: unknown): string {
  return JSON.stringify(value ?? null, (_, part) => (typeof part === 'bigint' ? `${part}n` : part))
}
