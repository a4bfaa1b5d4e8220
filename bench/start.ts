import { z } from 'zod'
import { freePort, programFile, runProgram, type ServerProcess, startServerProcess } from './child.ts'
import { cpuUs } from './cpu.ts'
import { type Figure, figureTable, medianFigure } from './figures.ts'
import { residentMib } from './memory.ts'
import type { Section } from './section.ts'
import {
  ADMIN_KEY,
  makeSqliteStore,
  openTempDirectory,
  PET_ID_FIRST,
  START_ENVIRONMENT,
  startStore,
} from './store.ts'

const STARTS = 15
const RESTS = 3
const SETTLE_MS = 5000
const PETS = 10_000
const CONNECTIONS = 64
const REQUESTS = 1_000_000
const REQUESTS_MS_MAX = 900_000

const MixedLoadResult = z.strictObject({ seconds: z.number() })

/** Measures how long a start takes, and the memory of the store at rest and after a million requests. */
export async function benchStart(): Promise<Section[]> {
  const starts = await measureStarts()
  const rest = await measureRest()
  const { figures, seconds } = await measureLoad()
  return [
    {
      title: 'Start and memory',
      about: [aboutStart(), aboutMemory(seconds), figureTable([...starts, rest, ...figures])],
      results: [],
      ratios: [],
    },
  ]
}

async function measureStarts(): Promise<Figure[]> {
  using files = openTempDirectory()
  const first: number[] = []
  const later: number[] = []
  for (let start = 1; start <= STARTS; start++) {
    const directory = files.folder(`store-${start}`)
    for (const times of [first, later]) {
      await using store = await startByDefault(directory)
      times.push(store.startedMs)
    }
    process.stderr.write(
      `  start ${start}/${STARTS}: ${first.at(-1)?.toFixed(0)}, ${later.at(-1)?.toFixed(0)} ms\n`,
    )
  }
  return [
    medianFigure(later, { unit: 'ms', required: 300, aim: 100, name: 'start of an existing store' }),
    medianFigure(first, { unit: 'ms', name: 'first start, with the demo shop' }),
  ]
}

async function measureRest(): Promise<Figure> {
  using files = openTempDirectory()
  const directory = files.folder('store')
  {
    await using _ = await startByDefault(directory)
  }
  const resident: number[] = []
  for (let rest = 0; rest < RESTS; rest++) {
    await using store = await startByDefault(directory)
    await Bun.sleep(SETTLE_MS)
    resident.push(residentMib(store))
  }
  return medianFigure(resident, { name: 'resident memory at rest', unit: 'MiB', required: 90 })
}

async function measureLoad(): Promise<{ figures: Figure[]; seconds: number }> {
  using files = openTempDirectory()
  const place = await makeSqliteStore(files.folder('store'), PETS, 'available')
  await using store = await startStore(place)
  const shop = { adminKey: ADMIN_KEY, petIdFirst: PET_ID_FIRST, pets: PETS }
  const plan = { port: store.port, connections: CONNECTIONS, requests: REQUESTS, ...shop }
  const beforeUs = cpuUs(store.pid)
  const { seconds } = MixedLoadResult.parse(
    JSON.parse(await runProgram('mixed-load.ts', plan, REQUESTS_MS_MAX)),
  )
  const cpuPerRequest = (cpuUs(store.pid) - beforeUs) / REQUESTS
  const after = { value: residentMib(store), unit: 'MiB', required: 160 } as const
  await Bun.sleep(SETTLE_MS)
  return {
    figures: [
      { name: 'resident memory after 1,000,000 requests', ...after },
      { name: 'the same after 5 s at rest', value: residentMib(store), unit: 'MiB' },
      { name: 'processor time of one of these requests', value: cpuPerRequest, unit: 'µs' },
    ],
    seconds,
  }
}

/** Starts the program as `npm start` does, with default settings except for the data directory and the port. */
function startByDefault(directory: string): Promise<ServerProcess> {
  const port = freePort()
  const environment = { ...START_ENVIRONMENT, PETSTORE_DATA: directory, PETSTORE_PORT: String(port) }
  return startServerProcess([programFile('../src/main.ts'), 'serve'], environment, port)
}

function aboutStart(): string {
  return (
    'The command is that of `npm start`, but without npm: `bun src/main.ts serve` with the environment variables ' +
    'that `npm start` sets, on SQLite with default settings. The time is from the creation of the process to its ' +
    'first response that is not 503; `GET /` is requested every few milliseconds. The value is the ' +
    `median of ${STARTS} starts, with the minimum and maximum. A first start finds an empty directory, creates the ` +
    'tables and keys, and loads the demo shop. The next start opens the same store.'
  )
}

function aboutMemory(seconds: number): string {
  return (
    `Memory is the resident memory of the process (VmRSS). At rest: ${SETTLE_MS / 1000} s after the start of the ` +
    `demo shop, the median of ${RESTS} starts. After ${REQUESTS.toLocaleString('en')} requests: the demo shop and ` +
    `${PETS.toLocaleString('en')} more pets, ${CONNECTIONS} connections, as fast as the store responds ` +
    `(${seconds.toFixed(0)} s). 60% read a random pet, 20% list pets with random filters, limits and cursors, 10% ` +
    'place an order, 5% read an order, and 5% set the stock of a pet. Every response must be a success.'
  )
}
