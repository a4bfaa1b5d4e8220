import type { Slips } from '../slip.ts'

export const contractSlips: Slips = {
  'src/contract/refusals-of.ts': [
    {
      before: `add(isWrite, http.storageFull())`,
      after: `add(isCommand, http.storageFull())`,
      breaks: 'the description of a host of sandboxes does not say that its disk can be full',
      tests: [
        'test/openapi/sandbox-description.test.ts: each operation that writes, or opens the store of a sandbox',
      ],
    },
  ],
  'src/contract/scopes.ts': [
    {
      before: `return scope === 'audit:read' && scopes.includes('keys:manage')`,
      after: `return scope === 'audit:read' && scopes.length > 1 && scopes.includes('keys:manage')`,
      breaks: 'an old key with keys:manage can no longer read the audit log',
      tests: [
        'test/shop/audit-log.test.ts: audit:read gives access only to the audit log, and keys:manage includes it',
      ],
    },
  ],
}
