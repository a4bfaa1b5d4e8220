// A till: type the id of a pet, and the quantity if it is more than one. Each sale is a completed order.
//   KEY=pst_... node examples/till.mjs          The key needs the scope orders:write.
// A sale whose response is lost is sent again with the same receipt number, so it is booked once.

import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const { BASE = 'http://127.0.0.1:8080', KEY = '', TILL = '1' } = process.env
const ATTEMPTS_MAX = 5

async function sell(petId, quantity, receipt) {
  const request = {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${KEY}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': `"${receipt}"`,
    },
    // A pet id may have 19 digits, so it must not become a JavaScript number.
    body: `{"petId":${petId},"quantity":${quantity},"complete":true,"reference":"${receipt}"}`,
  }
  for (let attempt = 1; ; attempt++) {
    const signal = AbortSignal.timeout(10_000)
    const response = await fetch(`${BASE}/store/orders`, { ...request, signal }).catch(error => error)
    if (response instanceof Response && response.status !== 429 && response.status < 500) return response
    if (attempt === ATTEMPTS_MAX) throw new Error('The store does not respond. Write the sale down.')
    const seconds = response instanceof Response ? Number(response.headers.get('retry-after') ?? 1) : 1
    await sleep(seconds * 1000)
  }
}

const input = createInterface({ input: process.stdin })
process.stdout.write(`Till ${TILL}. Type "12" or "12 3" (pet, quantity); Ctrl-D ends.\n`)
for await (const line of input) {
  const [, petId, quantity = '1'] = /^\s*(\d{1,19})(?:\s+(\d{1,7}))?\s*$/.exec(line) ?? []
  if (petId === undefined) {
    process.stdout.write('Type the number of a pet.\n')
    continue
  }
  const receipt = `T${TILL}-${Date.now().toString(36)}`.toUpperCase()
  try {
    const response = await sell(petId, quantity, receipt)
    const { message } = response.ok ? {} : await response.json()
    process.stdout.write(response.ok ? `Sold. Receipt ${receipt}\n` : `Not sold: ${message}\n`)
  } catch (error) {
    process.stdout.write(`Not known whether it was sold (${receipt}): ${error.message}\n`)
  }
}
