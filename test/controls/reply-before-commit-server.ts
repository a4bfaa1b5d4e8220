import { serveWithWriter } from '../support/control-server.ts'

await serveWithWriter(new URL('./reply-before-commit.ts', import.meta.url))
