import { Empty } from '../parts/generic/empty.tsx'
import { Page } from '../parts/generic/page.tsx'
import { ViewLink } from '../parts/names/view-link.tsx'

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is no such page">
        <ViewLink href="/">Go to the dashboard</ViewLink>
      </Empty>
    </Page>
  )
}
