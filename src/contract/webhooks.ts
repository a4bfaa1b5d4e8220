import { z } from 'zod'
import { Delivery, DeliveryState } from '../model/delivery.ts'
import {
  AcceptedRedeliveries,
  AcceptedTest,
  NewWebhook,
  Webhook,
  WebhookPatch,
  WebhookWithSecret,
} from '../model/webhook.ts'
import type { Operation } from './operation.ts'
import { enumParameter, idParameter, instantParameter, paging, required, sortParameter } from './parameter.ts'

const pathParameters = { webhookId: idParameter('The id of the webhook.', 1) }
const shared = { tag: 'Webhooks', scope: 'webhooks:manage', stability: 'beta' } as const

export const webhooks = {
  listWebhooks: {
    ...shared,
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks',
    description: 'All of them, in order of id, without their secrets.',
    reads: 'scan',
    query: paging,
    success: { status: 200, list: Webhook, description: 'A page of webhooks.' },
    errors: ['invalid_cursor'],
  },
  createWebhook: {
    ...shared,
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    description:
      'Events that happen from now on are sent to the URL, signed as Standard Webhooks has it with the secret in this reply: it is shown this once. What a receiver must know stands in the callback.',
    body: NewWebhook,
    success: { status: 201, resource: WebhookWithSecret, description: 'The webhook, with its secret.' },
    location: (webhook: Webhook) => `/webhooks/${webhook.id}`,
    secret: 'webhook',
    vets: 'url',
    errors: ['webhook_limit_reached'],
  },
  rotateWebhookSecret: {
    ...shared,
    method: 'POST',
    path: '/webhooks/{webhookId}/secret',
    summary: 'Rotate the secret of a webhook',
    description:
      'For 24 hours each delivery bears two signatures, one of the new secret and one of the one before.',
    pathParameters,
    success: { status: 200, resource: WebhookWithSecret, description: 'The webhook, with its new secret.' },
    secret: 'webhook',
    errors: ['webhook_not_found'],
  },
  sendTestEvent: {
    ...shared,
    method: 'POST',
    path: '/webhooks/{webhookId}/test',
    summary: 'Send a test event',
    description:
      'Sends an event of the type `petstore.webhook.test` to this webhook, whatever its types. What came of it stands in its deliveries.',
    pathParameters,
    success: { status: 202, resource: AcceptedTest, description: 'The test event is on its way.' },
    errors: ['webhook_not_found', 'webhook_disabled'],
  },
  listDeliveries: {
    ...shared,
    method: 'GET',
    path: '/webhooks/{webhookId}/deliveries',
    summary: 'List the deliveries of a webhook',
    description:
      'Deliveries that were tried at least once, with their attempts. Settled ones are kept for 30 days, and at most as long as their events.',
    reads: 'scan',
    pathParameters,
    query: {
      ...paging,
      state: enumParameter(DeliveryState, 'Deliveries in this state.'),
      sort: sortParameter('DeliverySort', z.enum(['id', '-id']), 'id', 'Oldest first, or newest first.'),
    },
    success: { status: 200, list: Delivery, description: 'A page of deliveries.' },
    errors: ['webhook_not_found', 'invalid_cursor'],
  },
  redeliver: {
    ...shared,
    method: 'POST',
    path: '/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
    summary: 'Deliver an event again',
    description: 'Whatever came of it before: it is due at once, with all its retries.',
    pathParameters: { ...pathParameters, deliveryId: idParameter('The id of the delivery.', 1) },
    success: { status: 202, resource: Delivery, description: 'The delivery, which is due.' },
    errors: ['webhook_not_found', 'delivery_not_found', 'webhook_disabled'],
  },
  redeliverFailed: {
    ...shared,
    method: 'POST',
    path: '/webhooks/{webhookId}/redeliver',
    summary: 'Deliver again what failed',
    description:
      'Every failed delivery that was first tried at an instant or later, at most 10,000 at a time.',
    pathParameters,
    query: { since: required(instantParameter('The instant from which on.', '2026-11-21T00:00:00Z')) },
    success: { status: 202, resource: AcceptedRedeliveries, description: 'How many are due again.' },
    errors: ['webhook_not_found', 'webhook_disabled', 'missing_parameter'],
  },
  // Last: the examples are sent in this order, and no operation on a webhook succeeds once it is deleted.
  getWebhook: {
    ...shared,
    method: 'GET',
    path: '/webhooks/{webhookId}',
    summary: 'Read a webhook',
    description: 'Also tells whether it is failing, and since when.',
    reads: 'row',
    pathParameters,
    success: { status: 200, resource: Webhook, description: 'The webhook.' },
    etag: true,
    errors: ['webhook_not_found'],
  },
  updateWebhook: {
    ...shared,
    method: 'PATCH',
    path: '/webhooks/{webhookId}',
    summary: 'Change, disable or enable a webhook',
    description: 'A JSON Merge Patch. It applies to every attempt that begins afterwards.',
    pathParameters,
    body: WebhookPatch,
    success: { status: 200, resource: Webhook, description: 'The webhook after the change.' },
    etag: true,
    vets: 'url',
    errors: ['webhook_not_found'],
  },
  deleteWebhook: {
    ...shared,
    method: 'DELETE',
    path: '/webhooks/{webhookId}',
    summary: 'Delete a webhook',
    description: 'Nothing is sent to it any more; its deliveries are forgotten.',
    pathParameters,
    success: { status: 204, description: 'The webhook is gone.' },
    etag: true,
    errors: ['webhook_not_found'],
  },
} as const satisfies Record<string, Operation>
