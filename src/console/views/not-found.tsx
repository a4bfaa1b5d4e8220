import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { Empty } from '../parts/generic/empty.tsx'
import { Page } from '../parts/generic/page.tsx'

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is no such page">
        <Anchor component={Link} href="/">
          Go to the dashboard
        </Anchor>
      </Empty>
    </Page>
  )
}
