import { serveWithWriter } from '../support/control-server.ts'

await serveWithWriter(new URL('./position-at-lease.ts', import.meta.url))
