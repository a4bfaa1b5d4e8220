import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startProcess } from '../support/process.ts'
import { ROOT } from '../support/root.ts'

/** The pages whose commands are run, with the number of outputs that each shows. */
const pages: [page: string, outputs: number][] = [
  ['for-tool-makers.md', 12],
  ['events.md', 7],
  ['cli.md', 11],
  ['running.md', 5],
  ['testing.md', 4],
  ['shop.md', 4],
  ['history.md', 4],
  ['clients.md', 5],
  ['teaching.md', 6],
]

interface Block {
  readonly kind: string
  readonly lines: string
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8')
  return [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(match => ({
    kind: match[1] ?? '',
    lines: match[2] ?? '',
  }))
}

/**
 * Looks for a documented line in the actual output, from an index on. Returns the index after the match, or -1. `…`
 * matches any text within a line.
 */
function endOfMatch(output: string, documented: string, from: number): number {
  const pattern = documented
    .split('…')
    .map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^\\n]*?')
  const found = new RegExp(pattern, 'g')
  found.lastIndex = from
  return found.exec(output) ? found.lastIndex : -1
}

/** Returns the lines of documented output that the actual output lacks, or does not contain in this order. */
function missingLines(output: string, documented: string): string[] {
  let from = 0
  return documented.split('\n').filter(line => {
    if (line === '') return false
    const end = endOfMatch(output, line, from)
    if (end >= 0) from = end
    return end < 0
  })
}

test.each(pages)(
  'every command of %s has the output that the page shows',
  async (page, outputs) => {
    const home = mkdtempSync(join(tmpdir(), 'petstore-guides-'))
    const servers: ServerProcess[] = []
    const bases = new Map<string, string>()
    let definitions = ''
    let output = ''
    let compared = 0
    try {
      for (const { kind, lines } of blocksOf(page)) {
        if (kind === 'start') {
          const args = lines
            .trim()
            .replace(/^npm start -- /, 'serve ')
            .replace(/^petstore /, '')
            .split(' ')
          const port = args[args.indexOf('--port') + 1] ?? ''
          const data = join(home, args[args.indexOf('--data') + 1] ?? '')
          const serverArgs = args.map(arg => (arg === port ? '0' : arg.startsWith('./') ? data : arg))
          const server = await startProcess(serverArgs)
          servers.push(server)
          bases.set(`http://127.0.0.1:${port}`, server.base)
        } else if (kind === 'sh') {
          let commands = lines
            .replaceAll(/\$\(cat (data[\w-]*)\//g, `$(cat ${home}/$1/`)
            .replaceAll('--data data', `--data ${home}/data`)
            // Without npm, which takes longer to start than the command. Other tests start the command with npm.
            .replace(
              'petstore() { npm run --silent petstore --',
              `petstore() { ${process.execPath} src/main.ts`,
            )
            .replaceAll(' data/address', ` ${home}/data/address`)
            .replaceAll(/--(to|from|data) (backups|restored)/g, `--$1 ${home}/$2`)
            .replaceAll('PETSTORE_DATA=./', `PETSTORE_DATA=${home}/`)
          for (const [documented, base] of bases) commands = commands.replaceAll(documented, base)
          const child = Bun.spawn(['bash', '-euc', `${definitions}\n${commands}`], {
            cwd: ROOT,
            stdout: 'pipe',
            stderr: 'inherit',
            timeout: 120_000,
          })
          output = await new Response(child.stdout).text()
          expect([commands, await child.exited]).toEqual([commands, 0])
          definitions += commands
            .split('\n')
            .filter(line => /^((BASE|KEY|LATER)=|export |(petstore|post|order)\(\) )/.test(line))
            .join('\n')
          definitions += '\n'
        } else if (kind === 'output') {
          expect(missingLines(output, lines)).toEqual([])
          compared++
        }
      }
    } finally {
      for (const server of servers) await server[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true })
    }
    expect(compared).toBe(outputs)
  },
  120_000,
)

test('control: output that differs from the page is detected', () => {
  expect(missingLines('HTTP/1.1 200 OK\n{"id":7}\n', 'HTTP/1.1 200 OK\n{"id":…}\n')).toEqual([])
  expect(missingLines('{"id":7}\nHTTP/1.1 200 OK\n', 'HTTP/1.1 200 OK\n{"id":7}\n')).toEqual(['{"id":7}'])
  expect(missingLines('{"id":8}', '{"id":7}')).toEqual(['{"id":7}'])
})
