import type { OperationId } from '../shop/operations.ts'

/** A link from a response to another operation, whose parameters take their values from the response. */
export interface OperationLink {
  readonly operationId: OperationId
  readonly description: string
  /** OpenAPI runtime expressions, by parameter name. */
  readonly parameters?: Readonly<Record<string, string>>
}

const id = '$response.body#/id'
const toPet = { parameters: { petId: id } }
const toCategory = { parameters: { categoryId: id } }
const toOrder = { parameters: { orderId: id } }
const toWebhook = { parameters: { webhookId: id } }

/**
 * The links of successful responses, by operationId and by name. List items have none, because they have no JSON
 * Pointer of their own. Links pass parameters only: several generators reject documents whose links contain a body.
 */
export const links: Readonly<Partial<Record<OperationId, Readonly<Record<string, OperationLink>>>>> = {
  createPet: {
    update: { operationId: 'updatePet', description: 'Change the pet.', ...toPet },
    delete: { operationId: 'deletePet', description: 'Delete the pet.', ...toPet },
    stock: { operationId: 'getInventoryItem', description: 'Read the stock of the pet.', ...toPet },
    setStock: { operationId: 'setInventory', description: 'Set the stock of the pet.', ...toPet },
    movements: {
      operationId: 'listMovements',
      description: 'List the stock movements of the pet.',
      ...toPet,
    },
  },
  createCategory: {
    read: { operationId: 'getCategory', description: 'Read the category.', ...toCategory },
    update: { operationId: 'updateCategory', description: 'Change the category.', ...toCategory },
    delete: { operationId: 'deleteCategory', description: 'Delete the category.', ...toCategory },
  },
  placeOrder: {
    read: { operationId: 'getOrder', description: 'Read the order.', ...toOrder },
    update: { operationId: 'updateOrder', description: 'Change or complete the order.', ...toOrder },
    cancel: { operationId: 'cancelOrder', description: 'Cancel the order.', ...toOrder },
    stock: {
      operationId: 'getInventoryItem',
      description: 'Read the stock that the order reserves from.',
      parameters: { petId: '$response.body#/petId' },
    },
  },
  createWebhook: {
    read: { operationId: 'getWebhook', description: 'Read the webhook.', ...toWebhook },
    update: { operationId: 'updateWebhook', description: 'Change or disable the webhook.', ...toWebhook },
    delete: { operationId: 'deleteWebhook', description: 'Delete the webhook.', ...toWebhook },
    rotate: {
      operationId: 'rotateWebhookSecret',
      description: 'Rotate the secret of the webhook.',
      ...toWebhook,
    },
    test: { operationId: 'sendTestEvent', description: 'Send a test event to the webhook.', ...toWebhook },
    deliveries: {
      operationId: 'listDeliveries',
      description: 'List the deliveries of the webhook.',
      ...toWebhook,
    },
  },
  createKey: {
    revoke: { operationId: 'revokeKey', description: 'Revoke the key.', parameters: { keyId: id } },
  },
}
