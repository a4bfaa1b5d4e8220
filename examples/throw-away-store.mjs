// Tests against a store of their own. The store has a free port and a temporary directory, and is deleted at the end,
// so several such files can run at the same time.
//   node --test examples/throw-away-store.mjs
// PETSTORE is the command that runs the store. By default, it is the package that is installed in your project.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

const START_MS_MAX = 30_000

/** Starts a store, and resolves when it is ready. */
async function startStore({ demo = false, env = {} } = {}) {
  const data = await mkdtemp(join(tmpdir(), 'petstore-'))
  const [command, ...args] = (process.env.PETSTORE ?? 'npx --no-install petstore').split(' ')
  const child = spawn(
    command,
    [...args, 'serve', '--port', '0', '--data', data, ...(demo ? [] : ['--no-demo'])],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const ended = new Promise(resolve => child.on('exit', resolve))
  // When the store is ready, it writes its address and its process id to this file.
  const [base, pid] = (await readWhenThere(join(data, 'address'), ended)).split('\n')
  const key = (await readFile(join(data, 'admin-key'), 'utf8')).trim()
  return {
    base,
    key,
    async stop() {
      // npx does not forward signals, so the signal goes to the store itself.
      process.kill(Number(pid))
      await ended
      await rm(data, { recursive: true, force: true })
    },
  }
}

async function readWhenThere(file, ended) {
  let hasEnded = false
  ended.then(() => {
    hasEnded = true
  })
  for (const deadline = Date.now() + START_MS_MAX; Date.now() < deadline && !hasEnded; await sleep(20)) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text !== '') return text
  }
  throw new Error('The store did not start.')
}

let store
before(async () => {
  store = await startStore()
})
after(() => store?.stop())

async function send(method, path, body) {
  return fetch(store.base + path, {
    method,
    headers: { Authorization: `Bearer ${store.key}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  })
}

test('the last unit is sold once', async () => {
  const category = await (await send('POST', '/categories', { name: 'Dogs' })).json()
  const pet = await (await send('POST', '/pets', { name: 'Rex', categoryId: category.id })).json()
  const orders = await Promise.all([1, 2, 3].map(() => send('POST', '/store/orders', { petId: pet.id })))
  assert.deepEqual(orders.map(({ status }) => status).sort(), [201, 409, 409])
})
