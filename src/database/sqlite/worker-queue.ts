import { shuttingDown, tooManyInProgress } from '../../contract/refusals.ts'
import { type Outcome, unwrap } from '../outcome.ts'
import type { RowChanges } from '../row-changes.ts'

/** The maximum number of messages that wait. Any further message is refused at once. */
const WAITING_MAX = 4096

interface Waiting<Message, Reply> {
  readonly message: Message
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
}

type ToWorker<Start, Message> = { readonly start: Start } | { readonly batch: readonly Message[] } | 'close'
type FromWorker<Reply> = 'started' | 'next' | 'closed' | BatchResult<Reply> | { readonly fatal: string }

/** The outcomes of a batch, in the order of its messages. */
interface BatchResult<Reply> {
  readonly outcomes: Outcome<Reply>[]
  readonly changes?: RowChanges
}

interface WorkerQueueOptions<Start> {
  /** The module that the worker runs. */
  readonly module: URL
  readonly start: Start
  /** The parts of `start` that move to the worker. */
  readonly transfer?: Bun.Transferable[]
  /** The maximum number of messages in a batch. */
  readonly batchMax: number
  readonly onFatal: (reason: string) => void
  /**
   * Called with the rows that a batch wrote and the number of its messages, before the promise of any of them resolves.
   */
  readonly onChanges?: (changes: RowChanges, messages: number) => void
}

/**
 * Sends messages to a worker in batches, and returns each outcome to its caller. The first message starts the worker.
 * The worker has at most two batches: the running batch, and the next one after the worker has asked for it.
 */
export class WorkerQueue<Start, Message, Reply> {
  hasEnded = false
  #worker: Worker | undefined
  readonly #options: WorkerQueueOptions<Start>
  readonly #waiting: Waiting<Message, Reply>[] = []
  readonly #inFlight: Waiting<Message, Reply>[][] = []
  readonly #started = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<void>()
  /** Whether the worker has asked for the next batch, and has not got one since. */
  #isNextAsked = false
  #isClosing = false

  constructor(options: WorkerQueueOptions<Start>) {
    this.#options = options
  }

  /** Resolves when the worker has opened its connection. */
  get started(): Promise<void> {
    return this.#started.promise
  }

  /** Starts the worker, unless it was started. */
  start(): void {
    if (this.#worker) return
    const { module, start, transfer = [] } = this.#options
    // With `smol`, a heap is collected before it grows by 32 MiB. Each worker has a heap, and its garbage is
    // short-lived.
    this.#worker = new Worker(module.href, { smol: true })
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker<Reply>>) => {
      if (data === 'started') this.#started.resolve()
      else if (data === 'next') this.#onNext()
      else if (data === 'closed') this.#closed.resolve()
      else if ('fatal' in data) this.#end(data.fatal)
      else this.#settle(data)
    }
    this.#worker.onerror = event => this.#end(event.message)
    this.#worker.addEventListener('close', () => this.#end('a worker of the store ended'))
    this.#post({ start }, transfer)
  }

  send(message: Message): Promise<Reply> {
    if (this.hasEnded) return Promise.reject(new Error('a worker of the store has ended'))
    if (this.#isClosing) return Promise.reject(shuttingDown())
    if (this.#waiting.length >= WAITING_MAX) return Promise.reject(tooManyInProgress())
    this.start()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, resolve, reject })
      // The first message of a burst waits for the others of its turn of the event loop, so they share one fsync.
      if (this.#waiting.length === 1) queueMicrotask(() => this.#flush())
    })
  }

  async close(): Promise<void> {
    this.#isClosing = true
    if (this.hasEnded || !this.#worker) return
    this.#flush()
    if (this.#inFlight.length === 0) this.#post('close')
    await this.#closed.promise
    this.hasEnded = true
    this.#worker.terminate()
  }

  #onNext(): void {
    this.#isNextAsked = true
    this.#flush()
  }

  #flush(): void {
    const isFree = this.#inFlight.length === 0 || (this.#inFlight.length === 1 && this.#isNextAsked)
    if (!isFree || this.#waiting.length === 0) return
    this.#isNextAsked = false
    const batch = this.#waiting.splice(0, this.#options.batchMax)
    this.#inFlight.push(batch)
    this.#post({ batch: batch.map(({ message }) => message) })
  }

  #settle({ outcomes, changes }: BatchResult<Reply>): void {
    const batch = this.#inFlight.shift() ?? []
    if (changes) this.#options.onChanges?.(changes, batch.length)
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index] ?? { error: 'the worker left a message without an outcome' }
      try {
        resolve(unwrap(outcome))
      } catch (error) {
        reject(error)
      }
    }
    this.#flush()
    if (this.#isClosing && this.#inFlight.length === 0) this.#post('close')
  }

  #end(reason: string): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.#closed.resolve()
    for (const { reject } of [...this.#inFlight.flat(), ...this.#waiting.splice(0)]) reject(new Error(reason))
    this.#options.onFatal(reason)
  }

  #post(message: ToWorker<Start, Message>, transfer: Bun.Transferable[] = []): void {
    this.#worker?.postMessage(message, transfer)
  }
}

/**
 * Runs a worker for its lifetime. `open` returns the functions that run a batch and close the worker. An error thrown
 * by any of the three is fatal. `runBatch` calls `askForNext` as late as possible, so that the next batch has many
 * messages, but early enough for it to arrive in time. Without this call, the next batch is sent after the result.
 */
export function serve<Start, Message, Reply>(
  open: (start: Start) => {
    runBatch: (batch: readonly Message[], askForNext: () => void) => Promise<BatchResult<Reply>>
    close: () => void
  },
): void {
  const port: { postMessage(message: FromWorker<Reply>): void } = globalThis
  let opened: ReturnType<typeof open> | undefined
  let turn: Promise<void> = Promise.resolve()
  const askForNext = (): void => port.postMessage('next')
  const handle = async (message: ToWorker<Start, Message>): Promise<void> => {
    if (message === 'close') {
      opened?.close()
      port.postMessage('closed')
    } else if ('start' in message) {
      opened = open(message.start)
      port.postMessage('started')
    } else if (opened) {
      port.postMessage(await opened.runBatch(message.batch, askForNext))
    }
  }
  globalThis.addEventListener('message', (event: MessageEvent<ToWorker<Start, Message>>) => {
    turn = turn
      .then(() => handle(event.data))
      .catch(error => port.postMessage({ fatal: error instanceof Error ? error.message : String(error) }))
  })
}
