import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { startPostgres, stopPostgres } from '../support/postgres-server.ts'
import { type ServerProcess, startProcess } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { makePet } from '../support/shop.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { caddyArgs, type ProxyConfiguration, startProxy } from './proxy-process.ts'

const RESTARTS = Number(process.argv[2] ?? 4)
const DRAIN_SECONDS = 5
const CLIENTS = 8
/** How long a process serves before the other one is restarted, so that a proxy has seen that it is ready. */
const SETTLED_MS = 2500

/** The files for two processes, with other ports. */
function twoProcesses(ports: readonly number[]): ProxyConfiguration[] {
  const shipped = (name: string): string =>
    readFileSync(join(ROOT, 'deploy', name), 'utf8')
      .replaceAll('8081', `${ports[0]}`)
      .replaceAll('8082', `${ports[1]}`)
  return [
    {
      name: 'haproxy.cfg',
      program: 'haproxy',
      path: '',
      args: file => ['-f', file],
      file: port => shipped('haproxy.cfg').replace('bind :8443', `bind 127.0.0.1:${port}`),
    },
    {
      name: 'nginx.conf',
      program: 'nginx',
      path: '',
      args: file => ['-e', `${file}.log`, '-c', file],
      file: (port, _, directory) =>
        shipped('nginx.conf')
          .replace('listen 8443', `listen 127.0.0.1:${port}`)
          .replaceAll('/tmp/petstore-nginx', `${directory}/nginx`)
          .replace('worker_processes auto;', 'daemon off; worker_processes 1;'),
    },
    {
      name: 'Caddyfile',
      program: 'caddy',
      path: '',
      args: caddyArgs,
      file: port => shipped('Caddyfile').replace(':8443 {', `http://127.0.0.1:${port} {`),
    },
  ]
}

interface Load {
  readonly requests: number
  /** What clients got in place of a success. */
  readonly failures: readonly string[]
}

/** Reads pets and places orders through a proxy, until `isOver`. */
async function load(base: string, petId: bigint, isOver: () => boolean): Promise<Load> {
  const failures: string[] = []
  let requests = 0
  const headers = { Authorization: `Bearer ${ADMIN_KEY}`, 'Content-Type': 'application/json' }
  const one = async (index: number): Promise<void> => {
    while (!isOver()) {
      const isOrder = (requests++ + index) % 3 === 0
      const request = isOrder ? { method: 'POST', headers, body: `{"petId":${petId}}` } : { headers }
      const outcome = await fetch(`${base}/${isOrder ? 'store/orders' : `pets/${petId}`}`, request).then(
        async reply => {
          await reply.arrayBuffer()
          return reply.ok ? '' : `${reply.status}`
        },
        error => String(error),
      )
      if (outcome !== '') failures.push(`${isOrder ? 'POST' : 'GET'} ${outcome}`)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => one(index)))
  return { requests, failures }
}

/** Returns how often each failure occurred. */
function countsOf(failures: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const failure of failures) counts.set(failure, (counts.get(failure) ?? 0) + 1)
  return Array.from(counts, ([failure, count]) => `${count} x ${failure}`).join('; ')
}

/** Restarts two processes in turn under load, behind each proxy that is installed. Returns the failed requests. */
export async function checkRestarts(): Promise<number> {
  await startPostgres()
  let failed = 0
  {
    await using place = await newStoreDirectory('postgres')
    const ports = [freePort(), freePort()]
    const env = {
      ...place.env,
      PETSTORE_DRAIN_SECONDS: `${DRAIN_SECONDS}`,
      PETSTORE_TRUSTED_PROXIES: '127.0.0.1',
    }
    const start = (port: number | undefined) =>
      startProcess(['serve', '--port', `${port}`, ...place.args], env)
    const servers: ServerProcess[] = []
    for (const port of ports) servers.push(await start(port))
    const [first] = servers
    if (!first) throw new Error('there are two')
    const { petId } = await makePet(place.client(first), { quantity: 10_000_000n })
    for (const configuration of twoProcesses(ports)) {
      if (Bun.which(configuration.program) === null) {
        process.stdout.write(
          `restarts: ${configuration.name}: SKIPPED: ${configuration.program} is not installed\n`,
        )
        continue
      }
      const port = freePort()
      await using _ = await startProxy(configuration, port, 0)
      await Bun.sleep(SETTLED_MS)
      let isOver = false
      const loading = load(`http://127.0.0.1:${port}`, petId, () => isOver)
      for (let index = 0; index < RESTARTS; index++) {
        const place = index % 2
        await servers[place]?.kill('SIGTERM')
        servers[place] = await start(ports[place])
        await Bun.sleep(SETTLED_MS)
      }
      isOver = true
      const { requests, failures } = await loading
      failed += failures.length
      process.stdout.write(
        `restarts: ${configuration.name}: ${RESTARTS} restarts, ${failures.length} of ${requests} requests failed ` +
          `${countsOf(failures)}\n`,
      )
    }
    for (const server of servers) await server.kill('SIGTERM')
  }
  await stopPostgres()
  return failed
}

if (import.meta.main) process.exit((await checkRestarts()) === 0 ? 0 : 1)
