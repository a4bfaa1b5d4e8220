import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { Scope } from '../../client/petstore-client.ts'
import type { ViewPath } from '../../http/pages/view-paths.ts'
import { loadView } from '../data/script.ts'
import { t } from '../words/sentences.tsx'
import type { ViewProps } from './view-props.ts'

type LoadedRoute = readonly [path: ViewPath, load: () => Promise<ComponentType<ViewProps>>]

/** An entry of the navigation, with its views. */
interface NavigationEntry {
  readonly path: ViewPath
  readonly label: string
  /** The scope that a key needs to see the entry. If it is absent, every key sees the entry. */
  readonly scope: Scope | undefined
  readonly routes: readonly {
    readonly path: ViewPath
    readonly view: LazyExoticComponent<ComponentType<ViewProps>>
  }[]
}

/** The first route is that of the entry. The script of each view is loaded when the view is opened. */
function entry(
  label: string,
  routes: readonly [LoadedRoute, ...LoadedRoute[]],
  scope?: Scope,
): NavigationEntry {
  const lazyRoutes = routes.map(([path, load]) => ({
    path,
    view: lazy(async () => ({ default: await loadView(load) })),
  }))
  return { path: routes[0][0], label, scope, routes: lazyRoutes }
}

export const views: readonly NavigationEntry[] = [
  entry(t('Dashboard'), [['/', async () => (await import('./dashboard.tsx')).Dashboard]]),
  entry(t('Pets'), [
    ['/pets', async () => (await import('./pets.tsx')).Pets],
    ['/pets/:id', async () => (await import('./pet.tsx')).PetView],
  ]),
  entry(t('Categories'), [['/categories', async () => (await import('./categories.tsx')).Categories]]),
  entry(t('Inventory'), [
    ['/inventory', async () => (await import('./inventory.tsx')).Inventory],
    ['/inventory/reorder', async () => (await import('./reorder.tsx')).Reorder],
    ['/inventory/delivery', async () => (await import('./delivery.tsx')).Delivery],
    ['/inventory/count', async () => (await import('./count.tsx')).Count],
  ]),
  entry(
    t('Orders'),
    [
      ['/orders', async () => (await import('./orders.tsx')).Orders],
      ['/orders/:id', async () => (await import('./order.tsx')).OrderView],
      ['/receipts/:id', async () => (await import('./receipt.tsx')).ReceiptView],
    ],
    'orders:read',
  ),
  entry(
    t('Webhooks'),
    [
      ['/webhooks', async () => (await import('./webhooks.tsx')).Webhooks],
      ['/webhooks/:id', async () => (await import('./webhook.tsx')).WebhookView],
    ],
    'webhooks:manage',
  ),
  entry(t('Keys'), [['/keys', async () => (await import('./keys.tsx')).Keys]], 'keys:manage'),
  entry(t('Audit log'), [['/audit', async () => (await import('./audit.tsx')).Audit]], 'audit:read'),
  entry(t('Import'), [['/import', async () => (await import('./import.tsx')).Import]], 'pets:write'),
]

/** The views that only the console of a sandbox has. They need the key of the sandbox, which has every scope. */
export const sandboxViews: readonly NavigationEntry[] = [
  entry(t('Requests'), [['/requests', async () => (await import('./requests.tsx')).Requests]], 'admin'),
  entry(t('Failures'), [['/failures', async () => (await import('./failures.tsx')).Failures]], 'admin'),
  entry(t('Sandbox'), [['/sandbox', async () => (await import('./sandbox.tsx')).SandboxView]], 'admin'),
]
