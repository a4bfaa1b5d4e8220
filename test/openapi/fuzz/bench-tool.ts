import { fuzz } from './run.ts'

// The fuzzer of the tests, as a tool of `petstore bench tool`: it writes what it finds to the file in FINDINGS.

const REQUESTS = 4000
const SEED = 20_261_129

/** What it says of every host: pages of other origins may call it, and it counts requests. */
const OF_EVERY_HOST = /the header vary is not described|ratelimit,ratelimit differ/

const { BASE = '', KEY = '', FINDINGS = '' } = process.env
const found = await fuzz({ url: BASE, key: KEY, requests: REQUESTS, seed: SEED, clients: 1 })
const findings = [...found]
  .map(([name, detail]) => ({ message: `${name}: ${detail}`, operation: name.split(' ')[0] }))
  .filter(({ message }) => !OF_EVERY_HOST.test(message))
await Bun.write(FINDINGS, JSON.stringify(findings))
console.log(`${findings.length} findings`)
