import { expect, test } from 'bun:test'
import { StoreError } from '../../src/contract/error.ts'
import { WorkerQueue } from '../../src/database/sqlite/worker-queue.ts'

/** A test that waits for ever ends after this time. */
const TEST_MS = 10_000

interface OpenQueue extends AsyncDisposable {
  readonly queue: WorkerQueue<{ flag: Int32Array }, string, string>
  /** What happened, in order: the number of messages of each batch that was reported, and fatal errors. */
  readonly events: string[]
  /** Ends a `hold` of the worker. */
  release(): void
}

function openQueue(batchMax = 10): OpenQueue {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const events: string[] = []
  const queue = new WorkerQueue<{ flag: Int32Array }, string, string>({
    module: new URL('./echo-worker.ts', import.meta.url),
    start: { flag },
    batchMax,
    onFatal: reason => events.push(reason),
    onChanges: (_, messages) => events.push(`batch of ${messages}`),
  })
  return {
    queue,
    events,
    release: () => {
      Atomics.store(flag, 0, 1)
      Atomics.notify(flag, 0)
    },
    [Symbol.asyncDispose]: () => queue.close(),
  }
}

/** Returns the reply of a message, or the code or message of its error. */
function resultOf(sent: Promise<string>): Promise<string> {
  return sent.catch(error => (error instanceof StoreError ? error.code : String(error)))
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test(
  'messages that come while a batch runs wait, and are one batch',
  async () => {
    await using open = openQueue()
    const { queue, release } = open
    await queue.send('warm up')
    const first = queue.send('hold')
    await turn()
    const second = queue.send('a')
    await turn()
    const third = queue.send('b')
    await turn()
    release()
    expect(await Promise.all([first, second, third])).toEqual(['hold of 1', 'a of 2', 'b of 2'])
  },
  TEST_MS,
)

test(
  'the rows that a batch wrote are reported before any of its messages gets its reply',
  async () => {
    await using open = openQueue()
    const { queue, events } = open
    const replies = ['a', 'b', 'c'].map(async message => void events.push(await queue.send(message)))
    await Promise.all(replies)
    expect(events).toEqual(['batch of 3', 'a of 3', 'b of 3', 'c of 3'])
  },
  TEST_MS,
)

test(
  'a queue that closes sends what waits, in several batches, and refuses what comes later',
  async () => {
    await using open = openQueue(1)
    const { queue, events } = open
    const sent = ['a', 'b', 'c', 'd'].map(message => queue.send(message))
    const closed = queue.close()
    expect(await resultOf(queue.send('late'))).toBe('shutting_down')
    expect(await Promise.all(sent)).toEqual(['a of 1', 'b of 1', 'c of 1', 'd of 1'])
    await closed
    expect(events.filter(event => event !== 'batch of 1')).toEqual([])
  },
  TEST_MS,
)

test(
  'a queue has at most 4096 messages that wait, and refuses the next one at once',
  async () => {
    await using open = openQueue(4096)
    const { queue } = open
    const sent = Array.from({ length: 4096 }, (_, index) => queue.send(`${index}`))
    expect(await resultOf(queue.send('one too many'))).toBe('overloaded')
    expect(await sent[4095]).toBe('4095 of 4096')
  },
  TEST_MS,
)

test.each([
  ['exit', 'a worker of the store ended'],
  ['fail', 'the file cannot be trusted'],
])(
  'a worker that ends (%s) fails the messages that run and those that wait, once',
  async (message, reason) => {
    await using open = openQueue(1)
    const { queue, events } = open
    const sent = [queue.send(message), queue.send('b'), queue.send('c')].map(resultOf)
    const error = `Error: ${reason}`
    expect(await Promise.all(sent)).toEqual([error, error, error])
    expect(events).toEqual([reason])
    expect(await resultOf(queue.send('later'))).toBe('Error: a worker of the store has ended')
  },
)
