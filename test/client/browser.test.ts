import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { INSECURE_HOST, launchBrowser } from '../support/browser.ts'
import { openDemo } from '../support/demo-store.ts'
import { ROOT } from '../support/root.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { ADMIN_KEY } from '../support/store.ts'

/** Returns a script that assigns the client module to the global variable `petstore`. */
async function browserScript(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-bundle-'))
  try {
    const entry = join(directory, 'entry.ts')
    const client = join(ROOT, 'src/client/petstore-client.ts')
    writeFileSync(
      entry,
      `import * as petstore from ${JSON.stringify(client)}\nglobalThis.petstore = petstore\n`,
    )
    const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', format: 'iife' })
    return (await outputs[0]?.text()) ?? ''
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** The program that runs in the page. It returns a line of text for each step. */
const storeProgram = `(async ({ baseUrl, key }) => {
  const store = petstore.createClient({ baseUrl, key })
  const lines = []
  const { data: page } = await store.listPets({ limit: 2 })
  lines.push(page.items.map(pet => typeof pet.id + ' ' + pet.name).join(', '))
  const missing = await store.getPet({ petId: 9007199254740993n }).catch(error => error)
  lines.push(missing.code + ': ' + missing.message)
  const { data: order } = await store.placeOrder({ body: { petId: 5 } })
  for await (const event of store.followEvents({ after: 0n, types: ['petstore.order.placed'] })) {
    if (event.data.id !== order.id) continue
    lines.push(event.type + ' ' + petstore.toJson(event.data))
    break
  }
  return lines
})`

test.each([
  ['a browser', '127.0.0.1', true],
  ['a browser without HTTPS, which is not a secure context,', INSECURE_HOST, false],
] as const)('in %s the client works', async (_, host, isSecure) => {
  await using store = await openDemo()
  const browser = await launchBrowser()
  const baseUrl = store.base.replace('127.0.0.1', host)
  try {
    const page = await browser.newPage()
    await page.goto(`${baseUrl}/livez`)
    expect(await page.evaluate<boolean>('isSecureContext')).toBe(isSecure)
    await page.evaluate(await browserScript())
    const options = JSON.stringify({ baseUrl, key: ADMIN_KEY })
    expect(await page.evaluate(`${storeProgram}(${options})`)).toEqual([
      'bigint Anansi (Rhodesian Ridgeback), bigint Argos (Greyhound)',
      'pet_not_found: Pet 9007199254740993 does not exist.',
      expect.stringMatching(
        /^petstore.order.placed {"id":1,"petId":5,"quantity":1,"complete":false,"createdAt":"[^"]+","petName".*}$/,
      ),
    ])
  } finally {
    await browser.close()
  }
})

/** A program that creates a sandbox in the page, uses it, and deletes it. */
const sandboxProgram = `(async host => {
  const sandbox = await petstore.createSandbox({ host })
  const lines = []
  await sandbox.faults([{ name: 'full', operation: 'placeOrder', effect: { type: 'error', code: 'storage_full' } }])
  const refused = await sandbox.placeOrder({ body: { petId: 3 } }, { retriesMax: 0 }).catch(error => error)
  lines.push(refused.code)
  const [entry] = await sandbox.requests({ limit: 1 })
  lines.push(entry.operationId + ' ' + entry.status + ' ' + typeof entry.status)
  await sandbox.delete()
  lines.push((await sandbox.listPets().catch(error => error)).code)
  return [...lines, await petstore.createSandbox().catch(error => error.name)]
})`

test('a page of another origin can create a sandbox and control it', async () => {
  await using store = await openDemo()
  await using host = await openSandboxHost()
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(`${store.base}/livez`)
    await page.evaluate(await browserScript())
    expect(await page.evaluate(`${sandboxProgram}(${JSON.stringify(host.base)})`)).toEqual([
      'storage_full',
      'placeOrder 503 bigint',
      'sandbox_not_found',
      'TypeError',
    ])
  } finally {
    await browser.close()
  }
})
