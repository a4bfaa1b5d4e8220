import { join } from 'node:path'

// `npm run check:deploy` checks each file in deploy/, except the dashboard, with the tool that reads it. It also says
// which tools are missing.

const deploy = join(import.meta.dir, '../deploy')

const checks: readonly { readonly file: string; readonly command: readonly string[] }[] = [
  { file: 'haproxy.cfg', command: ['haproxy', '-c', '-f', join(deploy, 'haproxy.cfg')] },
  { file: 'nginx.conf', command: ['nginx', '-t', '-c', join(deploy, 'nginx.conf')] },
  {
    file: 'sandboxes-haproxy.cfg',
    command: ['haproxy', '-c', '-f', join(deploy, 'sandboxes-haproxy.cfg')],
  },
  {
    file: 'sandboxes-nginx.conf',
    command: ['nginx', '-t', '-c', join(deploy, 'sandboxes-nginx.conf')],
  },
  {
    file: 'patroni/patroni.yml',
    command: ['patroni', '--validate-config', join(deploy, 'patroni/patroni.yml')],
  },
  {
    file: 'backup/petstore-backup.service',
    command: ['systemd-analyze', 'verify', join(deploy, 'backup/petstore-backup.service')],
  },
  {
    file: 'backup/petstore-backup.timer',
    command: ['systemd-analyze', 'verify', join(deploy, 'backup/petstore-backup.timer')],
  },
  {
    file: 'monitoring/alerts.yml',
    command: ['promtool', 'check', 'rules', join(deploy, 'monitoring/alerts.yml')],
  },
  { file: 'petstore.service', command: ['systemd-analyze', 'verify', join(deploy, 'petstore.service')] },
  {
    file: 'petstore@.service',
    command: ['systemd-analyze', 'verify', join(deploy, 'petstore@.service')],
  },
  {
    file: 'petstore-sandboxes.service',
    command: ['systemd-analyze', 'verify', join(deploy, 'petstore-sandboxes.service')],
  },
  {
    file: 'Containerfile',
    command: [
      'podman',
      'build',
      '--format',
      'docker',
      '-f',
      join(deploy, 'Containerfile'),
      join(deploy, '..'),
    ],
  },
]

/** The pattern of messages about this machine instead of the file: nothing of deploy/ is installed here. */
const ABOUT_THIS_MACHINE =
  /is not executable: No such file|is not reachable|is already in use|directory .* does not exist/i

let failedCount = 0
for (const { file, command } of checks) {
  const [tool = ''] = command
  if (Bun.which(tool) === null) {
    process.stdout.write(`${file}: skipped, ${tool} is not installed\n`)
    continue
  }
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { stdout: 'pipe', stderr: 'pipe' })
  const faults = `${stdout}${stderr}`
    .split('\n')
    .filter(line => line.trim() !== '' && !ABOUT_THIS_MACHINE.test(line))
  const isValid = exitCode === 0 || faults.length === 0
  if (!isValid) failedCount++
  process.stdout.write(`${file}: ${isValid ? 'valid' : `invalid\n${faults.join('\n')}`}\n`)
}
process.exit(failedCount === 0 ? 0 : 1)
