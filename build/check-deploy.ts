import { join } from 'node:path'

// `npm run check:deploy` checks each file in deploy/ with the tool that reads it, if there is one, and says which tools
// are missing.

const deploy = join(import.meta.dir, '../deploy')
/** The exposure of a unit that systemd accepts, in tenths: "safe" ends at 20, and 25 is asked for. */
const EXPOSURE_MAX = 25

interface DeployCheck {
  readonly file: string
  readonly command: readonly string[]
}

/** Returns the tool that reads a file, by its name; none for a file that only a person reads. */
function checksOf(file: string): DeployCheck[] {
  const path = join(deploy, file)
  const check = (...command: string[]): DeployCheck => ({ file, command })
  if (file.endsWith('haproxy.cfg')) return [check('haproxy', '-c', '-f', path)]
  if (file.endsWith('nginx.conf')) return [check('nginx', '-t', '-c', path)]
  if (file === 'Caddyfile') return [check('caddy', 'validate', '--adapter', 'caddyfile', '--config', path)]
  if (file === 'patroni/patroni.yml') return [check('patroni', '--validate-config', path)]
  if (file === 'monitoring/alerts.yml') return [check('promtool', 'check', 'rules', path)]
  if (file.startsWith('kubernetes/')) return [check('kubernetes-validate', '--strict', path)]
  if (file.endsWith('.timer')) return [check('systemd-analyze', 'verify', path)]
  if (file.endsWith('.service'))
    return [
      check('systemd-analyze', 'verify', path),
      check('systemd-analyze', 'security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, path),
    ]
  if (file === 'Containerfile')
    return [
      check('hadolint', path),
      check('podman', 'build', '--format', 'docker', '-f', path, join(deploy, '..')),
    ]
  return []
}

const checks = [...new Bun.Glob('**/*').scanSync(deploy)].sort().flatMap(checksOf)

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
