import { List } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useCan, useSession } from '../../data/session-context.ts'
import { Panel } from '../../parts/generic/panel.tsx'
import { ViewLink } from '../../parts/names/view-link.tsx'

/** The first steps in a shop that has no pet, for a key that may add pets. Shows nothing otherwise. */
export function StartHere() {
  const { client } = useSession()
  const can = useCan()
  const { data: hasPets = true } = useQuery({
    queryKey: ['pets', 'any'],
    queryFn: async () => (await client.listPets({ limit: 1 })).data.items.length > 0,
    enabled: can('pets:write'),
  })
  if (hasPets) return null
  return (
    <Panel title="Start here">
      <List type="ordered" size="sm">
        <List.Item>
          <Step href="/categories">Add a category</Step>, for example Dogs.
        </List.Item>
        <List.Item>
          <Step href="/pets">Add a pet</Step> to the category.
        </List.Item>
        <List.Item>
          Or <Step href="/import">import a file</Step> with all pets.
        </List.Item>
      </List>
    </Panel>
  )
}

function Step({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <ViewLink href={href} underline="always">
      {children}
    </ViewLink>
  )
}
