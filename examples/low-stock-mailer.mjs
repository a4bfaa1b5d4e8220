// Sends a mail when a pet is at or below its level (reorderAt), or, without a level, has fewer than LOW free units.
// There is no further mail until the pet is restocked.
//   KEY=pst_... node examples/low-stock-mailer.mjs          The key needs the scope events:read.
// Mails are about changes after the first start. The file STATE has the position, so a restart continues there.

import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const { BASE = 'http://127.0.0.1:8080', KEY = '', LOW = '2', STATE = 'low-stock.json' } = process.env
const headers = { Authorization: `Bearer ${KEY}` }
const FEED = '/events?type=petstore.inventory.changed&limit=100'

/** Sends one mail. Replace this with your mail server, for example with the package nodemailer. */
async function mail(subject) {
  process.stdout.write(`MAIL: ${subject}\n`)
}

// `next` is the path of the next page. `low` has the pets that are low. `isPast` is true until the events before the
// first start are read.
const state = await readFile(STATE, 'utf8').then(JSON.parse, () => ({ next: FEED, low: [], isPast: true }))
const low = new Set(state.low)

/** Handles the events of a page. Only the last event of each pet counts. */
async function handle(events) {
  const stocks = new Map(events.map(({ subject, data }) => [subject, data]))
  for (const [subject, { quantity, reserved, reorderAt }] of stocks) {
    const free = quantity - reserved
    const isLow = reorderAt === undefined ? free < Number(LOW) : quantity <= reorderAt
    if (!isLow) low.delete(subject)
    else if (!low.has(subject)) {
      // No mail is sent for the pets that were low before the first start: the console lists them.
      if (!state.isPast) await mail(`${subject} has ${free} left`)
      low.add(subject)
    }
  }
}

process.stdout.write(
  `Following ${BASE}; mails are about pets at their level, or with fewer than ${LOW} free units.\n`,
)
for (;;) {
  const wait = state.isPast ? 0 : 30
  const response = await fetch(`${BASE}${state.next}&wait=${wait}`, {
    headers,
    signal: AbortSignal.timeout(60_000),
  }).catch(error => error)
  if (response instanceof Response && response.ok) {
    const events = await response.json()
    await handle(events)
    // The link is absolute. Only its position is needed.
    const [, after] = /[?&]after=(\d+)[^>]*>; rel="next"/.exec(response.headers.get('link') ?? '') ?? []
    const next = after === undefined ? state.next : `${FEED}&after=${after}`
    if (next === state.next || events.length === 0) state.isPast = false
    state.next = next
    await writeFile(`${STATE}.new`, JSON.stringify({ ...state, low: [...low] }))
    await rename(`${STATE}.new`, STATE)
  } else if (response.status === 410) {
    // The next events were deleted while this program was off. It continues with the oldest that is left.
    state.next = FEED
  } else if (response.status === 401 || response.status === 403) {
    throw new Error(`The key is not accepted: ${await response.text()}`)
  } else {
    process.stderr.write(`The events cannot be read: ${response.status ?? response.message}\n`)
    await sleep(5000)
  }
}
