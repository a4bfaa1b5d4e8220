import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { Scope } from '../../client/petstore-client.ts'
import { loadView } from '../data/script.ts'
import type { ViewProps } from './view-props.ts'

interface ViewRoute {
  readonly path: string
  readonly view: LazyExoticComponent<ComponentType<ViewProps>>
}

/** An entry of the navigation, with its views. */
export interface NavigationEntry {
  readonly path: string
  readonly label: string
  /** The scope that a key needs to see the entry. If it is absent, every key sees the entry. */
  readonly scope?: Scope
  readonly routes: readonly ViewRoute[]
}

/** Returns a view whose script is loaded when the view is opened. While the store does not respond, the view waits. */
export function lazyView(load: () => Promise<ComponentType<ViewProps>>): ViewRoute['view'] {
  return lazy(async () => ({ default: await loadView(load) }))
}

/** The entries of the navigation, with the routes of each. Each view has its own script. */
export const views: readonly NavigationEntry[] = [
  {
    path: '/',
    label: 'Dashboard',
    routes: [{ path: '/', view: lazyView(async () => (await import('./dashboard.tsx')).Dashboard) }],
  },
  {
    path: '/pets',
    label: 'Pets',
    routes: [
      { path: '/pets', view: lazyView(async () => (await import('./pets.tsx')).Pets) },
      { path: '/pets/:id', view: lazyView(async () => (await import('./pet.tsx')).PetView) },
    ],
  },
  {
    path: '/categories',
    label: 'Categories',
    routes: [
      { path: '/categories', view: lazyView(async () => (await import('./categories.tsx')).Categories) },
    ],
  },
  {
    path: '/inventory',
    label: 'Inventory',
    routes: [{ path: '/inventory', view: lazyView(async () => (await import('./inventory.tsx')).Inventory) }],
  },
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
  {
    path: '/keys',
    label: 'Keys',
    scope: 'keys:manage',
    routes: [{ path: '/keys', view: lazyView(async () => (await import('./keys.tsx')).Keys) }],
  },
  {
    path: '/audit',
    label: 'Audit log',
    scope: 'audit:read',
    routes: [{ path: '/audit', view: lazyView(async () => (await import('./audit.tsx')).Audit) }],
  },
  {
    path: '/import',
    label: 'Import',
    scope: 'pets:write',
    routes: [{ path: '/import', view: lazyView(async () => (await import('./import.tsx')).Import) }],
  },
]
