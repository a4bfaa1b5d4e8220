/** Returns a count and its noun, for messages: `1 row`, `2 rows`. */
export function countText(count: number | bigint, singular: string, plural = `${singular}s`): string {
  return `${count} ${Number(count) === 1 ? singular : plural}`
}
