import { expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeClient } from '../support/client.ts'
import { startProcess } from '../support/process.ts'
import { ROOT } from '../support/root.ts'

test('removing the data directory of a stopped store resets it, and removes no part of the program', async () => {
  const home = mkdtempSync(join(tmpdir(), 'petstore-reset-'))
  for (const part of ['src', 'demo', 'package.json', 'tsconfig.json']) {
    cpSync(join(ROOT, part), join(home, part), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'))
  const data = join(home, 'data')
  const args = ['serve', '--port', '0', '--data', data]
  for (let start = 0; start < 2; start++) {
    await using server = await startProcess(args, {}, join(home, 'src/main.ts'))
    const client = makeClient({
      base: server.base,
      key: (await Bun.file(`${data}/admin-key`).text()).trim(),
    })
    const { data: page } = await client.listCategories({ limit: 100 })
    expect(page.items).toHaveLength(16)
    await client.createCategory({ body: { name: 'Gone after the reset' } })
    expect(await server.kill('SIGTERM')).toBe(0)
    rmSync(data, { recursive: true })
  }
  rmSync(home, { recursive: true })
})
