import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environmentOf, plainText } from './published.ts'

const END = '<!-- /bench -->'

/** Throws if another section of the page has one of these topics, because that topic would be on the page twice. */
export function assertTopicsFree(file: string, name: string): void {
  const topics = name.split(',')
  for (const [, other = ''] of readFileSync(file, 'utf8').matchAll(/^<!-- bench:(\S+) -->$/gm)) {
    const shared = other.split(',').filter(topic => topics.includes(topic))
    if (other === name || shared.length === 0) continue
    throw new Error(`${file} publishes ${shared.join(', ')} in the section ${other}: use --only ${other}`)
  }
}

/** Writes a text between its markers, in place of the previous text. A new section is added after the last section. */
export function writePage(file: string, name: string, text: string): void {
  const begin = `<!-- bench:${name} -->`
  const page = readFileSync(file, 'utf8')
  const from = page.indexOf(begin)
  const block = `${begin}\n\n${text}\n\n${END}`
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

/** Writes a report as plain text into a new file of a directory, and returns its name. No run replaces another one. */
export function writeHistory(directory: string, name: string, report: string): string {
  const { commit, date } = environmentOf(report)
  const stem = `${date.slice(0, 10)}-${commit.slice(0, 8)}-${name.replaceAll(',', '-')}`
  mkdirSync(directory, { recursive: true })
  let file = `${stem}.txt`
  for (let run = 2; existsSync(join(directory, file)); run++) file = `${stem}-${run}.txt`
  writeFileSync(join(directory, file), plainText(report))
  return file
}
