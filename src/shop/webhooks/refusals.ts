import { StoreError } from '../../contract/error.ts'
import { WEBHOOKS_MAX } from './schema.ts'

export function webhookNotFound(webhookId: bigint): StoreError {
  return new StoreError('webhook_not_found', `Webhook ${webhookId} does not exist.`)
}

export function deliveryNotFound(webhookId: bigint, deliveryId: bigint): StoreError {
  return new StoreError('delivery_not_found', `Webhook ${webhookId} has no delivery ${deliveryId}.`)
}

export function webhookDisabled(webhookId: bigint): StoreError {
  return new StoreError('webhook_disabled', `Webhook ${webhookId} is disabled: enable it first.`)
}

export function webhookLimitReached(): StoreError {
  return new StoreError('webhook_limit_reached', `A store has at most ${WEBHOOKS_MAX} webhooks.`)
}
