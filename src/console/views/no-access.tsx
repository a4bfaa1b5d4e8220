import type { Scope } from '../../client/petstore-client.ts'
import { Empty } from '../parts/generic/empty.tsx'
import { Page } from '../parts/generic/page.tsx'
import { t } from '../words/sentences.tsx'

export function NoAccess({ title, scope }: { readonly title: string; readonly scope: Scope }) {
  return (
    <Page title={title}>
      <Empty title={t('Your key may not see this view')}>
        {t('The view needs the scope {scope}. Ask for a key that has it, or sign in with another key.', {
          scope,
        })}
      </Empty>
    </Page>
  )
}
