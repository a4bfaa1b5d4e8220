import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { z } from 'zod'
import { ROOT } from '../support/root.ts'

/**
 * The tests that must notice a mutant that was drawn at random, by the path of its file: the longest prefix counts.
 * Named files always run. Of a folder or a prefix, the fastest files run, as long as the time allows.
 */
const testsByPath: Readonly<Record<string, readonly string[]>> = {
  'src/': ['src/setting-readers.test.ts', 'test/cli/refused-starts.test.ts', 'test/cli/serve.test.ts'],
  'src/console/': ['test/console/'],
  'src/files/': ['src/files/', 'test/cli/admin-key.test.ts', 'test/cli/secret-key.test.ts', 'test/serving/'],
  'src/openapi/': [
    'test/openapi/description.test.ts',
    'test/openapi/document-order.test.ts',
    'test/openapi/renderings.test.ts',
    'test/openapi/async-api.test.ts',
    'test/openapi/',
  ],
  'src/transfer/': ['test/transfer/'],
  'src/values/': ['test/openapi/description.test.ts', 'src/values/', 'test/shop/', 'test/http/'],
  'src/contract/': ['test/openapi/description.test.ts', 'test/shop/', 'test/http/'],
  'src/shop/': [
    'test/shop/interleaved-commands.test.ts',
    'test/shop/summary.test.ts',
    'test/shop/',
    'test/http/',
    'test/database/query-plans.test.ts',
  ],
  'src/shop/imports/verbs.ts': [
    'test/shop/imports.test.ts',
    'test/cli/import-slices.test.ts',
    'test/cli/import.test.ts',
  ],
  'src/transfer/exports.ts': ['test/transfer/exports.test.ts', 'test/cli/export.test.ts'],
  'src/shop/events/feed.ts': [
    'test/http/events/feed.test.ts',
    'test/http/events/long-history.test.ts',
    'test/shop/event-retention.test.ts',
  ],
  'src/shop/webhooks/verbs.ts': ['test/webhooks/'],
  'src/shop/webhooks/deliver': [
    'test/webhooks/deliveries.test.ts',
    'test/webhooks/dispatcher.test.ts',
    'test/webhooks/',
  ],
  'src/shop/log/retention.ts': ['test/shop/event-retention.test.ts', 'test/serving/'],
  'src/shop/events/audit': [
    'test/shop/audit-log.test.ts',
    'test/cli/audit-command.test.ts',
    'test/shop/audit-log-gaps.test.ts',
  ],
  'src/database/': ['src/database/', 'test/database/', 'test/serving/'],
  'src/database/postgres/': [
    'test/database/command-attempts.test.ts',
    'test/database/database-errors.test.ts',
    'test/database/',
    'test/serving/',
  ],
  'src/transfer/reset.ts': ['test/cli/reset-command.test.ts'],
  'src/database/sqlite/light-engine.ts': ['test/database/light-engine.test.ts', 'test/sandboxes/'],
  'src/transfer/sqlite-restore.ts': ['test/transfer/backup.test.ts'],
  'src/transfer/sqlite-backup': ['test/transfer/backup.test.ts', 'test/serving/mismatched-files.test.ts'],
  'src/transfer/copy.ts': ['test/transfer/copy.test.ts'],
  'src/transfer/postgres-copy.ts': ['test/transfer/copy.test.ts', 'test/transfer/backup.test.ts'],
  'src/transfer/sqlite-copy.ts': ['test/transfer/copy.test.ts', 'test/transfer/backup.test.ts'],
  'src/transfer/tables.ts': ['test/transfer/copy.test.ts', 'test/cli/reset-command.test.ts'],
  'src/serving/': [
    'src/serving/',
    'test/shop/',
    'test/http/',
    'test/serving/sweeping.test.ts',
    'test/cli/admin-key.test.ts',
  ],
  'src/http/': ['src/http/', 'test/shop/', 'test/http/', 'test/client/browser.test.ts'],
  'src/http/cache/': ['src/http/cache/', 'test/http/cache-door.test.ts', 'test/http/cache.test.ts'],
  'src/http/pages/docs-page.ts': ['test/http/docs.test.ts'],
  'src/http/pages/guide-pages.ts': ['test/http/guides.test.ts'],
  'src/http/pages/console-page.ts': ['test/console/serving.test.ts'],
  'src/http/events/': [
    'test/http/events/stream.test.ts',
    'test/http/events/recent-events.test.ts',
    'src/http/events/',
    'test/http/events/',
  ],
  'src/webhooks/': ['src/webhooks/', 'test/webhooks/deliveries.test.ts', 'test/webhooks/'],
  'src/sandboxes/': ['test/openapi/sandbox-description.test.ts', 'test/sandboxes/', 'src/sandboxes/'],
  'src/sandboxes/server.ts': ['test/sandboxes/pages.test.ts', 'test/sandboxes/'],
  'src/sandboxes/pages/': ['test/sandboxes/pages.test.ts'],
  'src/client/': [
    'src/client/',
    ...['requests', 'responses', 'lists', 'retries-and-time-limits', 'event-stream'].map(
      name => `test/client/${name}.test.ts`,
    ),
    'test/client/',
  ],
  'src/catalogue/': [
    'test/catalogue/catalogue-file.test.ts',
    'test/catalogue/spreadsheet-files.test.ts',
    'src/catalogue/',
    'test/cli/import',
  ],
  'src/cli/': ['src/cli/', 'test/cli/'],
  'src/cli/completion/': ['test/cli/completion.test.ts'],
  'src/cli/copies/': ['test/transfer/backup.test.ts', 'test/transfer/copy.test.ts'],
  'src/cli/copies/export.ts': ['test/cli/export.test.ts'],
  'src/cli/copies/migrate.ts': ['test/cli/migrate.test.ts'],
  'src/cli/copies/reset.ts': ['test/cli/reset'],
  'src/cli/import/': ['test/cli/import', 'test/catalogue/spreadsheet-files.test.ts'],
  'src/cli/inspect/': ['test/cli/history.test.ts', 'test/cli/doctor.test.ts', 'test/cli/health.test.ts'],
  'src/cli/inspect/audit.ts': ['test/cli/audit-command.test.ts'],
  'src/cli/inspect/licenses.ts': ['test/cli/licenses.test.ts'],
  'src/cli/keys/': [
    'test/cli/keys-command.test.ts',
    'test/cli/admin-key.test.ts',
    'test/cli/secret-key.test.ts',
  ],
  'src/cli/listen/': ['test/cli/listen.test.ts'],
  'src/cli/operations/': [
    'test/cli/operations.test.ts',
    'test/cli/completion.test.ts',
    'test/cli/output-to-full-disk.test.ts',
  ],
  'src/cli/sandboxes/': ['test/cli/sandbox-command.test.ts', 'test/sandboxes/sandboxes.test.ts'],
  'src/cli/serve/': [
    'test/cli/serve.test.ts',
    'test/cli/refused-starts.test.ts',
    'test/cli/start-messages.test.ts',
    'test/cli/arguments.test.ts',
    'test/cli/log.test.ts',
  ],
  'src/cli/terminal/': [
    'src/cli/terminal/',
    'test/cli/operations.test.ts',
    'test/cli/output-to-full-disk.test.ts',
  ],
  'src/cli/store-access/': [
    'test/cli/chosen-store.test.ts',
    'test/cli/ambiguous-store.test.ts',
    'test/cli/import-running.test.ts',
  ],
}

