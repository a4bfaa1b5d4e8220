import { describe, expect, test } from 'bun:test'
import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { LogStream, type LogStreamOptions } from '../../src/cli/serve/log-stream.ts'
import { hasCode } from '../../src/files/system-error.ts'
import { sendBytes } from '../support/hostile-request.ts'
import { command, startProcess } from '../support/process.ts'
import { deadPort } from '../support/receiver.ts'
import { openTestStore } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const START_MS_MAX = 30_000
/** A number of requests whose log lines fill more than one group. The log writes a group of lines at once. */
const REQUESTS = 150
/** The number of starts of a store that is stopped at once. Each start without handlers fails in half of the cases. */
const STOPS = 8
const LONG_PATH = `/pets/${'x'.repeat(900)}`

const directory = testFolder()

/** A log sink that fails on demand, and the text that was written to it. */
class Sink {
  written = ''
  fault: string | undefined
  /** The number of bytes that the sink accepts before it fails. */
  space = 0

  readonly write = (_descriptor: number, bytes: Uint8Array, offset: number, length: number): number => {
    if (this.fault === undefined) return this.#take(bytes.subarray(offset, offset + length))
    if (this.space === 0) throw Object.assign(new Error(this.fault), { code: this.fault })
    return this.#take(bytes.subarray(offset, offset + Math.min(this.space, length)))
  }

  #take(bytes: Uint8Array): number {
    this.written += Buffer.from(bytes).toString()
    if (this.fault !== undefined) this.space -= bytes.length
    return bytes.length
  }
}

type MakeLog = (options: LogStreamOptions) => Pick<LogStream, 'write' | 'flush'>
/** The point shows that a report is whole: a store logs JSON, of which a part is no report. */
const lossLine = (lost: number): string => `lost ${lost}.\n`

/** Logs four lines, the second and third while the sink fails. Returns what was written, or the error. */
function throughFailure(makeLog: MakeLog, fault: string, space: number): string {
  const sink = new Sink()
  const log = makeLog({ descriptor: 1, lossLine, write: sink.write })
  try {
    log.write('one\n')
    log.flush()
    Object.assign(sink, { fault, space })
    log.write('two\n')
    log.flush()
    log.write('three\n')
    log.flush()
    Object.assign(sink, { fault: undefined })
    log.write('four\n')
    log.flush()
  } catch (error) {
    return String(error)
  }
  return sink.written
}

/** Some lines that are logged while the sink fails, or works after `space` bytes. */
interface Phase {
  readonly fault: string | undefined
  readonly space: number
  readonly lines: number
}

const phase: fc.Arbitrary<Phase> = fc.record({
  fault: fc.constantFrom(undefined, 'EAGAIN', 'ENOSPC'),
  space: fc.nat(100),
  lines: fc.nat(8),
})

/** Returns a function that logs numbered lines in phases. It throws if a line was neither written nor reported. */
function expectNoLineForgotten(makeLog: MakeLog): (phases: readonly Phase[]) => void {
  return phases => {
    const sink = new Sink()
    const log = makeLog({ descriptor: 1, lossLine, write: sink.write })
    let count = 0
    for (const { lines, ...state } of phases) {
      Object.assign(sink, state)
      for (let line = 0; line < lines; line++) log.write(`line ${count++}.\n`)
      log.flush()
    }
    sink.fault = undefined
    log.flush()
    const written = [...sink.written.matchAll(/^line (\d+)\.$/gm)].map(([, number]) => Number(number))
    const lost = [...sink.written.matchAll(/^lost (\d+)\.$/gm)].map(([, number]) => Number(number))
    expect(written).toEqual(written.toSorted((a, b) => a - b))
    expect(new Set(written).size + lost.reduce((sum, number) => sum + number, 0)).toBe(count)
    expect(sink.written).toEndWith(count > 0 ? '\n' : '')
  }
}

