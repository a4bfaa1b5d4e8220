import { statfsSync } from 'node:fs'
import { errorTable } from '../contract/error.ts'
import { buildInfo } from '../http/observe/metrics.ts'
import { processMetrics } from '../http/observe/process-metrics.ts'
import { byLabel, families } from '../http/observe/prometheus.ts'
import type { SandboxHost } from './host/host.ts'
import type { SandboxLimits } from './host/limits.ts'

interface HostMetricsOptions {
  readonly host: Pick<SandboxHost, 'counts'>
  readonly directory: string
  readonly limits: SandboxLimits
  readonly isDraining: () => boolean
}

/** The metrics of a host of sandboxes. Each sandbox has its own at its `/metrics`. */
export class HostMetrics {
  readonly #options: HostMetricsOptions
  readonly #errors = new Map(Object.keys(errorTable).map(code => [code, 0]))

  constructor(options: HostMetricsOptions) {
    this.#options = options
  }

  /** Counts a response of the host itself, such as a refusal to create another sandbox. */
  countResponse(errorCode: string | undefined): void {
    if (errorCode !== undefined) this.#errors.set(errorCode, (this.#errors.get(errorCode) ?? 0) + 1)
  }

  async text(): Promise<string> {
    const { host, directory, limits, isDraining } = this.#options
    const { sandboxes, open, bytes } = host.counts
    const { bavail, bsize } = statfsSync(directory)
    return families({
      ...buildInfo('sandboxes'),
      petstore_ready: isDraining() ? 0 : 1,
      petstore_not_ready: byLabel('reason', [['draining', isDraining() ? 1 : 0]]),
      petstore_sandboxes: byLabel('state', [
        ['open', open],
        ['asleep', sandboxes - open],
      ]),
      petstore_sandboxes_max: limits.sandboxes,
      petstore_sandboxes_bytes: bytes,
      petstore_sandboxes_bytes_max: limits.bytesTotal,
      petstore_disk_free_bytes: bavail * bsize,
      petstore_errors_total: byLabel('code', this.#errors),
      ...processMetrics(),
    })
  }
}