/** Tests that take long and drive the whole program in a browser, or many processes: never the first to notice. */
const LEFT_OUT =
  /\/(docs|guides|hostile|many-processes|failover|crash|postgres-query-plans|installed-package)\.test\.ts$/

/** How long the tests that are not named take at most, on both engines, by `test/timings.json`. */
const ALL_TESTS_MS_MAX = 45_000

/** The time of a test file that was not measured yet. */
const UNKNOWN_MS = 5000

const Timings = z.object({ files: z.record(z.string(), z.number()) })

/** Returns the tests of a source file, the fastest first. */
export function testsOf(file: string): string[] {
  const path = Object.keys(testsByPath)
    .filter(prefix => file.startsWith(prefix))
    .reduce((longest, prefix) => (prefix.length > longest.length ? prefix : longest), '')
  const prefixes = [file.replace(/\.ts$/, '.test.ts'), ...(testsByPath[path] ?? [])]
  const { files } = Timings.parse(JSON.parse(readFileSync(join(ROOT, 'test/timings.json'), 'utf8')))
  const timeMsOf = (name: string): number => files[name] ?? UNKNOWN_MS
  const all = [...new Glob('{src,test}/**/*.test.ts').scanSync(ROOT)].filter(
    name => !/node_modules/.test(name),
  )
  const found = all
    .filter(name => prefixes.some(prefix => name.startsWith(prefix)) && !LEFT_OUT.test(name))
    .sort((a, b) => timeMsOf(a) - timeMsOf(b))
  let totalMs = 0
  return found.filter(name => {
    if (prefixes.includes(name)) return true
    totalMs += timeMsOf(name)
    return totalMs <= ALL_TESTS_MS_MAX
  })
}
