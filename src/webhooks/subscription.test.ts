import { expect, test } from 'bun:test'
import { type EventRelevance, ownTypes, relevanceOf, type Subscription } from './subscription.ts'

const createdAt = '2026-11-21T09:30:00.000Z'
const subscription: Subscription = {
  webhookId: 7n,
  createdAt,
  seenCreation: true,
  types: ['petstore.pet.created'],
}
const unseen: Subscription = { ...subscription, seenCreation: false }
const event = { type: 'petstore.pet.created', subject: 'pets/1', at: createdAt } as const
const later = { ...event, at: '2026-11-21T09:30:00.001Z' }
const own = { ...event, subject: 'webhooks/7' }
const others = { ...event, subject: 'webhooks/77' }
const creation = 'petstore.webhook.created'
const redelivery = 'petstore.webhook.redelivered'
const testType = 'petstore.webhook.test'

const rows: readonly (readonly [
  title: string,
  event: Parameters<typeof relevanceOf>[0],
  subscription: Subscription,
  relevance: Partial<EventRelevance>,
])[] = [
  ['an event of a subscribed type is wanted', event, subscription, { isWanted: true }],
  ['an event of another type is not wanted', { ...event, type: 'petstore.pet.deleted' }, subscription, {}],
  ['an event before the creation of the webhook is not wanted', event, unseen, {}],
  [
    'an event after the creation of the webhook is wanted, even if its position is before that of the creation',
    later,
    unseen,
    { isWanted: true },
  ],
  ['a test event of the webhook is wanted', { ...own, type: testType }, subscription, { isWanted: true }],
  ['a test event of another webhook is not wanted', { ...others, type: testType }, subscription, {}],
  ['the creation of the webhook is noticed', { ...own, type: creation }, unseen, { isCreation: true }],
  ['the creation of another webhook is ignored', { ...others, type: creation }, unseen, {}],
  [
    'a redelivery of the webhook is noticed',
    { ...own, type: redelivery },
    subscription,
    { isRedelivery: true },
  ],
  ['a redelivery of another webhook is ignored', { ...others, type: redelivery }, subscription, {}],
]

test.each([...rows])('%s', (_, event, subscription, relevance) => {
  const nothing: EventRelevance = { isWanted: false, isCreation: false, isRedelivery: false }
  expect(relevanceOf(event, subscription)).toEqual({ ...nothing, ...relevance })
})

test('a webhook reads its test events, its creation and its redeliveries, whatever it subscribes to', () => {
  expect([...ownTypes]).toEqual([testType, creation, redelivery])
})
