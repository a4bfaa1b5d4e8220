/** A mutant of StrykerJS with which the program does the same. */
interface EquivalentMutant {
  readonly file: string
  /** The line on which the mutant begins, without blanks at its ends. */
  readonly line: string
  readonly before: string
  readonly after: string
  readonly reason: string
}

export const equivalentMutants: readonly EquivalentMutant[] = [
  {
    file: 'src/cli/import/rejected-lines.ts',
    line: 'if (this.close()) rmSync(this.path, { force: true })',
    before: 'true',
    after: 'false',
    reason: 'close() has just said that the file exists',
  },
  {
    file: 'src/database/sqlite/engine.ts',
    line: 'try {',
    before: `{
    connection.database.query('SELECT count(*) FROM sqlite_master').get()
  }`,
    after: '{}',
    reason: 'opening a connection reads the schema already, and fails for a damaged file',
  },
  {
    file: 'src/shop/events/audit.ts',
    line: 'let [low, high] = [bounds.floor, bounds.head < INT64_MAX ? bounds.head + 1n : INT64_MAX]',
    before: 'bounds.head < INT64_MAX',
    after: 'bounds.head <= INT64_MAX',
    reason: 'no event gets the last position',
  },
  {
    file: 'src/cli/operations/columns.ts',
    line: 'option instanceof z.ZodObject ? Object.keys(option.shape) : [],',
    before: '[]',
    after: '["Stryker was here"]',
    reason: 'each variant of a resource is an object',
  },
  {
    file: 'src/http/cache/representation-cache.ts',
    line: 'if (name !== undefined && rowId === undefined) return',
    before: 'name !== undefined && rowId === undefined',
    after: 'false',
    reason: 'the validated input of a read by id always has the id',
  },
  {
    file: 'src/transfer/sqlite-backup-worker.ts',
    line: '} finally {',
    before: `{
    source.close()
  }`,
    after: '{}',
    reason: 'the worker ends after one backup, and its connections with it',
  },
  {
    file: 'src/cli/serve/log-stream.ts',
    line: 'clearTimeout(this.#timer)',
    before: 'clearTimeout(this.#timer)',
    after: ';',
    reason: 'the timer then writes what waits, or nothing',
  },
  {
    file: 'src/client/event-stream.ts',
    line: "const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []",
    before: '/^([^:]*)(?:: ?(.*))?$/s',
    after: '/^([^:]*)(?:: ?(.*))?/s',
    reason: 'the last group takes the rest of the line in any case',
  },
]
