import { freePort, programFile, type ServerProcess, startServerProcess } from './child.ts'
import { generateReads } from './generate.ts'
import { assertSame, rawGet } from './raw-reply.ts'
import { type Contestant, interleave, type Schedule } from './sample.ts'
import type { Ratio, Section } from './section.ts'
import { makeSqliteStore, openWorkplace, startStore } from './store.ts'

const CONNECTIONS = 64
const LIST_PETS = 100_000

const GET_TARGET = '/pets/1'
const LIST_TARGET = '/pets?limit=20&status=available'

/** Reads of the store, compared with the bare runtime that sends the same bytes. */
export async function benchReads(schedule: Schedule): Promise<Section[]> {
  using workplace = openWorkplace()
  const demo = await makeSqliteStore(workplace.folder('demo'), 0, 'mixed')
  const large = await makeSqliteStore(workplace.folder('large'), LIST_PETS, 'mixed')
  await using demoStore = await startStore(demo)
  await using largeStore = await startStore(large)
  const get = await compare('getPet', demoStore, GET_TARGET, schedule, { must: 0.45, aim: 0.75 })
  const list = await compare('listPets', largeStore, LIST_TARGET, schedule, { must: 0.2, aim: 0.5 })
  return [
    {
      ...get,
      title: 'getPet: one pet by its id',
      about: [
        `\`GET ${GET_TARGET}\` of the demo shop on SQLite, ${CONNECTIONS} connections: rate limit, ` +
          'validation, ETag, lifecycle headers, metrics and a log line per request (to /dev/null) are all ' +
          'enabled. The bare server creates a Response from one constant body and one constant Headers per ' +
          'request; the runtime sends the static reply without JavaScript. All three send the same body and ' +
          'the same headers, which the run checks.',
      ],
    },
    {
      ...list,
      title: 'listPets: the first 20 of 100,000',
      about: [
        `\`GET ${LIST_TARGET}\` on SQLite with ${LIST_PETS.toLocaleString('en')} pets, ${CONNECTIONS} ` +
          'connections, against bare servers that send the same bytes.',
      ],
    },
  ]
}

async function compare(
  measure: string,
  store: ServerProcess,
  target: string,
  schedule: Schedule,
  limits: { must: number; aim: number },
): Promise<Pick<Section, 'results' | 'ratios'>> {
  await using bare = await startBare(store, target, false)
  await using fixed = await startBare(store, target, true)
  const { body } = await rawGet(store.port, target)
  const bodyBytes = Buffer.byteLength(body)
  const contestant = (name: string, { port, pid }: ServerProcess): Contestant => ({
    name,
    run: seconds => generateReads({ port, pid, connections: CONNECTIONS, seconds }, target, bodyBytes),
  })
  const results = await interleave(
    [
      contestant(`${measure}, petstore`, store),
      contestant('bare Bun.serve', bare),
      contestant('bare Bun.serve, static reply', fixed),
    ],
    schedule,
  )
  const [ours, against, againstStatic] = results
  if (!ours || !against || !againstStatic) throw new Error('a contestant has no result')
  const ratios: Ratio[] = [
    { measure: `${measure} against the bare runtime`, of: ours, against, target: limits, unit: '%' },
    { measure: `${measure} against a static reply`, of: ours, against: againstStatic, unit: '%' },
  ]
  return { results, ratios }
}

/** Starts a bare server that responds as the store does. Throws unless the replies are the same. */
async function startBare(store: ServerProcess, target: string, isStatic: boolean): Promise<ServerProcess> {
  const wanted = await rawGet(store.port, target)
  // The runtime adds these itself, to every reply of either server.
  const own = ['Date', 'Content-Length']
  const headers = Object.fromEntries([...wanted.headers].filter(([name]) => !own.includes(name)))
  const port = freePort()
  const input = JSON.stringify({ port, isStatic, body: wanted.body, headers })
  const bare = await startServerProcess([programFile('bare-server.ts'), input], {}, port)
  assertSame(await rawGet(store.port, target), await rawGet(bare.port, target))
  return bare
}
