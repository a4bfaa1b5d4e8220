import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultLimits, type SandboxLimits } from '../../sandboxes/host/limits.ts'
import { serveSandboxes } from '../../sandboxes/server.ts'
import { bindPort } from '../../serving/server.ts'
import { loadSandboxSeed } from './seeds.ts'

type OwnHost = Awaited<ReturnType<typeof serveSandboxes>>

interface OwnHostOptions {
  readonly limits?: Partial<SandboxLimits>
  /** Why its sandboxes send no webhooks; absent if they do, also to this machine. */
  readonly webhooksRefusal?: string
}

/** Runs `work` with a host of sandboxes of its own, on a free port of this machine, and deletes the host afterwards. */
export async function withOwnHost<Result>(
  { limits, webhooksRefusal }: OwnHostOptions,
  work: (host: OwnHost) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-host-'))
  const ignore = (): void => {}
  const options = {
    directory,
    loadSeed: loadSandboxSeed,
    clock: Date.now,
    trustedProxies: [],
    limits: { ...defaultLimits, ...limits },
    allowPrivateWebhooks: webhooksRefusal === undefined,
    webhooksRefusal,
    log: { access: ignore, info: ignore, error: ignore },
  }
  const serving = await serveSandboxes(options, bindPort({ host: '127.0.0.1', port: 0 }))
  try {
    return await work(serving)
  } finally {
    await serving.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