describe('a log that cannot be written', () => {
  const makeStoreLog: MakeLog = options => new LogStream(options)

  for (const fault of ['ENOSPC', 'EPIPE', 'EBADF', 'EIO']) {
    test(`a log drops lines at ${fault}, and reports their number once writing works`, () => {
      expect(throughFailure(makeStoreLog, fault, 0)).toBe('one\nlost 2.\nfour\n')
    })
  }

  test('a log ends a partly written line before it continues', () => {
    expect(throughFailure(makeStoreLog, 'ENOSPC', 2)).toBe('one\ntw\nlost 2.\nfour\n')
  })

  test('a log keeps the lines if the program that reads them is only slow', () => {
    expect(throughFailure(makeStoreLog, 'EAGAIN', 2)).toBe('one\ntwo\nthree\nfour\n')
  })

  test('a log keeps at most 16 MiB for a slow reader', () => {
    const sink = new Sink()
    sink.fault = 'EAGAIN'
    const log = new LogStream({ descriptor: 1, lossLine, write: sink.write })
    const line = `${'x'.repeat(65_535)}\n`
    for (let count = 0; count < 300; count++) log.write(line)
    Object.assign(sink, { fault: undefined })
    log.flush()
    expect(sink.written).toBe(`${line.repeat(256)}lost 44.\n`)
  })

  test('a log loses no line of a reader that is behind for long, if less than 16 MiB wait', () => {
    const sink = new Sink()
    sink.fault = 'EAGAIN'
    const log = new LogStream({ descriptor: 1, lossLine, write: sink.write })
    const line = `${'x'.repeat(65_535)}\n`
    for (let count = 0; count < 600; count++) {
      log.write(line)
      sink.space = 60_000
      log.flush()
    }
    Object.assign(sink, { fault: undefined })
    log.flush()
    expect(sink.written === line.repeat(600)).toBe(true)
  })

  test('each line is written once and in order, or counted as lost, whatever the sink refuses', () => {
    // The report of ten lost lines is cut after its first digit.
    const cutReport: Phase[] = [
      { fault: 'EAGAIN', space: 0, lines: 3 },
      { fault: 'ENOSPC', space: 1, lines: 7 },
      { fault: 'ENOSPC', space: 7, lines: 0 },
    ]
    fc.assert(
      fc.property(fc.array(phase, { minLength: 1, maxLength: 12 }), expectNoLineForgotten(makeStoreLog)),
      { examples: [[cutReport]] },
    )
  })

  test('control: a log that reports too few lost lines is detected', () => {
    const makeLog: MakeLog = options =>
      new LogStream({ ...options, lossLine: lost => options.lossLine(lost - 1) })
    const check = fc.check(
      fc.property(fc.array(phase, { minLength: 1, maxLength: 12 }), expectNoLineForgotten(makeLog)),
    )
    expect(check.failed).toBe(true)
  })

  test('a log that ends waits for a slow reader, and returns how many lines a frozen reader has not read', () => {
    const sink = new Sink()
    sink.fault = 'EAGAIN'
    let calls = 0
    const slow = new LogStream({
      descriptor: 1,
      lossLine,
      write: (descriptor, bytes, offset, length) => {
        if (++calls % 2 === 0) sink.space = 5
        return sink.write(descriptor, bytes, offset, length)
      },
    })
    slow.write('one, two, three\n')
    expect(slow.end()).toBe(0)
    expect(sink.written).toBe('one, two, three\n')
    const frozen = new LogStream({ descriptor: 1, lossLine, write: sink.write })
    sink.space = 6
    frozen.write('four\n')
    frozen.write('five\n')
    frozen.flush()
    frozen.write('six\n')
    const startedMs = performance.now()
    expect(frozen.end()).toBe(2)
    expect(performance.now() - startedMs).toBeLessThan(5000)
    expect(sink.written).toBe('one, two, three\nfour\nf')
  })
})

/** Sends requests whose log lines fill more than one group. Throws if the server does not respond with 400. */
async function makeLines(base: string): Promise<void> {
  for (let count = 0; count < REQUESTS; count++) {
    expect((await fetch(base + LONG_PATH)).status).toBe(400)
  }
}

test('a store whose log and messages go to closed pipes continues to serve, and stops gracefully', async () => {
  const server = await startProcess(['serve', '--port', '0', '--no-demo', '--data', join(directory, 'pipe')])
  await server.closeReaders()
  await makeLines(server.base)
  await makeLines(server.base)
  expect(await server.kill('SIGTERM')).toBe(0)
})

