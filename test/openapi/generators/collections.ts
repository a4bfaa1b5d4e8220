import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { openDemo, realNames } from '../../support/demo-store.ts'
import { ROOT } from '../../support/root.ts'
import { ADMIN_KEY } from '../../support/store.ts'
import { waitForAttempts } from '../../support/webhook-receipts.ts'
import { successOf } from '../description-session.ts'
import { readDocument } from '../document.ts'

/** One request of an imported collection, with only the parts that the collection enables. */
export interface CollectionRequest {
  readonly method: string
  /** The path, with its parameters as `:petId`. */
  readonly path: string
  readonly pathValues: Readonly<Record<string, string>>
  readonly query: readonly (readonly [string, string])[]
  readonly headers: readonly (readonly [string, string])[]
  readonly body?: string | undefined
}

const bearer: readonly [string, string] = ['Authorization', `Bearer ${ADMIN_KEY}`]

/**
 * Sends every request once, top to bottom, to a new demo store, which resolves host names as a real one does. Returns
 * a line for each request that failed, and for each operation that the collection lacks. `sharedHeaders` are sent with
 * each request; by default, the admin key.
 */
export async function runCollection(
  requests: readonly CollectionRequest[],
  sharedHeaders = [bearer],
): Promise<readonly string[]> {
  await using store = await openDemo(realNames)
  const { operations } = readDocument(parse(readFileSync(join(ROOT, 'openapi.yaml'), 'utf8')))
  const unsent = new Set(operations.keys())
  const failed: string[] = []
  for (const request of requests) {
    const template = request.path.replaceAll(/:(\w+)/g, '{$1}')
    const operation = [...operations.values()].find(
      ({ method, path }) => method === request.method && path === template,
    )
    if (!operation) {
      failed.push(`${request.method} ${template} is not described`)
      continue
    }
    unsent.delete(operation.operationId)
    // A delivery exists once its first attempt is stored; the attempt runs in the background.
    if (operation.operationId === 'redeliver') await waitForAttempts(store, 1)
    const status = await statusOf(store.base, { ...request, headers: [...request.headers, ...sharedHeaders] })
    const expected = successOf(operation).status
    if (status !== expected) failed.push(`${operation.operationId}: ${status}, not ${expected}`)
  }
  return [...failed, ...[...unsent].map(id => `${id} is not in the collection`)]
}

async function statusOf(base: string, request: CollectionRequest): Promise<number> {
  const path = request.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(request.pathValues[name] ?? ''),
  )
  const query = new URLSearchParams(
    request.query.map(([name, value]): [string, string] => [name, value]),
  ).toString()
  const response = await fetch(`${base}${path}${query && `?${query}`}`, {
    method: request.method,
    headers: request.headers.map(([name, value]): [string, string] => [name, value]),
    ...(request.body !== undefined && { body: request.body }),
  })
  // The stream of events must end by itself.
  await response.arrayBuffer()
  return response.status
}
