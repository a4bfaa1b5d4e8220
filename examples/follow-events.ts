// Prints every event, from the oldest stored event, until it is stopped. The key needs the scope events:read.
//   BASE=http://127.0.0.1:8080 KEY=pst_... npx --no-install bun examples/follow-events.ts

const { BASE = 'http://127.0.0.1:8080', KEY = '' } = process.env
for (let url = `${BASE}/events?wait=30`; ; ) {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${KEY}` } })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  for (const event of JSON.parse(await response.text()))
    console.log(event.sequence, event.type, event.subject)
  // The link `next` is on every page. Store it to continue after a restart.
  url = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? url
}

export {}
