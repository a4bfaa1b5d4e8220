/** The result of one run of the command of a tool or a client. */
export interface CommandRun {
  /** Absent if a signal ended it. */
  readonly exitCode?: number
  readonly isTimedOut: boolean
  readonly output: string
  readonly errors: string
  readonly seconds: number
}

const OUTPUT_CHARS_MAX = 100_000
/** The time from asking a command to end until it is killed, in milliseconds. */
const LAST_MS = 1000

/**
 * Runs a command in a shell with these variables, and ends it with all its processes after `timeoutMs`, or if `signal`
 * is aborted, whose reason is then thrown.
 */
export async function runCommand(
  line: string,
  variables: Readonly<Record<string, string>>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CommandRun> {
  signal.throwIfAborted()
  const startedMs = performance.now()
  const child = Bun.spawn(['sh', '-c', line], {
    env: { ...process.env, ...variables },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    // A process group of its own: whatever the command leaves running ends with it.
    detached: true,
  })
  let isTimedOut = false
  const end = (): void => {
    isTimedOut = true
    endGroup(child.pid, 'SIGTERM')
    setTimeout(() => endGroup(child.pid, 'SIGKILL'), LAST_MS)
  }
  const timer = setTimeout(end, timeoutMs)
  // Its own group gets no Ctrl-C of the terminal.
  signal.addEventListener('abort', end)
  const ended = child.exited.then(() => endGroup(child.pid, 'SIGKILL'))
  // What has left the group of the command may keep its output open.
  const closed = ended.then(() => Bun.sleep(LAST_MS))
  const [output, errors] = await Promise.all([
    textOf(child.stdout, closed),
    textOf(child.stderr, closed),
    ended,
  ])
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
  signal.throwIfAborted()
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10
  const { exitCode } = child
  return { ...(exitCode !== null && { exitCode }), isTimedOut, output, errors, seconds }
}

/** Returns the start of a text, and reads the rest without keeping it, until its end or until it is `closed`. */
async function textOf(stream: ReadableStream<Uint8Array>, closed: Promise<unknown>): Promise<string> {
  const reader = stream.getReader()
  closed.then(() => reader.cancel()).catch(() => {})
  const decoder = new TextDecoder()
  let text = ''
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
    if (text.length < OUTPUT_CHARS_MAX) text += decoder.decode(value, { stream: true })
  return text.slice(0, OUTPUT_CHARS_MAX)
}

function endGroup(leader: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-leader, signal)
  } catch {
    // The command left nothing running.
  }
}
