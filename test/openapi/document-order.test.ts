import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { openDemo } from '../support/demo-store.ts'
import { ROOT } from '../support/root.ts'
import { waitForAttempts } from '../support/webhook-receipts.ts'
import { sendExamples, successOf } from './description-session.ts'
import { readDocument } from './document.ts'

const described = readDocument(parse(readFileSync(join(ROOT, 'openapi.yaml'), 'utf8')))

test('the examples of every operation, sent in document order with all parameters, succeed as documented', async () => {
  await using store = await openDemo()
  const outcomes: string[] = []
  for (const operation of described.operations.values()) {
    // A delivery exists once its first attempt is stored; the attempt runs in the background.
    if (operation.operationId === 'redeliver') await waitForAttempts(store, 1)
    const { status } = await sendExamples(store, operation, { optional: true })
    outcomes.push(`${operation.operationId} ${status}`)
  }
  expect(outcomes).toEqual(
    [...described.operations.values()].map(
      operation => `${operation.operationId} ${successOf(operation).status}`,
    ),
  )
})
