import type { OperationId } from './contract.ts'

/** Where an answer leads: an operation that takes something of it. */
export interface OperationLink {
  readonly operationId: OperationId
  readonly description: string
  /** By the parameter's name, a runtime expression of OpenAPI. */
  readonly parameters?: Readonly<Record<string, string>>
}

const id = '$response.body#/id'
const toPet = { parameters: { petId: id } }
const toCategory = { parameters: { categoryId: id } }
const toOrder = { parameters: { orderId: id } }
const toWebhook = { parameters: { webhookId: id } }

/**
 * The links of successes, by operationId and by name: never at a member of a list, which has no pointer of its own.
 * Links hand on parameters alone: several generators refuse a document whose links hold the body of a request.
 */
export const links: Readonly<Partial<Record<OperationId, Readonly<Record<string, OperationLink>>>>> = {
  createPet: {
    update: { operationId: 'updatePet', description: 'Change the pet.', ...toPet },
    delete: { operationId: 'deletePet', description: 'Delete the pet.', ...toPet },
    stock: { operationId: 'getInventoryItem', description: 'Read its stock.', ...toPet },
    setStock: { operationId: 'setInventory', description: 'Set its stock.', ...toPet },
    movements: { operationId: 'listMovements', description: 'List the movements of its stock.', ...toPet },
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
      description: 'Read the stock it reserves from.',
      parameters: { petId: '$response.body#/petId' },
    },
  },
  createWebhook: {
    read: { operationId: 'getWebhook', description: 'Read the webhook.', ...toWebhook },
    update: { operationId: 'updateWebhook', description: 'Change or disable the webhook.', ...toWebhook },
    delete: { operationId: 'deleteWebhook', description: 'Delete the webhook.', ...toWebhook },
    rotate: { operationId: 'rotateWebhookSecret', description: 'Rotate its secret.', ...toWebhook },
    test: { operationId: 'sendTestEvent', description: 'Send it a test event.', ...toWebhook },
    deliveries: { operationId: 'listDeliveries', description: 'List its deliveries.', ...toWebhook },
  },
  createKey: {
    revoke: { operationId: 'revokeKey', description: 'Revoke the key.', parameters: { keyId: id } },
  },
}
