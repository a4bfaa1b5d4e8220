import { streamFaults, webhookFaults } from './faults-of-events.ts'
import { conditionFaults, idempotencyFaults, pagingFaults, securityFaults } from './faults-of-requests.ts'
import { headerFaults, schemaFaults, statusFaults } from './faults-of-responses.ts'
import { stateFaults } from './faults-of-state.ts'
import { type FaultClass, type FaultOfClass, faultClasses, type PlantedFault } from './planted-fault.ts'

const byClass: Readonly<Record<FaultClass, readonly FaultOfClass[]>> = {
  schema: schemaFaults,
  status: statusFaults,
  headers: headerFaults,
  conditions: conditionFaults,
  paging: pagingFaults,
  idempotency: idempotencyFaults,
  security: securityFaults,
  state: stateFaults,
  streams: streamFaults,
  webhooks: webhookFaults,
}

/** All faults that can be planted in a sandbox. */
export const plantableFaults: readonly PlantedFault[] = faultClasses.flatMap(name =>
  byClass[name].map(fault => ({ ...fault, class: name })),
)

/** What everybody may read about them. */
export const faultTexts = plantableFaults.map(({ id, class: name, summary, sign, clause, operations }) => ({
  id,
  class: name,
  summary,
  sign,
  clause,
  operations: [...operations],
}))
