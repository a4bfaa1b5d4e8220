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
  /** The page of the guide about the views, or a part of it. */
  readonly guide: string
  readonly routes: readonly {
    readonly path: ViewPath
    readonly view: LazyExoticComponent<ComponentType<ViewProps>>
  }[]
}

/** The first route is that of the entry. The script of each view is loaded when the view is opened. */
function entry(
  label: string,
  guide: string,
  routes: readonly [LoadedRoute, ...LoadedRoute[]],
  scope?: Scope,
): NavigationEntry {
  const lazyRoutes = routes.map(([path, load]) => ({
    path,
    view: lazy(async () => ({ default: await loadView(load) })),
  }))
  return { path: routes[0][0], label, scope, guide, routes: lazyRoutes }
}

export const views: readonly NavigationEntry[] = [
  entry(t('Dashboard'), 'your-first-day', [['/', async () => (await import('./dashboard.tsx')).Dashboard]]),
  entry(t('Pets'), 'your-first-day#the-page-of-a-pet', [
    ['/pets', async () => (await import('./pets.tsx')).Pets],
    ['/pets/:id', async () => (await import('./pet.tsx')).PetView],
  ]),
  entry(t('Categories'), 'your-first-day#the-page-of-a-pet', [
    ['/categories', async () => (await import('./categories.tsx')).Categories],
  ]),
  entry(t('Inventory'), 'your-first-day#the-page-of-a-pet', [
    ['/inventory', async () => (await import('./inventory.tsx')).Inventory],
    ['/inventory/reorder', async () => (await import('./reorder.tsx')).Reorder],
    ['/inventory/delivery', async () => (await import('./delivery.tsx')).Delivery],
    ['/inventory/count', async () => (await import('./count.tsx')).Count],
  ]),
  entry(
    t('Orders'),
    'your-first-day#the-orders-of-the-day',
    [
      ['/orders', async () => (await import('./orders.tsx')).Orders],
      ['/orders/:id', async () => (await import('./order.tsx')).OrderView],
      ['/receipts/:id', async () => (await import('./receipt.tsx')).ReceiptView],
    ],
    'orders:read',
  ),
  entry(
    t('Webhooks'),
    'events#webhooks',
    [
      ['/webhooks', async () => (await import('./webhooks.tsx')).Webhooks],
      ['/webhooks/:id', async () => (await import('./webhook.tsx')).WebhookView],
    ],
    'webhooks:manage',
  ),
  entry(
    t('Keys'),
    'your-first-day#a-key-for-the-till',
    [['/keys', async () => (await import('./keys.tsx')).Keys]],
    'keys:manage',
  ),
  entry(
    t('Audit log'),
    'your-first-day#what-happened-and-who-did-it',
    [['/audit', async () => (await import('./audit.tsx')).Audit]],
    'audit:read',
  ),
  entry(
    t('Import'),
    'your-first-day#bring-your-spreadsheet',
    [['/import', async () => (await import('./import.tsx')).Import]],
    'pets:write',
  ),
]

/** The views that only the console of a sandbox has. They need the key of the sandbox, which has every scope. */
export const sandboxViews: readonly NavigationEntry[] = [
  entry(
    t('Requests'),
    'sandboxes',
    [['/requests', async () => (await import('./requests.tsx')).Requests]],
    'admin',
  ),
  entry(
    t('Failures'),
    'sandboxes',
    [['/failures', async () => (await import('./failures.tsx')).Failures]],
    'admin',
  ),
  entry(
    t('Sandbox'),
    'sandboxes',
    [['/sandbox', async () => (await import('./sandbox.tsx')).SandboxView]],
    'admin',
  ),
]
