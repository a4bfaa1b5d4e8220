// Mails when a pet is about to run out: once, until it is stocked up again.
//   KEY=pst_... node examples/low-stock-mailer.mjs          The key needs the scope events:read.
// It follows the events, and stores how far it is, so that after a restart it misses nothing and mails nothing twice.

import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const { BASE = 'http://127.0.0.1:8080', KEY = '', LOW = '2', STATE = 'low-stock.json' } = process.env
const headers = { Authorization: `Bearer ${KEY}` }

/** Sends one mail. Replace this with your mail server, for example with the package nodemailer. */
async function mail(subject) {
  process.stdout.write(`MAIL: ${subject}\n`)
}

// `next` is where to continue, and `low` has the pets that were mailed.
const state = await readFile(STATE, 'utf8').then(JSON.parse, () => ({ next: undefined, low: [] }))
const low = new Set(state.low)

async function save(next) {
  await writeFile(`${STATE}.new`, JSON.stringify({ next, low: [...low] }))
  await rename(`${STATE}.new`, STATE)
}

async function handle({ subject, data }) {
  const free = data.quantity - data.reserved
  if (free >= Number(LOW)) low.delete(subject)
  else if (!low.has(subject)) {
    await mail(`${subject} has ${free} left`)
    low.add(subject)
  }
}

let url = state.next ?? `${BASE}/events?type=petstore.inventory.changed&wait=30&limit=100`
for (;;) {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(60_000) }).catch(error => error)
  if (response instanceof Response && response.ok) {
    for (const event of await response.json()) await handle(event)
    url = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? url
    await save(url)
  } else if (response.status === 410) {
    // The events were deleted before this program read them: it was off for too long.
    url = `${BASE}/events?type=petstore.inventory.changed&wait=30&limit=100`
  } else if (response.status === 401 || response.status === 403) {
    throw new Error(`The key is not accepted: ${await response.text()}`)
  } else {
    await sleep(5000)
  }
}
