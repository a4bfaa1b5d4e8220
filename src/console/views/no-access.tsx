import type { Scope } from '../../client/petstore-client.ts'
import { Empty } from '../parts/empty.tsx'
import { Page } from '../parts/page.tsx'

/** Says which scope a view needs that the key of the session does not have. */
export function NoAccess({ title, scope }: { readonly title: string; readonly scope: Scope }) {
  return (
    <Page title={title}>
      <Empty title="Your key may not see this">
        It needs the scope {scope}. Ask for a key with it, or sign in with another one.
      </Empty>
    </Page>
  )
}
