import { z } from 'zod'
import { linksBy, type Operation } from '../../contract/operation.ts'
import {
  enumParameter,
  idParameter,
  instantParameter,
  paging,
  required,
  sortParameter,
} from '../../contract/parameter.ts'
import { invalidCursor, invalidParameters, missingParameter } from '../../contract/refusals.ts'
import { Delivery, DeliveryState } from './delivery-schema.ts'
import { deliveryNotFound, webhookDisabled, webhookLimitReached, webhookNotFound } from './refusals.ts'
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

const disabledWebhook = {
  id: 1,
  url: 'https://till.example/petstore-events',
  types: ['petstore.order.placed', 'petstore.inventory.changed'],
  description: 'Prints pick lists.',
  enabled: false,
  disabledReason: 'gone',
  createdAt: '2026-11-21T09:30:00.120Z',
}
const delivery = {
  id: 1,
  eventId: '730',
  type: 'petstore.webhook.test',
  state: 'pending',
  attempts: [{ at: '2026-11-21T09:30:00.120Z', durationMs: 14, status: 500, reply: 'out of paper' }],
  createdAt: '2026-11-21T09:30:00.120Z',
}

export const webhooks = {
  listWebhooks: {
    ...shared,
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks',
    description: 'Returns all webhooks, in order of id, without their secrets.',
    query: paging,
    success: { status: 200, list: Webhook, description: 'A page of webhooks.' },
    errors: [invalidCursor()],
  },
  createWebhook: {
    ...shared,
    method: 'POST',
    path: '/webhooks',
    summary: 'Create a webhook',
    description:
      'Events that happen from now on are sent to the URL, signed per Standard Webhooks with the secret in this response. No later response contains it. A host that cannot be resolved now is accepted, with `Petstore-Warning`. The callback describes what a receiver must do.',
    body: NewWebhook,
    success: { status: 201, resource: WebhookWithSecret, description: 'The webhook, with its secret.' },
    location: '/webhooks/{id}',
    secret: 'webhook',
    checksAddress: 'url',
    sendsEvents: true,
    errors: [webhookLimitReached()],
    links: linksBy('webhookId', '$response.body#/id', {
      read: ['getWebhook', 'Read the webhook.'],
      update: ['updateWebhook', 'Change or disable the webhook.'],
      delete: ['deleteWebhook', 'Delete the webhook.'],
      rotate: ['rotateWebhookSecret', 'Rotate the secret of the webhook.'],
      test: ['sendTestEvent', 'Send a test event to the webhook.'],
      deliveries: ['listDeliveries', 'List the deliveries of the webhook.'],
    }),
  },
  rotateWebhookSecret: {
    ...shared,
    method: 'POST',
    path: '/webhooks/{webhookId}/secret',
    summary: 'Rotate the secret of a webhook',
    description:
      'For 24 hours, each delivery carries two signatures: one with the new secret, one with the previous secret. If the secret is rotated again in that time, the oldest secret is invalid at once.',
    pathParameters,
    success: {
      status: 200,
      resource: WebhookWithSecret,
      description: 'The webhook, with its new secret.',
      example: {
        ...disabledWebhook,
        secret: 'whsec_BAsSGSAnLjU8Q0pRWF9mbXR7gomQl56lrLO6wcjP1t0=',
        previousSecretUntil: '2026-11-22T09:30:00.120Z',
      },
    },
    secret: 'webhook',
    errors: [webhookNotFound(404n)],
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
    errors: [webhookNotFound(404n), webhookDisabled(1n)],
  },
  listDeliveries: {
    ...shared,
    method: 'GET',
    path: '/webhooks/{webhookId}/deliveries',
    summary: 'List the deliveries of a webhook',
    description:
      'Deliveries with at least one attempt, and their attempts. Deliveries that are delivered or failed are kept for 30 days after their last attempt, or as long as events if that is shorter.',
    pathParameters,
    query: {
      ...paging,
      state: enumParameter(DeliveryState, 'Deliveries in this state.'),
      sort: sortParameter('DeliverySort', z.enum(['id', '-id']), 'id', 'Oldest first, or newest first.'),
    },
    success: { status: 200, list: Delivery, description: 'A page of deliveries.' },
    errors: [webhookNotFound(404n), invalidCursor()],
  },
  redeliver: {
    ...shared,
    method: 'POST',
    path: '/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
    summary: 'Redeliver an event',
    description: 'The delivery is due at once, with all its retries, whatever its previous outcome.',
    pathParameters: { ...pathParameters, deliveryId: idParameter('The id of the delivery.', 1) },
    success: {
      status: 202,
      resource: Delivery,
      description: 'The delivery, which is now due.',
      example: { ...delivery, nextAttemptAt: '2026-11-21T09:30:00.120Z' },
    },
    errors: [webhookNotFound(404n), deliveryNotFound(1n, 404n), webhookDisabled(1n)],
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
    errors: [webhookNotFound(404n), webhookDisabled(1n), invalidParameters([missingParameter('since')])],
  },
  // The operations from here on come last, because the examples are sent in this order: updateWebhook disables the
  // webhook, and deleteWebhook deletes it.
  getWebhook: {
    ...shared,
    method: 'GET',
    path: '/webhooks/{webhookId}',
    summary: 'Read a webhook',
    description: 'The response also shows whether deliveries are failing, and since when.',
    pathParameters,
    success: { status: 200, resource: Webhook, description: 'The webhook.' },
    resourceHasEtag: true,
    errors: [webhookNotFound(404n)],
  },
  updateWebhook: {
    ...shared,
    method: 'PATCH',
    path: '/webhooks/{webhookId}',
    summary: 'Change, disable or enable a webhook',
    description: 'A JSON Merge Patch. The change applies to every attempt that begins afterwards.',
    pathParameters,
    body: WebhookPatch,
    success: {
      status: 200,
      resource: Webhook,
      description: 'The webhook after the change.',
      example: disabledWebhook,
    },
    resourceHasEtag: true,
    checksAddress: 'url',
    errors: [webhookNotFound(404n)],
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
    errors: [webhookNotFound(404n)],
  },
} as const satisfies Record<string, Operation>
