/** The paths of the views of the console, below `/console`. */
export const viewPaths = [
  '/',
  '/pets',
  '/pets/:id',
  '/categories',
  '/inventory',
  '/inventory/reorder',
  '/inventory/delivery',
  '/inventory/count',
  '/orders',
  '/orders/:id',
  '/receipts/:id',
  '/webhooks',
  '/webhooks/:id',
  '/keys',
  '/audit',
  '/import',
] as const

/** The paths of the views that only the console of a sandbox has. */
export const sandboxViewPaths = ['/requests', '/failures', '/sandbox'] as const

export type ViewPath = (typeof viewPaths | typeof sandboxViewPaths)[number]
