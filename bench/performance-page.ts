import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const INTRODUCTION = `# Performance

Every ratio in the tables compares two sides in the same run: they take turns, round after round. The text above each
table says what both sides do. The benchmark program writes the tables:

    npm run bench -- --only reads --write
    npm run bench -- --only orders --write
    npm run bench -- --only postgres --write
    npm run bench -- --only events --write
    npm run bench -- --only peers --write
    npm run bench -- --only large --write
    npm run bench -- --only start --write

Absolute values, such as the time of a start, depend on the machine: a shared machine is half as fast while a
neighbour is busy. Ratios within one run are meaningful, because both sides had the same neighbours.
Repeat the run on your machine, and compare the ratios. The tables show medians, with the minimum and maximum of all
rounds. "CPU" is the processor time per request of the server process with all its threads, user and system. "Cores
busy" is that time divided by the elapsed time: a single-threaded server with 1.00 is limited only by its own CPU
time.
`

const END = '<!-- /bench -->'

/** Throws if another section of the page has one of these topics, because that topic would be on the page twice. */
export function assertTopicsFree(file: string, name: string): void {
  if (!existsSync(file)) return
  const topics = name.split(',')
  for (const [, other = ''] of readFileSync(file, 'utf8').matchAll(/^<!-- bench:(\S+) -->$/gm)) {
    const shared = other.split(',').filter(topic => topics.includes(topic))
    if (other === name || shared.length === 0) continue
    throw new Error(`${file} publishes ${shared.join(', ')} in the section ${other}: use --only ${other}`)
  }
}

/**
 * Writes a report between its markers, in place of the previous report. A new section is added after the last section;
 * a new page begins with an introduction.
 */
export function writePage(file: string, name: string, report: string): void {
  const begin = `<!-- bench:${name} -->`
  const page = existsSync(file) ? readFileSync(file, 'utf8') : INTRODUCTION
  const from = page.indexOf(begin)
  const block = `${begin}\n\n${report}\n\n${END}`
  const to = page.indexOf(END, from)
  if (from >= 0 && to < 0) throw new Error(`${file} has ${begin} without ${END}`)
  const written =
    from < 0 ? withNewBlock(page, block) : page.slice(0, from) + block + page.slice(to + END.length)
  writeFileSync(file, written)
}

function withNewBlock(page: string, block: string): string {
  const last = page.lastIndexOf(END)
  if (last < 0) return `${page}\n${block}\n`
  const at = last + END.length
  return `${page.slice(0, at)}\n\n${block}${page.slice(at)}`
}
