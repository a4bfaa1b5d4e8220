/** Sends too many requests to one sandbox for some time. Arguments: kind, base address, key, duration in ms. */
const [kind = '', baseUrl = '', key = '', durationMs = '0'] = process.argv.slice(2)
const address = baseUrl.replace('/s/', '/sandboxes/')
const endMs = performance.now() + Number(durationMs)

async function send(method: string, url: string): Promise<void> {
  await (await fetch(url, { method, headers: { Authorization: `Bearer ${key}` } })).arrayBuffer()
}

const requests: Readonly<Record<string, { clients: number; send: () => Promise<void> }>> = {
  reads: { clients: 60, send: () => send('GET', `${baseUrl}/pets?limit=100`) },
  lists: { clients: 8, send: () => send('GET', `${baseUrl}/categories?limit=100`) },
  resets: { clients: 2, send: () => send('POST', `${address}/reset`) },
  snapshots: { clients: 2, send: () => send('PUT', `${address}/snapshots/one`) },
  logs: { clients: 4, send: () => send('GET', `${address}/requests?limit=1000`) },
}

const request = requests[kind]
if (!request) throw new Error(`there is no load ${kind}`)
await Promise.all(
  Array.from({ length: request.clients }, async () => {
    while (performance.now() < endMs) await request.send()
  }),
)

export {}
