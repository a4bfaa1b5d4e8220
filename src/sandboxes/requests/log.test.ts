import { expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RequestLog } from './log.ts'

const request = { at: '2026-11-21T10:00:00.000Z', method: 'GET', path: '/pets', requestHeaders: {}, ms: 1 }

async function withDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-requests-'))
  await work(directory)
  rmSync(directory, { recursive: true })
}

async function textOf(log: RequestLog, limit: number, before?: number): Promise<string> {
  const chunks: Uint8Array[] = []
  const page = await log.page(limit, before)
  for (let chunk = await page.next(); chunk; chunk = await page.next()) chunks.push(chunk)
  await page.close()
  return Buffer.concat(chunks).toString()
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

test('a line that was cut is not part of the log, and the next one is complete', async () => {
  await withDirectory(async directory => {
    const write = async (): Promise<void> => {
      const log = await RequestLog.open(directory)
      log.add(request)
      await log.close()
    }
    await write()
    const cut = '{"number":2,"at":"2026-11-21T10:00:00.000Z","meth'
    appendFileSync(join(directory, 'requests.ndjson'), cut)
    await write()
    const log = await RequestLog.open(directory)
    const lines: { number: number }[] = JSON.parse(await textOf(log, 10))
    expect(lines.map(({ number }) => number)).toEqual([2, 1])
    await log.close()
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

test('a log returns the last thousand requests and no older ones, however its files divide them', async () => {
  const linesOf = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, index) => `{"number":${from + index},"path":"/pets"}\n`).join('')
  for (const inCurrent of [0, 1, 400, 1000]) {
    await withDirectory(async directory => {
      writeFileSync(join(directory, 'requests-before.ndjson'), linesOf(1, 1001))
      writeFileSync(join(directory, 'requests.ndjson'), linesOf(1001, 1001 + inCurrent))
      const log = await RequestLog.open(directory)
      const all: { number: number }[] = JSON.parse(await textOf(log, 5000))
      expect(all.map(({ number }) => number)).toEqual(
        Array.from({ length: 1000 }, (_, index) => 1000 + inCurrent - index),
      )
      expect(await textOf(log, 10, inCurrent + 1)).toBe('[]')
      await log.close()
    })
  }
})
