import { Empty } from '../parts/generic/empty.tsx'
import { Page } from '../parts/generic/page.tsx'
import { ViewLink } from '../parts/names/view-link.tsx'
import { t } from '../words/sentences.tsx'

export function NotFound() {
  return (
    <Page title={t('Not found')}>
      <Empty title={t('There is no such page')}>
        <ViewLink href="/">{t('Go to the dashboard')}</ViewLink>
      </Empty>
    </Page>
  )
}
