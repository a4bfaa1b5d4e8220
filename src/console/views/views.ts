import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { Scope } from '../../client/petstore-client.ts'
import type { ViewPath } from '../../http/pages/view-paths.ts'
import { loadView } from '../data/script.ts'
import type { ViewProps } from './view-props.ts'

interface ViewRoute {
  readonly path: ViewPath
  readonly view: LazyExoticComponent<ComponentType<ViewProps>>
}

/** An entry of the navigation, with its views. */
export interface NavigationEntry {
  readonly path: ViewPath
  readonly label: string
  /** The scope that a key needs to see the entry. If it is absent, every key sees the entry. */
  readonly scope?: Scope
  readonly routes: readonly ViewRoute[]
}

/** Returns an entry with one view. */
export function entry(
  path: ViewPath,
  label: string,
  load: () => Promise<ComponentType<ViewProps>>,
  scope?: Scope,
): NavigationEntry {
  return { path, label, ...(scope && { scope }), routes: [{ path, view: lazyView(load) }] }
}

/** Returns a view whose script is loaded when the view is opened. While the store does not respond, the view waits. */
function lazyView(load: () => Promise<ComponentType<ViewProps>>): ViewRoute['view'] {
  return lazy(async () => ({ default: await loadView(load) }))
}

/** The entries of the navigation, with the routes of each. Each view has its own script. */
export const views: readonly NavigationEntry[] = [
  entry('/', 'Dashboard', async () => (await import('./dashboard.tsx')).Dashboard),
  {
    path: '/pets',
    label: 'Pets',
    routes: [
      { path: '/pets', view: lazyView(async () => (await import('./pets.tsx')).Pets) },
      { path: '/pets/:id', view: lazyView(async () => (await import('./pet.tsx')).PetView) },
    ],
  },
  entry('/categories', 'Categories', async () => (await import('./categories.tsx')).Categories),
  entry('/inventory', 'Inventory', async () => (await import('./inventory.tsx')).Inventory),
  {
    path: '/orders',
    label: 'Orders',
    scope: 'orders:read',
    routes: [
      { path: '/orders', view: lazyView(async () => (await import('./orders.tsx')).Orders) },
      { path: '/orders/:id', view: lazyView(async () => (await import('./order.tsx')).OrderView) },
    ],
  },
  {
    path: '/webhooks',
    label: 'Webhooks',
    scope: 'webhooks:manage',
    routes: [
      { path: '/webhooks', view: lazyView(async () => (await import('./webhooks.tsx')).Webhooks) },
      { path: '/webhooks/:id', view: lazyView(async () => (await import('./webhook.tsx')).WebhookView) },
    ],
  },
  entry('/keys', 'Keys', async () => (await import('./keys.tsx')).Keys, 'keys:manage'),
  entry('/audit', 'Audit log', async () => (await import('./audit.tsx')).Audit, 'audit:read'),
  entry('/import', 'Import', async () => (await import('./import.tsx')).Import, 'pets:write'),
]
