import { readFileSync, writeFileSync } from 'node:fs'
import { pathOf } from './server.ts'

// Draws the plots of PERFORMANCE.md from bench/history. `npm run bench -- --write` does it, and so does this file.

const BAR = 16
const GAP = 14
const LEFT = 270
const WIDTH = 760
const TOP = 40

interface Bar {
  readonly label: string
  readonly value: number
  /** As it is written behind the bar. */
  readonly text: string
  readonly isOurs: boolean
}

interface Plot {
  readonly title: string
  /** Groups of bars, each with a heading. */
  readonly groups: readonly { readonly heading: string; readonly bars: readonly Bar[] }[]
}

const COLOURS = `.page { fill: #ffffff } text { fill: #0f172a } .bar { fill: #94a3b8 } .ours { fill: #0ca678 }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0f172a } text { fill: #f1f5f9 } .bar { fill: #64748b } .ours { fill: #38d9a9 }
    }`

/** Returns a plot of horizontal bars that share one scale from 0. */
function plotText({ title, groups }: Plot): string {
  const max = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)))
  const scale = (WIDTH - LEFT - 90) / max
  let y = TOP
  const parts = groups.flatMap(({ heading, bars }) => {
    y += GAP + (heading === '' ? 0 : BAR + 4)
    const head = `<text x="20" y="${y - 8}" font-weight="600">${heading}</text>`
    return [
      head,
      ...bars.map(({ label, value, text, isOurs }) => {
        const [width, line] = [Math.round(value * scale), y]
        y += BAR + 4
        return `<text x="${LEFT - 10}" y="${line + 12}" text-anchor="end">${label}</text>
  <rect class="${isOurs ? 'ours' : 'bar'}" x="${LEFT}" y="${line}" width="${width}" height="${BAR}"/>
  <text x="${LEFT + width + 8}" y="${line + 12}">${text}</text>`
      }),
    ]
  })
  const font = 'font-family="system-ui, sans-serif" font-size="13"'
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + GAP}" role="img" ${font}>
  <title>${title}</title>
  <style>
    ${COLOURS}
  </style>
  <rect class="page" width="${WIDTH}" height="${y + GAP}"/>
  <text x="20" y="${TOP - 12}" font-size="16" font-weight="600">${title}</text>
  ${parts.join('\n  ')}
</svg>
`
}

/** Returns the medians of the rows of a history whose names match, with the groups of the pattern. */
function mediansOf(
  part: string,
  pattern: RegExp,
): { names: readonly string[]; value: number; text: string }[] {
  const rows = readFileSync(pathOf(`history/${part}.txt`), 'utf8').matchAll(
    /^\| (.+?) \| \**([\d.,]+) (µs|x)?/gm,
  )
  return [...rows].flatMap(([, name = '', value = '', unit]) => {
    const [, ...names] = pattern.exec(name) ?? []
    return names.length > 0
      ? [{ names, value: Number(value.replaceAll(',', '')), text: unit ? `${value} ${unit}` : value }]
      : []
  })
}

const SIDES = ['petstore', 'cache off', 'Hono', 'Fastify', 'bare']
const READS = {
  'one path': 'One pet, again and again',
  'log-uniform of 100,000': 'A pet of 100,000, some far more often',
  'random of 100,000': 'A pet of 100,000 at random',
  '20 pets after a random one of 400 cursors': '20 pets, of 400 pages at random',
}

function readsPlot(): Plot {
  const all = mediansOf('reads', /^(.+): ([\w ]+), CPU per request$/)
  return {
    title: 'Processor time of a read beside others, in µs: less is better',
    groups: Object.entries(READS).map(([name, heading]) => ({
      heading,
      bars: all
        .filter(({ names: [read, side = ''] }) => read === name && SIDES.includes(side))
        .map(({ names: [, side = ''], value, text }) => ({
          label: side === 'cache off' ? 'petstore, cache off' : side === 'bare' ? 'a constant reply' : side,
          value,
          text,
          isOurs: side === 'petstore' || side === 'cache off',
        })),
    })),
  }
}

function clientsPlot(): Plot {
  const rates = mediansOf(
    'reads',
    /^log-uniform of 100,000, (\d+) at once: (petstore|Hono), requests per second$/,
  )
  const groups = Map.groupBy(rates, ({ names: [clients = ''] }) => clients)
  return {
    title: 'Reads of a pet in a second, by the number of clients: more is better',
    groups: [...groups].map(([clients, sides]) => ({
      heading: clients === '1' ? '1 client' : `${clients} clients`,
      bars: sides.map(({ names: [, label = ''], value, text }) => ({
        label,
        value,
        text,
        isOurs: label === 'petstore',
      })),
    })),
  }
}

function largePlot(): Plot {
  const ratios = mediansOf('large', /^(.+), of 1,000,000 against of 1,000$/)
  const bars = ratios.map(({ names: [read = ''], value, text }) => ({
    label: read,
    value,
    text,
    isOurs: true,
  }))
  return {
    title: 'Processor time of a read with 1,000,000 pets against 1,000: at most 1.5 x',
    groups: [{ heading: '', bars: bars.toSorted((one, other) => other.value - one.value) }],
  }
}

/** Returns the plots as SVG, by the names of their files in docs. */
export function plots(): Record<string, string> {
  return {
    'performance-reads.svg': plotText(readsPlot()),
    'performance-clients.svg': plotText(clientsPlot()),
    'performance-large.svg': plotText(largePlot()),
  }
}

export function drawPlots(): void {
  for (const [name, text] of Object.entries(plots())) writeFileSync(pathOf(`../docs/${name}`), text)
}

if (import.meta.main) drawPlots()
