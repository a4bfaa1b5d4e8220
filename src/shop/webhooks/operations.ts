import { z } from 'zod'
import type { Operation } from '../../contract/operation.ts'
import {
  enumParameter,
  idParameter,
  instantParameter,
  paging,
  required,
  sortParameter,
} from '../../contract/parameter.ts'
import { Delivery, DeliveryState } from './delivery-schema.ts'
import {
  AcceptedRedeliveries,
  AcceptedTest,
  NewWebhook,
  Webhook,
  WebhookPatch,
  WebhookWithSecret,
} from './schema.ts'

const pathParameters = { webhookId: idParameter('The id of the webhook.', 1) }
const shared = { tag: 'Webhooks', scope: 'webhooks:manage', stability: 'beta' } as const

export const webhooks = {
  listWebhooks: {
    ...shared,
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks',
    description: 'Returns all webhooks, in order of id, without their secrets.',
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
      'Events that happen from now on are sent to the URL, signed per Standard Webhooks with the secret in this response. No later response contains it. The callback describes what a receiver must do.',
    body: NewWebhook,
    success: { status: 201, resource: WebhookWithSecret, description: 'The webhook, with its secret.' },
    location: (webhook: Webhook) => `/webhooks/${webhook.id}`,
    secret: 'webhook',
    checksTarget: 'url',
    errors: ['webhook_limit_reached'],
  },
  rotateWebhookSecret: {
    ...shared,
    method: 'POST',
    path: '/webhooks/{webhookId}/secret',
    summary: 'Rotate the secret of a webhook',
    description:
      'For 24 hours, each delivery carries two signatures: one with the new secret, one with the previous secret. If the secret is rotated again in that time, the oldest secret is invalid at once.',
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
      'Sends an event of the type `petstore.webhook.test` to this webhook, whatever its types. The deliveries of the webhook show the outcome.',
    pathParameters,
    success: {
      status: 202,
      resource: AcceptedTest,
      description: 'The test event was accepted for delivery.',
    },
    errors: ['webhook_not_found', 'webhook_disabled'],
  },
  listDeliveries: {
    ...shared,
    method: 'GET',
    path: '/webhooks/{webhookId}/deliveries',
    summary: 'List the deliveries of a webhook',
    description:
      'Deliveries with at least one attempt, and their attempts. Deliveries that are delivered or failed are kept for 30 days, but no longer than their events.',
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
    summary: 'Redeliver an event',
    description: 'The delivery is due at once, with all its retries, whatever its previous outcome.',
    pathParameters: { ...pathParameters, deliveryId: idParameter('The id of the delivery.', 1) },
    success: { status: 202, resource: Delivery, description: 'The delivery, which is now due.' },
    errors: ['webhook_not_found', 'delivery_not_found', 'webhook_disabled'],
  },
  redeliverFailed: {
    ...shared,
    method: 'POST',
    path: '/webhooks/{webhookId}/redeliver',
    summary: 'Redeliver failed deliveries',
    description:
      'Redelivers every failed delivery whose first attempt was at `since` or later, at most 10,000 per request.',
    pathParameters,
    query: { since: required(instantParameter('The earliest first attempt.', '2026-11-21T00:00:00Z')) },
    success: {
      status: 202,
      resource: AcceptedRedeliveries,
      description: 'The number of deliveries that are due again.',
    },
    errors: ['webhook_not_found', 'webhook_disabled', 'missing_parameter'],
  },
  // The operations from here on come last, because the examples are sent in this order: updateWebhook disables the
  // webhook, and deleteWebhook deletes it.
  getWebhook: {
    ...shared,
    method: 'GET',
    path: '/webhooks/{webhookId}',
    summary: 'Read a webhook',
    description: 'The response also shows whether deliveries are failing, and since when.',
    reads: 'row',
    pathParameters,
    success: { status: 200, resource: Webhook, description: 'The webhook.' },
    resourceHasEtag: true,
    errors: ['webhook_not_found'],
  },
  updateWebhook: {
    ...shared,
    method: 'PATCH',
    path: '/webhooks/{webhookId}',
    summary: 'Change, disable or enable a webhook',
    description: 'A JSON Merge Patch. The change applies to every attempt that begins afterwards.',
    pathParameters,
    body: WebhookPatch,
    success: { status: 200, resource: Webhook, description: 'The webhook after the change.' },
    resourceHasEtag: true,
    checksTarget: 'url',
    errors: ['webhook_not_found'],
  },
  deleteWebhook: {
    ...shared,
    method: 'DELETE',
    path: '/webhooks/{webhookId}',
    summary: 'Delete a webhook',
    description: 'No more events are sent to it, and its deliveries are deleted.',
    pathParameters,
    success: { status: 204, description: 'The webhook was deleted.' },
    resourceHasEtag: true,
    errors: ['webhook_not_found'],
  },
} as const satisfies Record<string, Operation>
