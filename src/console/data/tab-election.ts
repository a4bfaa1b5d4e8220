/** How long a tab waits for objections before it takes over, in milliseconds. */
const ELECTION_MS = 200
/** How often the tab that leads says so, and how long the others wait without hearing it, in milliseconds. */
const HEARTBEAT_MS = 1000
const LOST_MS = 4000

interface ElectionMessage {
  readonly kind: 'claim' | 'lead' | 'resign'
  readonly from: string
}

/**
 * Runs `lead` in one tab of the browser at a time, once no other tab runs it. Its signal is aborted when the signal of
 * this tab is, or when another tab leads too. Where browsers have no locks, the tabs elect one: of those that claim the
 * lead at the same time, or that could not hear each other, the one with the lowest id has it.
 */
export function leadAlone(
  name: string,
  signal: AbortSignal,
  lead: (signal: AbortSignal) => Promise<void>,
): void {
  // A page has locks only in a secure context.
  if ('locks' in navigator) {
    navigator.locks.request(name, { signal }, () => lead(signal)).catch(() => {})
    return
  }
  const id = crypto.getRandomValues(new BigUint64Array(1)).join().padStart(20, '0')
  const channel = new BroadcastChannel(`${name} election`)
  let leading: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let heartbeat: ReturnType<typeof setInterval> | undefined
  const post = (kind: ElectionMessage['kind']): void => channel.postMessage({ kind, from: id })
  const claimAfter = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      post('claim')
      timer = setTimeout(begin, ELECTION_MS)
    }, ms)
  }
  const end = (): void => {
    clearInterval(heartbeat)
    leading?.abort()
    leading = undefined
  }
  const begin = (): void => {
    leading = new AbortController()
    post('lead')
    heartbeat = setInterval(() => post('lead'), HEARTBEAT_MS)
    void lead(leading.signal).finally(() => {
      if (leading) post('resign')
      end()
    })
  }
  channel.onmessage = ({ data: { kind, from } }: MessageEvent<ElectionMessage>) => {
    if (kind === 'resign') claimAfter(0)
    else if (leading && (kind === 'claim' || from > id)) post('lead')
    else if (kind === 'lead' || from < id) {
      end()
      claimAfter(LOST_MS)
    } else post('claim')
  }
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    if (leading) post('resign')
    end()
    channel.close()
  })
  claimAfter(0)
}
