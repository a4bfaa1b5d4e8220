// Starts a store as main.ts does, and prints which modules each of these first requests loads.

export {}

const [, , directory = '', port = '', key = ''] = process.argv
process.argv.splice(2, process.argv.length, 'serve', '--port', port, '--data', directory)
await import('../../src/main.ts')
const base = `http://127.0.0.1:${port}`
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
const order = { method: 'POST', headers, body: '{"petId":4}' }
while (!(await fetch(`${base}/readyz`).catch(() => undefined))?.ok) await Bun.sleep(20)

const loaded = new Set(Object.keys(require.cache))
const loads: Record<string, number> = {}
for (const [path, init] of Object.entries({
  '/pets': {},
  '/store/orders': order,
  '/store/summary': { headers },
  '/nothing': {},
  '/console': {},
  '/metrics': { headers },
  '/openapi.yaml': {},
})) {
  await (await fetch(base + path, init)).text()
  const later = Object.keys(require.cache).filter(name => !loaded.has(name))
  for (const name of later) loaded.add(name)
  loads[path] = later.length
}
console.log(JSON.stringify(loads))
process.exit(0)
