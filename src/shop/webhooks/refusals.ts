import { StoreError } from '../../contract/error.ts'
import { WEBHOOKS_MAX } from '../kernel/limits.ts'

export function webhookNotFound(webhookId: bigint): StoreError {
  return new StoreError('webhook_not_found', `Webhook ${webhookId} does not exist.`, {
    subject: `webhooks/${webhookId}`,
  })
}

export function deliveryNotFound(webhookId: bigint, deliveryId: bigint): StoreError {
  const message = `Webhook ${webhookId} has no delivery ${deliveryId}.`
  return new StoreError('delivery_not_found', message, { subject: `webhooks/${webhookId}` })
}

export function webhookDisabled(webhookId: bigint): StoreError {
  const message = `Webhook ${webhookId} is disabled: enable it first.`
  return new StoreError('webhook_disabled', message, { subject: `webhooks/${webhookId}` })
}

export function webhookLimitReached(): StoreError {
  return new StoreError('webhook_limit_reached', `A store has at most ${WEBHOOKS_MAX} webhooks.`)
}
