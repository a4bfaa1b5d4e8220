import type { QueriesOf } from '../kernel/handlers.ts'
import { listAudit } from './audit.ts'
import { listEvents } from './feed.ts'
import type { events } from './operations.ts'

export const eventQueries: QueriesOf<typeof events> = { listEvents, listAudit }
