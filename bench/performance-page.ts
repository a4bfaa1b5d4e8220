import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const INTRODUCTION = `# Performance

Every figure here was measured side by side in one run, in turn, round after round: the store, and the limit
or the peer that it is held against. Each table says what both sides do. The program that measures writes the
tables:

    npm run bench -- --only reads,orders --write

Bare times on shared machines mean nothing, and nothing here rests on them: the same machine is half as fast
when a neighbour works. Ratios within one run do mean something, since both sides had the same neighbours. So
repeat the run on your machine, and compare ratios. Shown are medians, with the least and the most of all
rounds. "CPU" is the processor time of the server's process with all its threads, user and system, for each
request; "cores busy" is that time by the clock's: a server on one thread that keeps 1.00 busy was held up by
nothing else.
`

/** Puts a report between its markers, in place of what stood there; makes the page where there is none. */
export function writePage(file: string, name: string, report: string): void {
  const [begin, end] = [`<!-- bench:${name} -->`, '<!-- /bench -->']
  const page = existsSync(file) ? readFileSync(file, 'utf8') : INTRODUCTION
  const from = page.indexOf(begin)
  const block = `${begin}\n\n${report}\n\n${end}`
  const to = page.indexOf(end, from)
  if (from >= 0 && to < 0) throw new Error(`${file} has ${begin} without ${end}`)
  const written = from < 0 ? `${page}\n${block}\n` : page.slice(0, from) + block + page.slice(to + end.length)
  writeFileSync(file, written)
}
