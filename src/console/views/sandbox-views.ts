import { lazyView, type NavigationEntry } from './views.ts'

/** The views that only the console of a sandbox has. They need the key of the sandbox, which has every scope. */
export const sandboxViews: readonly NavigationEntry[] = [
  {
    path: '/requests',
    label: 'Requests',
    scope: 'admin',
    routes: [{ path: '/requests', view: lazyView(async () => (await import('./requests.tsx')).Requests) }],
  },
  {
    path: '/failures',
    label: 'Failures',
    scope: 'admin',
    routes: [{ path: '/failures', view: lazyView(async () => (await import('./failures.tsx')).Failures) }],
  },
  {
    path: '/sandbox',
    label: 'Sandbox',
    scope: 'admin',
    routes: [{ path: '/sandbox', view: lazyView(async () => (await import('./sandbox.tsx')).SandboxView) }],
  },
]
