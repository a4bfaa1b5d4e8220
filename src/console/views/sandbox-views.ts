import { entry, type NavigationEntry } from './views.ts'

/** The views that only the console of a sandbox has. They need the key of the sandbox, which has every scope. */
export const sandboxViews: readonly NavigationEntry[] = [
  entry('/requests', 'Requests', async () => (await import('./requests.tsx')).Requests, 'admin'),
  entry('/failures', 'Failures', async () => (await import('./failures.tsx')).Failures, 'admin'),
  entry('/sandbox', 'Sandbox', async () => (await import('./sandbox.tsx')).SandboxView, 'admin'),
]
