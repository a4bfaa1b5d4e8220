import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../support/root.ts'
import { until } from '../support/until.ts'

const guide = readFileSync(join(ROOT, 'docs/reverse-proxy.md'), 'utf8')
const [nginxServer = '', nginxLocation = ''] = blocksOf('nginx')
const [compression = '', haproxyPath = ''] = blocksOf('haproxy')
/** The configuration for two processes, with the changes for one that the guide names. */
const haproxy = readFileSync(join(ROOT, 'deploy/haproxy.cfg'), 'utf8')
  .replace(/^ *server two .*\n/m, '')
  .replaceAll('8081', '8080')
  .replace(/^frontend shop\n/m, line => line + compression)

const caddy = readFileSync(join(ROOT, 'deploy/Caddyfile'), 'utf8')
  .replace(' 127.0.0.1:8082', '')
  .replaceAll('8081', '8080')

/** The address of the store in the guide. */
const STORE_ADDRESS = /127\.0\.0\.1:8080/

/** Returns the code blocks of the guide in a language. */
function blocksOf(language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, text = '']) => text,
  )
}

/** A configuration of the guide, and how it is run. */
export interface ProxyConfiguration {
  readonly name: string
  readonly program: 'nginx' | 'haproxy' | 'caddy'
  /** The path of the store behind the proxy; empty at the root. */
  readonly path: '' | '/shop'
  /** Returns the file for a proxy on `port` in front of a store on `storePort`. Only addresses and TLS are replaced. */
  readonly file: (port: number, storePort: number, directory: string) => string
  /** Returns the arguments of the program. */
  readonly args: (file: string) => readonly string[]
}

const inNginx = (blocks: string, port: number, storePort: number, directory: string): string => {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const server = replaced(blocks, /listen 443 ssl http2;/, `listen 127.0.0.1:${port};`)
  return `daemon off; master_process off; pid ${directory}/pid; error_log ${directory}/log; events {}
http { access_log off;
${folders.map(name => `${name}_temp_path ${directory}/${name};`).join('\n')}
${replaced(server, STORE_ADDRESS, `127.0.0.1:${storePort}`)}}
`
}

const inHaproxy = (blocks: string, port: number, storePort: number): string => {
  const frontend = replaced(blocks, /^ +bind :8443$/m, `  bind 127.0.0.1:${port}`)
  return replaced(frontend, STORE_ADDRESS, `127.0.0.1:${storePort}`)
}

/** Replaces a part of a configuration. Throws if it does not have the part. */
function replaced(text: string, part: RegExp, replacement: string): string {
  if (!part.test(text)) throw new Error(`the configuration has no ${part}`)
  return text.replace(part, replacement)
}

const nginxArgs = (file: string): readonly string[] => ['-e', `${file}.log`, '-c', file]
const haproxyArgs = (file: string): readonly string[] => ['-f', file]
export const caddyArgs = (file: string): readonly string[] => [
  'run',
  '--adapter',
  'caddyfile',
  '--config',
  file,
]

export const configurations: readonly ProxyConfiguration[] = [
  {
    name: 'nginx',
    program: 'nginx',
    path: '',
    args: nginxArgs,
    file: (...at) => inNginx(nginxServer, ...at),
  },
  {
    name: 'nginx with a path',
    program: 'nginx',
    path: '/shop',
    args: nginxArgs,
    file: (...at) => inNginx(replaced(nginxServer, /location \/ \{[^}]*\}/, nginxLocation), ...at),
  },
  {
    name: 'HAProxy',
    program: 'haproxy',
    path: '',
    args: haproxyArgs,
    file: (port, storePort) => inHaproxy(haproxy, port, storePort),
  },
  {
    name: 'HAProxy with a path',
    program: 'haproxy',
    path: '/shop',
    args: haproxyArgs,
    file: (port, storePort) => inHaproxy(haproxy + haproxyPath, port, storePort),
  },
  {
    name: 'Caddy',
    program: 'caddy',
    path: '',
    args: caddyArgs,
    file: (port, storePort) =>
      replaced(
        replaced(caddy, /^:8443 \{$/m, `http://127.0.0.1:${port} {`),
        STORE_ADDRESS,
        `127.0.0.1:${storePort}`,
      ),
  },
]

/** Runs a configuration. Resolves when the proxy accepts connections. Disposing the result stops the proxy. */
export async function startProxy(
  { program, file, args }: ProxyConfiguration,
  port: number,
  storePort: number,
): Promise<AsyncDisposable> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-proxy-'))
  const path = join(directory, 'configuration')
  writeFileSync(path, file(port, storePort, directory))
  const child = Bun.spawn([program, ...args(path)], { stdio: ['ignore', 'inherit', 'inherit'] })
  await until(`${program} accepts connections`, async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
    return await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
  })
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
