import type { DescribedApi } from '../../openapi/document.ts'
import { hostOperations } from './operations.ts'

/** The base address in the committed description: that of a host with the default settings. */
export const DESCRIBED_BASE = 'http://127.0.0.1:8081'

export const hostApi: DescribedApi = {
  title: 'Petstore sandboxes',
  summary: 'Private stores for lessons, tests and tools.',
  operations: hostOperations,
  server: 'This host.',
  introduction,
  tags: {
    Sandboxes: 'Private stores: their lifetime, their content and their clock.',
    Snapshots: 'Copies of the content of a sandbox, to which it can be reset.',
    Classes: 'Sandboxes of students, a lesson with checks, and a board for the teacher.',
    Failures: 'Rules for failures on demand.',
    'Planted faults': 'A store that is wrong on purpose, and says who noticed.',
    Requests: 'The last requests to a sandbox, with their responses.',
  },
  tagGroups: {
    Content: {
      description: 'The sandboxes and what is in them.',
      tags: ['Sandboxes', 'Snapshots', 'Classes'],
    },
    Experiments: {
      description: 'Failures, and what clients did.',
      tags: ['Failures', 'Planted faults', 'Requests'],
    },
  },
  key: 'The key of the sandbox: `adminKey` in the response that created it. For a class, that of its teacher.',
}

function introduction(base: string): string {
  return `Private stores for lessons, tests and tools: each with its own address, key and data, for a limited time.

## First call

\`\`\`sh
curl -X POST ${base}/sandboxes
\`\`\`

The response has the address of the store as \`baseUrl\`, and its key as \`adminKey\`. Every operation of a petstore
works under \`baseUrl\`; \`{baseUrl}/openapi.json\` describes them. This document describes the operations that control
a sandbox. All of them except \`createSandbox\` require the key of the sandbox; those of classes require the key of
the teacher, or the host key, which the host writes to the file \`host-key\` in its data directory. It is available in
[OpenAPI 3.1](${base}/openapi-sandboxes-3.1.yaml) and [3.2](${base}/openapi-sandboxes-3.2.yaml) too.

## Failures on demand

A rule makes calls fail: see \`PUT /sandboxes/{sandboxId}/faults\`. A single request to a store can also ask for a
failure with a header, such as \`Petstore-Fault: drop_after_commit\`. A response that a rule or this header has changed
carries \`Petstore-Fault\`.

## Conventions

- Every error is an \`Error\` with a code. \`x-error-codes\` lists the codes of each operation by status. If
  \`Accept\` names \`application/problem+json\`, the error is a problem (RFC 9457), with the additional
  members \`type\`, \`title\`, \`detail\` and \`instance\`.
- A PATCH is a JSON Merge Patch (RFC 7396), as \`application/json\` or \`application/merge-patch+json\`.
- Unknown members of a request are rejected (422). Later versions may add members to responses: ignore those you do not
  know.
- Every path that supports GET supports HEAD. Every path supports OPTIONS, which returns \`Allow\`.
- Pages of any origin may call the host from a browser.`
}
