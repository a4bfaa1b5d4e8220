import { type EventType, TEST_TYPE } from '../shop/log/event-types.ts'
import type { SequencedEvent } from '../shop/log/recording.ts'
import { webhookSubject } from '../shop/webhooks/verbs.ts'

/** Events about the webhook itself, which are read whatever types it subscribes to. */
export const ownTypes = [TEST_TYPE, 'petstore.webhook.created', 'petstore.webhook.redelivered'] as const

/** The properties of a webhook that decide whether it is sent an event. */
export interface Subscription {
  readonly webhookId: bigint
  readonly createdAt: string
  readonly seenCreation: boolean
  readonly types: readonly EventType[]
}

/** The effects of an event on a webhook. */
export interface EventRelevance {
  readonly isWanted: boolean
  readonly isCreation: boolean
  readonly isRedelivery: boolean
}

/** Returns the effects of an event on a webhook. */
export function relevanceOf(
  { type, subject, at }: Pick<SequencedEvent, 'type' | 'subject' | 'at'>,
  { webhookId, createdAt, seenCreation, types }: Subscription,
): EventRelevance {
  const isOwn = subject === webhookSubject(webhookId)
  // An event that another process recorded after the creation of the webhook may have a lower position than the
  // creation event.
  const isAfterCreation = seenCreation || at > createdAt
  const isSubscribed = type === TEST_TYPE ? isOwn : types.some(subscribed => subscribed === type)
  return {
    isWanted: isAfterCreation && isSubscribed,
    isCreation: isOwn && type === 'petstore.webhook.created',
    isRedelivery: isOwn && type === 'petstore.webhook.redelivered',
  }
}