test('a store whose log and messages go to a full disk continues to serve, and stops gracefully', async () => {
  // Without /dev/full, the descriptor is open only for reading, so writes to it fail too.
  const full = existsSync('/dev/full') ? openSync('/dev/full', 'w') : openSync(import.meta.path, 'r')
  const port = await deadPort()
  const base = `http://127.0.0.1:${port}`
  const { line, env } = command([
    'serve',
    '--port',
    `${port}`,
    '--no-demo',
    '--data',
    join(directory, 'full'),
  ])
  const child = Bun.spawn(line, { env, stdin: 'ignore', stdout: full, stderr: full })
  try {
    const isReady = (): Promise<boolean> =>
      fetch(`${base}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until('the store is ready', isReady, START_MS_MAX)
    await makeLines(base)
    await makeLines(base)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  } finally {
    child.kill('SIGKILL')
    closeSync(full)
  }
})

/** The read end of a named pipe whose write end is the log of a store, and that store. */
async function startOnPipe(name: string): Promise<{ reader: number; child: Bun.Subprocess; base: string }> {
  const pipe = join(directory, `${name}.pipe`)
  Bun.spawnSync(['mkfifo', pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const port = await deadPort()
  const base = `http://127.0.0.1:${port}`
  const { line, env } = command(['serve', '--port', `${port}`, '--no-demo', '--data', join(directory, name)])
  const stdout = openSync(pipe, 'w')
  const child = Bun.spawn(line, { env, stdin: 'ignore', stdout, stderr: 'pipe' })
  closeSync(stdout)
  const isReady = (): Promise<boolean> =>
    fetch(`${base}/livez`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('the store is ready', isReady, START_MS_MAX)
  return { reader, child, base }
}

/** Reads a pipe to its end, a page at a time with pauses. */
async function readSlowly(reader: number): Promise<string> {
  const page = Buffer.alloc(4096)
  let text = ''
  for (;;) {
    try {
      const count = readSync(reader, page)
      if (count === 0) return text
      text += page.toString('latin1', 0, count)
    } catch (error) {
      if (!hasCode(error, 'EAGAIN')) throw error
    }
    await Bun.sleep(1)
  }
}

test('a store whose log goes to a slow reader writes all lines before it ends', async () => {
  const { reader, child, base } = await startOnPipe('slow-reader')
  try {
    await makeLines(base)
    child.kill('SIGTERM')
    const lines = (await readSlowly(reader)).split('\n')
    expect(await child.exited).toBe(0)
    expect(lines.pop()).toBe('')
    const entries = lines.map(line => JSON.parse(line))
    expect(entries.filter(({ path }) => path === LONG_PATH)).toHaveLength(REQUESTS)
    expect(entries.at(-1).msg).toBe('stopped')
  } finally {
    child.kill('SIGKILL')
    closeSync(reader)
  }
})

test('a store whose log goes to a frozen reader stops, and reports the lost lines on standard error', async () => {
  const { reader, child, base } = await startOnPipe('frozen-reader')
  try {
    await makeLines(base)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    const messages = child.stderr instanceof ReadableStream ? await new Response(child.stderr).text() : ''
    const lost = Number(/^(\d+) log lines were lost: they could not be written\.$/m.exec(messages)?.[1])
    const read = (await readSlowly(reader)).split('\n').filter(line => line.endsWith('}'))
    const requests = read.filter(line => line.includes(LONG_PATH)).length
    // The last line, `stopped`, is lost too.
    expect(requests + lost).toBe(REQUESTS + 1)
    expect(lost).toBeGreaterThan(1)
  } finally {
    child.kill('SIGKILL')
    closeSync(reader)
  }
})

test.each([
  ['a store', ['serve', '--no-demo']],
  ['a host of sandboxes', ['sandboxes']],
])(
  '%s that is stopped as soon as it prints its address stops gracefully, and logs that',
  async (name, args) => {
    for (let count = 0; count < STOPS; count++) {
      const data = join(directory, `${name.replaceAll(' ', '-')}-${count}`)
      await using server = await startProcess([...args, '--port', '0', '--data', data])
      expect(await server.kill('SIGTERM')).toBe(0)
      const messages = server
        .logged()
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).msg)
      expect(messages).toEqual(['listening', 'stopped'])
    }
  },
)

test('the log is readable text with --log pretty, and JSON if standard output is not a terminal', async () => {
  const args = ['serve', '--port', '0', '--no-demo', '--data', join(directory, 'pretty')]
  const logged = async (...more: string[]): Promise<string> => {
    await using server = await startProcess([...args, ...more])
    for (let read = 0; read < 4; read++) await fetch(`${server.base}/pets?limit=1`)
    await fetch(`${server.base}/pets/7?limit=oops`)
    await server.kill('SIGTERM')
    return server.logged()
  }
  const pretty = await logged('--log', 'pretty')
  expect(pretty.match(/^\d\d:\d\d:\d\d GET \/pets 200 \d+\.\d ms$/gm)).toHaveLength(4)
  expect(pretty).toMatch(/^\d\d:\d\d:\d\d GET \/pets\/7 400 \d+\.\d ms code=unknown_parameter$/m)
  const entries = (await logged())
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const requests = entries.filter(({ msg }) => msg === 'responded').map(({ path, code }) => [path, code])
  expect(requests).toEqual([
    ...Array<unknown[]>(4).fill(['/pets', undefined]),
    ['/pets/7', 'unknown_parameter'],
  ])
})

test('a request with quotes and backslashes in a header is logged as valid JSON', async () => {
  await using store = await openTestStore('sqlite')
  const head = 'GET /livez HTTP/1.1\r\nHost: store\r\nConnection: close\r\ntraceparent: "a\\b\tc\r\n\r\n'
  await sendBytes(Number(new URL(store.base).port), Buffer.from(head))
  const line = store.logged.findLast(({ message }) => message === 'responded')
  expect(line?.fields).toMatchObject({ path: '/livez', traceparent: '"a\\b\tc', status: 200 })
})
