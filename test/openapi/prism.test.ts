import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { makeClient } from '../support/client.ts'
import { useEveryOperation } from '../support/client-session.ts'
import { openDemo } from '../support/demo-store.ts'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { scratch } from '../support/tool.ts'
import { readDocument } from './document.ts'
import { openMock, openProxy } from './proxy.ts'

const description = join(ROOT, 'openapi.yaml')
const text = readFileSync(description, 'utf8')
const TOOL_MS_MAX = 120_000

describe('a validating proxy', () => {
  /**
   * Runs a session of our client through Prism. Returns the violations that Prism reports, and the operations that the
   * session used.
   */
  async function useThroughPrism(file: string): Promise<{ violations: string[]; operationIds: string[] }> {
    await using store = await openDemo()
    await using proxy = await openProxy(file, store.base)
    const violations: string[] = []
    const client = makeClient({
      base: proxy.base,
      key: ADMIN_KEY,
      fetch: async (url, init) => {
        const answer = await fetch(url, init)
        const violation = answer.headers.get('sl-violations')
        if (violation !== null) violations.push(`${init.method} ${url}: ${violation}`)
        return answer
      },
    })
    return { violations, operationIds: await useEveryOperation(client) }
  }

  test(
    'Prism as a validating proxy finds no violation when every operation is used',
    async () => {
      const { violations, operationIds } = await useThroughPrism(description)
      expect(violations).toEqual([])
      // A stream has no end, and Prism forwards only complete responses.
      const finite = [...readDocument(parse(text)).operations.keys()].filter(id => id !== 'streamEvents')
      expect(operationIds.sort()).toEqual(finite.sort())
    },
    TOOL_MS_MAX,
  )

  test(
    'control: a response that does not match the description is detected',
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
      const { violations } = await useThroughPrism(file)
      expect(violations.join('\n')).toContain("must have required property 'owner'")
    },
    TOOL_MS_MAX,
  )
})

test(
  'Prism as a mock server responds with the status that a request prefers, and the body has the same status',
  async () => {
    await using mock = await openMock(description)
    const answer = await fetch(`${mock.base}/store/orders`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${ADMIN_KEY}`,
        'Content-Type': 'application/json',
        Prefer: 'code=409',
      },
      body: '{"petId":3}',
    })
    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({ code: 'pet_not_available', status: 409 })
  },
  TOOL_MS_MAX,
)
