import { ApiKey, CreatedApiKey, NewApiKey } from '../model/key.ts'
import type { Operation } from './operation.ts'
import { idParameter, paging } from './parameter.ts'

export const keys = {
  listKeys: {
    method: 'GET',
    path: '/keys',
    tag: 'Keys',
    summary: 'List keys',
    description: 'Keys that were not revoked, in order of id, without their secrets.',
    scope: 'keys:manage',
    stability: 'stable',
    reads: 'scan',
    query: paging,
    success: { status: 200, list: ApiKey, description: 'A page of keys.' },
    errors: ['invalid_cursor'],
  },
  createKey: {
    method: 'POST',
    path: '/keys',
    tag: 'Keys',
    summary: 'Create a key',
    description: 'The secret is in this reply and nowhere else: only its hash is kept.',
    scope: 'keys:manage',
    stability: 'stable',
    body: NewApiKey,
    success: { status: 201, resource: CreatedApiKey, description: 'The key, with its secret.' },
    secret: 'key',
    errors: [],
  },
  revokeKey: {
    method: 'DELETE',
    path: '/keys/{keyId}',
    tag: 'Keys',
    summary: 'Revoke a key',
    description:
      'It is refused from the next request on. A key can revoke only keys whose scopes it holds. `If-Match: *` is always true of a key that exists; a 412 shows its ETag.',
    scope: 'keys:manage',
    stability: 'stable',
    pathParameters: { keyId: idParameter('The id of the key.', 2) },
    success: { status: 204, description: 'The key is revoked.' },
    etag: true,
    errors: ['key_not_found'],
  },
} as const satisfies Record<string, Operation>
