import { clientApi } from './client-api.ts'
import { clientSandboxApi } from './client-sandbox-api.ts'

const { types, operations } = clientApi()
await Bun.write('src/client/api-types.ts', types)
await Bun.write('src/client/operations.ts', operations)
await Bun.write('src/client/sandbox-api.ts', clientSandboxApi())
