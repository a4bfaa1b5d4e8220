import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RequestLog } from './request-log.ts'

const request = { at: '2026-11-21T10:00:00.000Z', method: 'GET', path: '/pets', requestHeaders: {}, ms: 1 }

async function withDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-requests-'))
  await work(directory)
  rmSync(directory, { recursive: true })
}

test('a stream that continues after a number gets what was logged since another stream read from there', async () => {
  await withDirectory(async directory => {
    const log = await RequestLog.open(directory)
    log.add(request)
    expect((await log.readEvents(0)).to).toBe(1)
    log.add(request)
    expect((await log.readEvents(0)).to).toBe(2)
    await log.close()
  })
})

test('the numbers of a log continue after its file was replaced, and after it was cleared', async () => {
  await withDirectory(async directory => {
    writeFileSync(join(directory, 'requests-before.ndjson'), '{"number":7,"path":"/pets"}\n')
    const first = await RequestLog.open(directory)
    expect(first.lastNumber).toBe(7)
    await first.clear()
    await first.close()
    const second = await RequestLog.open(directory)
    second.add(request)
    expect(second.lastNumber).toBe(8)
    await second.close()
  })
})

test('the length of a page of the log is that of its text', async () => {
  await withDirectory(async directory => {
    const log = await RequestLog.open(directory)
    for (const count of [0, 1, 3]) {
      while (log.lastNumber < count) log.add(request)
      const page = await log.page(10)
      let length = 0
      for (let chunk = await page.next(); chunk; chunk = await page.next()) length += chunk.length
      expect([count, page.bytes]).toEqual([count, length])
      await page.close()
    }
    await log.close()
  })
})
