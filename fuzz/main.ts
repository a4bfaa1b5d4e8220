import { parseArgs } from 'node:util'
import { startOwnStore } from './own-store.ts'
import { reportText } from './report.ts'
import { fuzz } from './run.ts'

// bun fuzz/main.ts --requests 10000 --seed 1
//   [--url http://127.0.0.1:8080 --key pst_...] [--database-url postgres://...]
// Without --url it starts a store of its own and ends it. Exits with 1 when something was found.

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    url: { type: 'string' },
    key: { type: 'string' },
    'database-url': { type: 'string' },
  },
})
const requests = wholeNumber('--requests', values.requests)
const seed = wholeNumber('--seed', values.seed)

const { url, key } = values
if (url !== undefined) {
  if (key === undefined) throw new Error('--url needs --key, an admin key of that store')
  await run(url.replace(/\/$/, ''), key)
} else {
  await using store = await startOwnStore(values['database-url'])
  await run(store.url, store.key)
}

async function run(address: string, adminKey: string): Promise<void> {
  const report = await fuzz({ url: address, key: adminKey, requests, seed })
  process.stdout.write(reportText(report))
  process.exitCode = report.findings.length > 0 ? 1 : 0
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$|^0$/.test(text)) return Number(text)
  throw new Error(`${name} must be a whole number, not ${text}`)
}
