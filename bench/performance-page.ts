import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const INTRODUCTION = `# Performance

Every figure on this page compares the store with a limit or a peer in the same run: the two sides take turns, round
after round. Each table says what both sides do. The benchmark program writes the tables:

    npm run bench -- --only reads,orders --write

Absolute times on shared machines are not meaningful, and nothing here depends on them: the same machine is half as
fast while a neighbour is busy. Ratios within one run are meaningful, because both sides had the same neighbours.
Repeat the run on your machine, and compare the ratios. The tables show medians, with the minimum and maximum of all
rounds. "CPU" is the processor time per request of the server process with all its threads, user and system. "Cores
busy" is that time divided by the elapsed time: a single-threaded server with 1.00 is limited only by its own CPU
time.
`

/** Puts a report between its markers and replaces the previous one; creates the page if there is none. */
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
