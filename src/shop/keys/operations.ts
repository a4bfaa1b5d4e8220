import type { Operation } from '../../contract/operation.ts'
import { linksBy } from '../../contract/operation.ts'
import { enumParameter, idParameter, paging } from '../../contract/parameter.ts'
import { invalidCursor } from '../../contract/refusals.ts'
import { handoverNotFound, keyNotFound, lastAdminKey } from './refusals.ts'
import { ApiKey, CreatedApiKey, HandedOverKey, HandoverCode, KeyInclude, NewApiKey } from './schema.ts'

export const keys = {
  listKeys: {
    method: 'GET',
    path: '/keys',
    tag: 'Keys',
    summary: 'List keys',
    description:
      'Keys that are not revoked, in order of id, without their secrets. `include=revoked` adds the revoked ones.',
    scope: 'keys:manage',
    query: { ...paging, include: enumParameter(KeyInclude, 'Adds the revoked keys.') },
    success: { status: 200, list: ApiKey, description: 'A page of keys.' },
    errors: [invalidCursor()],
  },
  createKey: {
    method: 'POST',
    path: '/keys',
    tag: 'Keys',
    summary: 'Create a key',
    description: 'Only this response contains the secret: the store keeps only its hash.',
    scope: 'keys:manage',
    body: NewApiKey,
    success: { status: 201, resource: CreatedApiKey, description: 'The key, with its secret.' },
    secret: 'key',
    links: linksBy('keyId', '$response.body#/id', { revoke: ['revokeKey', 'Revoke the key.'] }),
  },
  getCurrentKey: {
    method: 'GET',
    path: '/keys/current',
    tag: 'Keys',
    summary: 'Read the key of the request',
    description:
      'The key that the request was sent with: its id, its scopes and its expiry, but not the key itself. With this operation, a client can check which operations it may use, and when it needs another key.',
    scope: 'any-key',
    success: { status: 200, resource: ApiKey, description: 'The key, without its secret.' },
    resourceHasEtag: true,
  },
  revokeKey: {
    method: 'DELETE',
    path: '/keys/{keyId}',
    tag: 'Keys',
    summary: 'Revoke a key',
    description:
      'The key is rejected from the next request on. A key can only revoke keys whose scopes it has. The last admin key without an expiry is not revoked: create another one first. `If-Match: *` matches every key that exists. If another value does not match, the 412 response has the current ETag of the key.',
    scope: 'keys:manage',
    pathParameters: { keyId: idParameter('The id of the key.', 2) },
    success: { status: 204, description: 'The key was revoked.' },
    resourceHasEtag: true,
    errors: [keyNotFound(404n), lastAdminKey(1n)],
  },
} as const satisfies Record<string, Operation>

/** How the console brings a new key to another browser. */
export const handovers = {
  handOverKey: {
    method: 'POST',
    path: '/keys/handovers',
    tag: 'Keys',
    summary: 'Exchange a key for a code that another browser can claim',
    scope: 'keys:manage',
    hidden: true,
    body: HandedOverKey,
    success: { status: 201, resource: HandoverCode, description: 'The code.' },
    secret: 'handover',
    errors: [handoverNotFound()],
  },
  claimKey: {
    method: 'POST',
    path: '/keys/claims',
    tag: 'Keys',
    summary: 'Exchange a code for its key, once',
    scope: 'public',
    hidden: true,
    body: HandoverCode,
    success: { status: 200, resource: HandedOverKey, description: 'The key.' },
    secret: 'claimed',
    isAuthentication: true,
    errors: [handoverNotFound()],
  },
} as const satisfies Record<string, Operation>
