import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

/** What a view gets: the id in its address, or an empty text. */
export interface ViewProps {
  readonly id: string
}

interface ViewRoute {
  readonly path: string
  readonly view: LazyExoticComponent<ComponentType<ViewProps>>
}

interface NavigationEntry {
  readonly path: string
  readonly label: string
  readonly routes: readonly ViewRoute[]
}

/** A view whose script is loaded when it is opened. */
function view(load: () => Promise<ComponentType<ViewProps>>): ViewRoute['view'] {
  return lazy(async () => ({ default: await load() }))
}

/** The navigation, with the addresses below each entry. Each view is a script of its own. */
export const views: readonly NavigationEntry[] = [
  {
    path: '/',
    label: 'Dashboard',
    routes: [{ path: '/', view: view(async () => (await import('./dashboard.tsx')).Dashboard) }],
  },
  {
    path: '/pets',
    label: 'Pets',
    routes: [{ path: '/pets', view: view(async () => (await import('./pets.tsx')).Pets) }],
  },
  {
    path: '/orders',
    label: 'Orders',
    routes: [
      { path: '/orders', view: view(async () => (await import('./orders.tsx')).Orders) },
      { path: '/orders/:id', view: view(async () => (await import('./order.tsx')).Order) },
    ],
  },
]
