import { readdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { MetricValues } from './prometheus.ts'

/** How often the lag of the event loop is measured once the metrics are read, in milliseconds. */
const LAG_EVERY_MS = 100
/** How long a lag is reported at least. Several programs may read the metrics. */
const LAG_KEPT_MS = 60_000
const lag = monitorEventLoopDelay({ resolution: LAG_EVERY_MS })
let lagBeforeNs = 0
let lagSinceMs = 0

function longestLagSeconds(): number {
  const nowMs = performance.now()
  if (nowMs - lagSinceMs >= LAG_KEPT_MS) {
    lagBeforeNs = lag.max
    lag.reset()
    lagSinceMs = nowMs
  }
  lag.enable()
  return Math.max(lagBeforeNs, lag.max) / 1e9
}

/** Returns the metrics of the process, under the names of the client libraries of Prometheus. */
export function processMetrics(): MetricValues {
  const { user, system } = process.cpuUsage()
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  const startSeconds = Math.round(performance.timeOrigin / 1000)
  return {
    process_cpu_user_seconds_total: user / 1e6,
    process_cpu_system_seconds_total: system / 1e6,
    process_cpu_seconds_total: (user + system) / 1e6,
    process_start_time_seconds: startSeconds,
    process_resident_memory_bytes: rss,
    process_virtual_memory_bytes: virtualMemoryBytes(),
    process_open_fds: openFiles(),
    process_max_fds: openFilesMax(),
    nodejs_eventloop_lag_max_seconds: longestLagSeconds(),
    nodejs_heap_size_total_bytes: heapTotal,
    nodejs_heap_size_used_bytes: heapUsed,
    nodejs_external_memory_bytes: external,
  }
}

function virtualMemoryBytes(): number | undefined {
  const kib = onLinux(() => /^VmSize:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
  return kib === undefined ? undefined : Number(kib) * 1024
}

function openFiles(): number | undefined {
  // The listing itself has one file open.
  return onLinux(() => readdirSync('/proc/self/fd').length - 1)
}

function openFilesMax(): number | undefined {
  const limits = onLinux(() => readFileSync('/proc/self/limits', 'utf8'))
  const files = /^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1]
  return files === undefined ? undefined : Number(files)
}

/** Reads from /proc, which only Linux has. Returns undefined elsewhere. */
function onLinux<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
