import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteConnection } from '../../src/database/sqlite/connection.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { openSqlite } from '../../src/database/sqlite/engine.ts'
import { BatchWriter } from '../../src/database/sqlite/group-commit.ts'
import type { Command } from '../../src/shop/registry/commands.ts'
import { executeCommand, replyForms } from '../../src/shop/registry/run.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { openTestStore } from '../support/store.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

/** The number of disk sizes to test with many requests. */
const SIZES = times(20, 300)
/** The number of disk sizes to test with one batch of 60 categories. None of the disks has room for the whole batch. */
const BATCH_SIZES = 20
const TIMEOUT_MS = timeLimitMs(120_000)

test(
  `on full disks of ${SIZES} sizes, exactly the acknowledged categories are stored, and reads continue`,
  async () => {
    const pages = await pagesOfEmptyStore()
    for (let pagesLeft = 0; pagesLeft < SIZES; pagesLeft++) {
      // Each disk has room for some categories.
      await using store = await openTestStore('sqlite', { pagesMax: pages + 8 + pagesLeft })
      const statuses: number[] = []
      for (let wave = 0; wave < 400 && !statuses.includes(503); wave++) {
        const replies = Array.from({ length: 40 }, async (_, index) => {
          const body = JSON.stringify({ name: `${wave} ${index}`, description: 'x'.repeat(index * 10) })
          const reply = await store.send('POST', '/categories', { body })
          if (reply.status === 503) {
            expect(await reply.text()).toContain('"storage_full"')
            expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
          }
          return reply.status
        })
        statuses.push(...(await Promise.all(replies)))
      }
      expect(new Set(statuses)).toEqual(new Set([201, 503]))
      const [row] = await store.database('SELECT count(*) AS n FROM category')
      expect(Number(row?.n)).toBe(statuses.filter(status => status === 201).length)
      const read = await store.client.listCategories({})
      expect(read.status).toBe(200)
      expect(await violatedInvariants(store)).toEqual([])
    }
    recordSoak({
      guarantee: 3,
      engine: 'sqlite',
      summary: `full disks of ${SIZES} sizes: 0 false acknowledgements`,
    })
  },
  TIMEOUT_MS,
)

async function pagesOfEmptyStore(): Promise<number> {
  await using store = await openTestStore('sqlite')
  const [row] = await store.database('PRAGMA page_count')
  return Number(row?.page_count)
}

/**
 * Commits a batch of 60 categories on a disk with `pagesLeft` free pages. Returns the number of commands that were
 * acknowledged, and the number of categories that are stored afterwards.
 */
async function fillInOneBatch(pagesLeft: number): Promise<{ acknowledged: number; stored: number }> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-full-'))
  try {
    await makeTables(directory)
    const connection = new SqliteConnection(databaseFile(directory), { readonly: false })
    const pages =
      connection.database.query<{ page_count: bigint }, []>('PRAGMA page_count').get()?.page_count ?? 0n
    connection.database.run(`PRAGMA max_page_count = ${pages + BigInt(pagesLeft)}`)
    // With a small cache, SQLite writes pages to the file before the commit.
    connection.database.run('PRAGMA cache_size = 5')
    const writer = new BatchWriter(connection, executeCommand)
    const outcomes = await writer.commit(Array.from({ length: 60 }, (_, index) => largeCategory(index)))
    const acknowledged = outcomes.filter(outcome => 'reply' in outcome).length
    connection.close()
    const after = new SqliteConnection(databaseFile(directory), { readonly: true })
    const stored = Number(
      after.database.query<{ n: bigint }, []>('SELECT count(*) AS n FROM category').get()?.n,
    )
    after.close()
    return { acknowledged, stored }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function makeTables(directory: string): Promise<void> {
  const engine = await openSqlite({
    shared: replyForms,
    directory,
    writer: new URL('../../src/serving/sqlite-writer.ts', import.meta.url),
    reader: new URL('../../src/serving/sqlite-reader.ts', import.meta.url),
    onFatal: () => {},
  })
  await engine.close()
}

function largeCategory(index: number): Command {
  const now = '2026-11-21T00:00:00.000Z'
  return {
    id: 'createCategory',
    input: { body: { name: `category ${index}`, description: 'x'.repeat(1900) } },
    context: { now, caller: { keyId: 1n, scopes: ['admin'] }, requestId: 'test' },
  }
}

test('a batch that fills the disk acknowledges exactly the commands that are stored afterwards', async () => {
  for (let pagesLeft = 4; pagesLeft < 4 + BATCH_SIZES; pagesLeft++) {
    const { acknowledged, stored } = await fillInOneBatch(pagesLeft)
    expect(acknowledged).toBe(stored)
    expect(stored).toBeLessThan(60)
  }
})
