import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command, type ServerProcess, startProcess } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { until } from '../support/until.ts'

/** The pages whose commands are run, with the number of outputs that each shows. */
const pages: [page: string, outputs: number][] = [
  ['for-tool-makers.md', 2],
  ['events.md', 5],
  ['cli.md', 2],
  ['running.md', 5],
  ['testing.md', 1],
  ['shop.md', 7],
  ['clients.md', 2],
  ['agents.md', 1],
  ['teaching.md', 8],
  ['lesson.md', 22],
  ['sandboxes.md', 5],
  ['bench.md', 2],
]

interface Block {
  readonly kind: string
  readonly lines: string
}

/** The section of teaching.md that a teacher does before the lesson: its commands come before those of the students. */
const PREPARATION = '\n## Prepare the lesson\n'

/** Returns the code blocks of a page, or of one of its sections. */
function blocksOf(page: string, section?: string): Block[] {
  const guide = readFileSync(join(ROOT, 'docs', page), 'utf8')
  const text = section === undefined ? guide : (guide.split(section)[1]?.split('\n## ')[0] ?? '')
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

/** One run of the blocks of a page: starts their programs, runs their commands in a shell, and compares outputs. */
class PageRun implements AsyncDisposable {
  readonly #home = mkdtempSync(join(tmpdir(), 'petstore-guides-'))
  /** The running programs by the address that the page shows. */
  readonly #programs = new Map<string, ServerProcess>()
  #latest: ServerProcess | undefined
  /** The names of the variables that the commands have set. */
  readonly #variables = new Set<string>()
  /** Shell commands that set these variables and define the functions of the earlier blocks. */
  #state = ''
  #output = ''
  #compared = 0

  /** The number of outputs that were compared. */
  get compared(): number {
    return this.#compared
  }

  async run({ kind, lines }: Block): Promise<void> {
    if (kind === 'start') await this.#start(lines)
    else if (kind === 'sh') this.#output = await this.#runInShell(lines)
    else if (kind === 'output') this.#compare(this.#output, lines)
    else if (kind === 'received') await this.#compareReceived(lines)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const program of this.#programs.values()) await program[Symbol.asyncDispose]()
    rmSync(this.#home, { recursive: true, force: true })
  }

  /** Starts a program on a free port. A second program for the same documented port replaces the first one. */
  async #start(lines: string): Promise<void> {
    const words = lines.replaceAll('\\\n', ' ').trim().split(/\s+/)
    const first = words.findIndex(word => !/^[A-Z_]+=/.test(word))
    const environment = Object.fromEntries(words.slice(0, first).map(word => word.split('=', 2)))
    const args = words
      .slice(first)
      .join(' ')
      .replace(/^npm start -- /, 'serve ')
      .replace(/^petstore /, '')
      .replaceAll(/\$([A-Z]+)/g, (_, name: string) => this.#valueOf(name))
      .split(' ')
    const port = args[args.indexOf('--port') + 1] ?? ''
    const documented = `http://127.0.0.1:${port}`
    const earlier = this.#programs.get(documented)
    await earlier?.[Symbol.asyncDispose]()
    const actualPort = earlier ? new URL(earlier.base).port : '0'
    const actual = args.map(arg =>
      arg === port ? actualPort : arg.startsWith('./') ? join(this.#home, arg) : arg,
    )
    this.#latest = await startProcess(actual, environment)
    this.#programs.set(documented, this.#latest)
  }

  /** Runs the commands of a block in a shell with the variables and functions of the earlier blocks. */
  async #runInShell(lines: string): Promise<string> {
    const commands = this.#withActualPlaces(lines)
    for (const [, name = ''] of lines.matchAll(/^\s*(?:export )?([A-Za-z_]+)=/gm)) this.#variables.add(name)
    const stateFile = join(this.#home, 'shell-state')
    const names = [...this.#variables].join(' ')
    const save = `{ for name in ${names}; do declare -p $name || true; done; declare -f; } > ${stateFile} 2> /dev/null`
    const child = Bun.spawn(['bash', '-euc', `${this.#state}\n${commands}\n${save}`], {
      cwd: ROOT,
      stdout: 'pipe',
      stderr: 'inherit',
      timeout: 120_000,
    })
    const output = await new Response(child.stdout).text()
    expect([commands, await child.exited]).toEqual([commands, 0])
    this.#state = readFileSync(stateFile, 'utf8')
    return output
  }

  /** Returns commands with the addresses and files of this run. */
  #withActualPlaces(lines: string): string {
    const home = this.#home
    const commands = lines
      .replaceAll(/\$\(cat (data[\w-]*)\//g, `$(cat ${home}/$1/`)
      .replaceAll('--data data', `--data ${home}/data`)
      // The commands run without npm, because npm takes longer to start than a command. Other tests run npm.
      .replace('petstore() { npm run --silent petstore --', `petstore() { ${command([]).line.join(' ')}`)
      .replaceAll(' data/address', ` ${home}/data/address`)
      .replaceAll(/--(to|from|data) (backups|restored)/g, `--$1 ${home}/$2`)
      .replaceAll(/ (class\.(?:csv|txt|html|link))/g, ` ${home}/$1`)
      .replaceAll(/ @(data[\w-]*)\//g, ` @${home}/$1/`)
      .replaceAll('PETSTORE_DATA=./', `PETSTORE_DATA=${home}/`)
    return [...this.#programs].reduce(
      (text, [documented, { base }]) => text.replaceAll(documented, base.replace(/\/$/, '')),
      commands,
    )
  }

  /** Returns the value of a variable of the shell. */
  #valueOf(name: string): string {
    return new RegExp(`^declare -[-x]+ ${name}="(.*)"$`, 'm').exec(this.#state)?.[1] ?? ''
  }

  #compare(output: string, documented: string): void {
    expect(missingLines(output, documented)).toEqual([])
    this.#compared++
  }

  /** Waits until the program that was started last has printed what the page shows. */
  async #compareReceived(documented: string): Promise<void> {
    const received = (): string => this.#latest?.logged() ?? ''
    const isComplete = (): boolean => missingLines(received(), documented).length === 0
    await until('the program has printed what the page shows', isComplete, 20_000).catch(() => {})
    this.#compare(received(), documented)
  }
}

test.each(pages)(
  'every command of %s has the output that the page shows',
  async (page, outputs) => {
    await using pageRun = new PageRun()
    const preparation = page === 'lesson.md' ? blocksOf('teaching.md', PREPARATION) : []
    for (const block of [...preparation, ...blocksOf(page)]) await pageRun.run(block)
    expect(pageRun.compared).toBe(outputs)
  },
  120_000,
)

test('control: output that differs from the page is detected', () => {
  expect(missingLines('HTTP/1.1 200 OK\n{"id":7}\n', 'HTTP/1.1 200 OK\n{"id":…}\n')).toEqual([])
  expect(missingLines('{"id":7}\nHTTP/1.1 200 OK\n', 'HTTP/1.1 200 OK\n{"id":7}\n')).toEqual(['{"id":7}'])
  expect(missingLines('{"id":8}', '{"id":7}')).toEqual(['{"id":7}'])
})
