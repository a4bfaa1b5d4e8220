import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from '../support/root.ts'
import { makePet } from '../support/shop.ts'
import { ADMIN_KEY, openTestStore } from '../support/store.ts'
import { scratch } from '../support/tool.ts'
import { driveThrough } from './conformance-drive.ts'
import { readDocument } from './document.ts'
import { openMock, openProxy } from './proxy.ts'

const description = join(ROOT, 'openapi.yaml')
const text = readFileSync(description, 'utf8')
/** The header in which Prism reports what does not match the description. */
const VIOLATIONS = 'sl-violations'
const TOOL_MS_MAX = 120_000

test(
  'Prism as a validating proxy finds no violation when every operation is used',
  async () => {
    await using store = await openTestStore('sqlite')
    await using proxy = await openProxy(description, store.base)
    const observed = await driveThrough(proxy, store)
    // A stream has no end, and Prism forwards only complete responses.
    const finite = [...readDocument(parse(text)).operations.keys()].filter(id => id !== 'streamEvents')
    expect(observed.map(({ operationId }) => operationId).sort()).toEqual(finite.sort())
    const violations = observed.flatMap(({ operationId, headers }) => {
      const violation = headers.get(VIOLATIONS)
      return violation === null ? [] : [`${operationId}: ${violation}`]
    })
    expect(violations).toEqual([])
  },
  TOOL_MS_MAX,
)

test(
  'control: a response that does not match the description is detected by Prism',
  async () => {
    using directory = scratch()
    const file = join(directory.path, 'openapi.yaml')
    const required = '        - name\n        - categoryId\n        - id\n'
    writeFileSync(file, text.replace(required, '        - name\n        - owner\n'))
    await using store = await openTestStore('sqlite')
    const { petId } = await makePet(store.client)
    await using proxy = await openProxy(file, store.base)
    const { headers } = await fetch(`${proxy.base}/pets/${petId}`)
    expect(headers.get(VIOLATIONS)).toContain("must have required property 'owner'")
  },
  TOOL_MS_MAX,
)

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
