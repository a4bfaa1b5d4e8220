import { List } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useCan, useSession } from '../../data/session-context.ts'
import { Panel } from '../../parts/generic/panel.tsx'
import { ViewLink } from '../../parts/names/view-link.tsx'
import { rich, t } from '../../words/sentences.tsx'

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
    <Panel title={t('Start here')}>
      <List type="ordered" size="sm">
        <List.Item>
          {rich('{step}, for example Dogs.', { step: <Step href="/categories">{t('Add a category')}</Step> })}
        </List.Item>
        <List.Item>
          {rich('{step} to the category.', { step: <Step href="/pets">{t('Add a pet')}</Step> })}
        </List.Item>
        <List.Item>
          {rich('Or {step} with all pets.', { step: <Step href="/import">{t('import a file')}</Step> })}
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
