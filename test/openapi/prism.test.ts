import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY, openTestStore } from '../support/store.ts'
import { scratch } from '../support/tool.ts'
import { driveThrough } from './conformance-drive.ts'
import { readDocument } from './document.ts'
import { openMock, openProxy } from './proxy.ts'

const description = join(ROOT, 'openapi.yaml')
const text = readFileSync(description, 'utf8')
const TOOL_MS_MAX = 120_000

describe('a validating proxy', () => {
  /** Sends every request of the conformance test through Prism. Returns the violations that Prism reports. */
  async function useThroughPrism(file: string): Promise<string[]> {
    await using store = await openTestStore('sqlite')
    await using proxy = await openProxy(file, store.base)
    const observed = await driveThrough(proxy, store)
    // A stream has no end, and Prism forwards only complete responses.
    const finite = [...readDocument(parse(text)).operations.keys()].filter(id => id !== 'streamEvents')
    expect(observed.map(({ operationId }) => operationId).sort()).toEqual(finite.sort())
    return observed.flatMap(({ operationId, headers }) => {
      const violation = headers.get('sl-violations')
      return violation === null ? [] : [`${operationId}: ${violation}`]
    })
  }

  test(
    'Prism as a validating proxy finds no violation when every operation is used',
    async () => expect(await useThroughPrism(description)).toEqual([]),
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
      const violations = await useThroughPrism(file)
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
