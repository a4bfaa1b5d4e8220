import { leadAlone } from './tab-election.ts'

/** A stream is silent without a byte for this long, in milliseconds. The store sends a byte every 15 seconds. */
const SILENCE_MS = 20_000
/** How often the tabs check for silence, and how often at most they report a byte to each other, in milliseconds. */
const CHECK_MS = 2000
/** In milliseconds. A tab that leads only after this time has taken over from another tab. */
const TAKEOVER_MS = 1000

/** What the tab that reads a stream passes to all tabs. */
type TabMessage<Item> = { readonly item: Item } | 'byte' | 'lost' | 'restart'

/** What a tab does while it reads the stream for all tabs. */
export interface Lead<Item> {
  readonly signal: AbortSignal
  /** Whether another tab read the stream before. Items since it stopped may be missing. */
  readonly isTakeover: boolean
  readonly pass: (item: Item) => void
  /** Tells all tabs that the connection of the stream was lost. */
  readonly lose: () => void
  /** Tells all tabs that the items from now on do not continue those before. */
  readonly restart: () => void
  /** Returns a response whose stream is watched for silence. */
  readonly watch: (response: Response) => Response
}

interface SharedStreamOptions<Item> {
  /** The same for all tabs that may read the same stream. */
  readonly name: string
  readonly read: (lead: Lead<Item>) => Promise<void>
  /** Called in all tabs. */
  readonly onItem: (item: Item) => void
  /** Called in all tabs. */
  readonly onLost?: () => void
  /** Called in all tabs. */
  readonly onRestart?: () => void
  /** Called in all tabs when the stream falls silent, for example because a proxy buffers it, and when it ends that. */
  readonly onSilence: (isSilent: boolean) => void
}

/**
 * Follows a stream that one visible tab of the browser reads for all tabs, because a browser opens only six connections
 * to a store. Returns a function that ends this. A hidden tab follows nothing: see `whileVisible`.
 */
export function followShared<Item>(options: SharedStreamOptions<Item>): () => void {
  const { name, read, onItem, onLost, onRestart, onSilence } = options
  const stopping = new AbortController()
  const channel = new BroadcastChannel(name)
  const openedMs = performance.now()
  let heardMs = openedMs
  let reportedMs = 0
  let isSilent = false
  const setSilent = (value: boolean): void => {
    if (value === isSilent) return
    isSilent = value
    onSilence(value)
  }
  const receive = (message: TabMessage<Item>): void => {
    if (message === 'lost') {
      onLost?.()
      return
    }
    heardMs = performance.now()
    setSilent(false)
    if (message === 'restart') onRestart?.()
    else if (message !== 'byte') onItem(message.item)
  }
  const pass = (message: TabMessage<Item>): void => {
    if (stopping.signal.aborted) return
    receive(message)
    channel.postMessage(message)
  }
  const noteByte = (): void => {
    if (performance.now() - reportedMs < CHECK_MS) return
    reportedMs = performance.now()
    pass('byte')
  }
  channel.onmessage = ({ data }: MessageEvent<TabMessage<Item>>) => receive(data)
  const timer = setInterval(() => setSilent(performance.now() - heardMs > SILENCE_MS), CHECK_MS)
  leadAlone(name, stopping.signal, signal =>
    read({
      signal,
      isTakeover: performance.now() - openedMs > TAKEOVER_MS,
      pass: item => pass({ item }),
      lose: () => pass('lost'),
      restart: () => pass('restart'),
      watch: response => watchedResponse(response, noteByte),
    }),
  )
  return () => {
    stopping.abort()
    clearInterval(timer)
    channel.close()
    setSilent(false)
  }
}

function watchedResponse(response: Response, onByte: () => void): Response {
  const watcher = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      onByte()
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body?.pipeThrough(watcher) ?? null, response)
}

/** Runs `start` while the tab is visible, and what it returned once it is hidden. Returns a function that ends this. */
export function whileVisible(start: () => () => void): () => void {
  let stop = document.hidden ? undefined : start()
  const onChange = (): void => {
    stop?.()
    stop = document.hidden ? undefined : start()
  }
  document.addEventListener('visibilitychange', onChange)
  return () => {
    document.removeEventListener('visibilitychange', onChange)
    stop?.()
  }
}
