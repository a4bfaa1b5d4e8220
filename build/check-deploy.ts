import { join } from 'node:path'

// `npm run check:deploy` checks each file in deploy/ with the tool that reads it, and says which tools are missing.

const deploy = join(import.meta.dir, '../deploy')

const checks: readonly { readonly file: string; readonly command: readonly string[] }[] = [
  { file: 'haproxy.cfg', command: ['haproxy', '-c', '-f', join(deploy, 'haproxy.cfg')] },
  { file: 'nginx.conf', command: ['nginx', '-t', '-c', join(deploy, 'nginx.conf')] },
  {
    file: 'patroni/patroni.yml',
    command: ['patroni', '--validate-config', join(deploy, 'patroni/patroni.yml')],
  },
  { file: 'petstore.service', command: ['systemd-analyze', 'verify', join(deploy, 'petstore.service')] },
  {
    file: 'Containerfile',
    command: ['podman', 'build', '-f', join(deploy, 'Containerfile'), join(deploy, '..')],
  },
]

/** What a tool says of every file that is not installed on this machine, and not of the file itself. */
const isAboutThisMachine =
  /is not executable: No such file|is not reachable|is already in use|directory .* does not exist/i

let failed = 0
for (const { file, command } of checks) {
  const [tool = ''] = command
  if (Bun.which(tool) === null) {
    process.stdout.write(`${file}: skipped, ${tool} is not installed\n`)
    continue
  }
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { stdout: 'pipe', stderr: 'pipe' })
  const complaints = `${stdout}${stderr}`
    .split('\n')
    .filter(line => line.trim() !== '' && !isAboutThisMachine.test(line))
  const isRight = exitCode === 0 || complaints.length === 0
  if (!isRight) failed++
  process.stdout.write(`${file}: ${isRight ? 'right' : `wrong\n${complaints.join('\n')}`}\n`)
}
process.exit(failed === 0 ? 0 : 1)
