import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { makeClient } from '../src/client/client.ts'
import { useEverything } from './client-session.ts'
import { openDemo } from './description-session.ts'
import { readDocument } from './document.ts'
import { openProxy } from './proxy.ts'
import { ADMIN_KEY } from './store.ts'
import { runScript, runTool, scratch } from './tool.ts'

const ROOT = join(import.meta.dir, '..')
const description = join(ROOT, 'openapi.yaml')
const text = readFileSync(description, 'utf8')
const TOOL_MS_MAX = 120_000

const withTypescriptApi = ['--preload', join(import.meta.dir, 'typescript-api.ts')]
const typeCheck =
  '--strict --noEmit --module preserve --target esnext --lib esnext,dom,dom.iterable --types'.split(' ')

/** Type-checks one program and what it imports; answers what is wrong with it. */
async function compile(program: string): Promise<string> {
  // The empty list of types: nothing of this project is to be seen.
  const { said } = await runTool('tsc', [...typeCheck, '', '--ignoreConfig', program])
  return said
}

describe('openapi-typescript', () => {
  const program = `
import type { components, paths } from './types.ts'

type Pet = paths['/pets/{petId}']['get']['responses'][200]['content']['application/json']
type Refusal = paths['/pets']['post']['responses'][422]['content']['application/json']
const pet: Pet = { id: 3, name: 'Biscuit', categoryId: 1, status: 'available' }
const order: components['schemas']['NewOrder'] = { petId: pet.id, quantity: 1, complete: false }
const refusal: Refusal = { code: 'unknown_reference', message: 'Category 404 does not exist.', status: 422 }
// @ts-expect-error: a pet has an id
const idless: Pet = { name: 'Nobody', categoryId: 1 }
// @ts-expect-error: there is no such status
const lost: Pet = { ...pet, status: 'lost' }
export const all = [pet, order, refusal, idless, lost]
`

  test(
    'makes types that compile, and that know a pet from what is none',
    async () => {
      using directory = scratch()
      const types = join(directory.path, 'types.ts')
      const cli = join(ROOT, 'node_modules', 'openapi-typescript', 'bin', 'cli.js')
      const made = await runScript(
        [...withTypescriptApi, cli, description, '--output', types],
        directory.path,
      )
      expect([made.exitCode, made.said.match(/warn|error/i)]).toEqual([0, null])
      writeFileSync(join(directory.path, 'program.ts'), program)
      expect(await compile(join(directory.path, 'program.ts'))).toBe('')
    },
    TOOL_MS_MAX,
  )
})

describe('@hey-api/openapi-ts', () => {
  const program = `
import { createCategory, createPet, getPet, listPets, placeOrder } from './sdk'
import { client } from './sdk/client.gen'

declare const process: { argv: string[] }
const [, , base = '', key = ''] = process.argv
client.setConfig({ baseUrl: base, auth: key })

const pets = await listPets({ query: { status: ['available'], limit: 2 } })
const category = await createCategory({ body: { name: 'Ferrets' }, throwOnError: true })
const pet = await createPet({ body: { name: 'Nimbus', categoryId: category.data.id }, throwOnError: true })
const order = await placeOrder({ body: { petId: pet.data.id }, throwOnError: true })
const refused = await getPet({ path: { petId: 404404 } })
console.log(JSON.stringify([pets.data?.length, pet.data.name, order.data.petId === pet.data.id, refused.error?.code]))
`

  test(
    'makes a client that compiles, lists pets, creates one and orders it',
    async () => {
      using directory = scratch()
      await using store = await openDemo()
      const cli = join(ROOT, 'node_modules', '@hey-api', 'openapi-ts', 'dist', 'run.mjs')
      const output = ['--input', description, '--output', join(directory.path, 'sdk'), '--no-log-file']
      const made = await runScript([...withTypescriptApi, cli, ...output], directory.path)
      expect([made.exitCode, made.said.match(/warn|error/i)]).toEqual([0, null])
      const file = join(directory.path, 'program.ts')
      writeFileSync(file, program)
      expect(await compile(file)).toBe('')
      const ran = await runScript([file, store.base, ADMIN_KEY], directory.path)
      expect(ran).toEqual({ exitCode: 0, said: '[2,"Nimbus",true,"pet_not_found"]\n' })
    },
    TOOL_MS_MAX,
  )
})

describe('Prism as a validating proxy', () => {
  /** The violations that Prism names in a session of our client through it, and what the session did. */
  async function proxied(file: string): Promise<{ violations: string[]; done: string[] }> {
    await using store = await openDemo()
    await using proxy = await openProxy(file, store.base)
    const violations: string[] = []
    const client = makeClient({
      base: proxy.base,
      key: ADMIN_KEY,
      fetch: async (url, init) => {
        const answer = await fetch(url, init)
        const found = answer.headers.get('sl-violations')
        if (found !== null) violations.push(`${init.method} ${url}: ${found}`)
        return answer
      },
    })
    return { violations, done: await useEverything(client) }
  }

  test(
    'finds no violation when every operation is used',
    async () => {
      const { violations, done } = await proxied(description)
      expect(violations).toEqual([])
      // A stream has no end, and Prism hands on what has ended.
      const ending = [...readDocument(parse(text)).operations.keys()].filter(id => id !== 'streamEvents')
      expect(done.sort()).toEqual(ending.sort())
    },
    TOOL_MS_MAX,
  )

  test(
    'control: an answer that is not as described is caught',
    async () => {
      using directory = scratch()
      const file = join(directory.path, 'openapi.yaml')
      writeFileSync(
        file,
        text.replace(
          '        - name\n        - categoryId\n        - id\n',
          '        - name\n        - owner\n',
        ),
      )
      const { violations } = await proxied(file)
      expect(violations.join('\n')).toContain("must have required property 'owner'")
    },
    TOOL_MS_MAX,
  )
})
