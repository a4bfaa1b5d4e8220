import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Category } from '../../client/petstore-client.ts'
import type { Version } from '../data/edit.ts'
import { useCan, useSession } from '../data/session-context.ts'
import { useUrlFilters, valueIn } from '../data/url-filters.ts'
import {
  AddCategory,
  DeleteCategory,
  EditCategory,
  MergeCategory,
} from '../parts/categories/category-forms.tsx'
import { Empty } from '../parts/generic/empty.tsx'
import { Filters, nameSorts, SortSelect } from '../parts/generic/filters.tsx'
import { Page } from '../parts/generic/page.tsx'
import { RowButton } from '../parts/generic/row-button.tsx'
import { SearchField } from '../parts/generic/search-field.tsx'
import { type Column, PagedTable } from '../parts/generic/table.tsx'
import { Name } from '../parts/names/names.tsx'
import { sentenceOf } from '../parts/names/refusal.tsx'
import { ViewLink } from '../parts/names/view-link.tsx'
import { t } from '../words/sentences.tsx'

const columns: readonly Column<Category>[] = [
  {
    head: t('Category'),
    cell: ({ id, name, description }) => (
      <>
        <Text size="sm" fw={600}>
          <Name name={name} id={id} />
        </Text>
        {/* The description is below the name, so that the actions fit on a small screen. */}
        <Text size="sm" c="dimmed" style={{ whiteSpace: 'pre-line' }}>
          {description}
        </Text>
      </>
    ),
  },
  {
    head: t('Pets'),
    cell: ({ id, name }) => (
      <ViewLink
        href={`/pets?categoryId=${id}`}
        aria-label={t('Show pets of {name}', { name })}
        style={{ whiteSpace: 'nowrap' }}
      >
        {t('Show pets')}
      </ViewLink>
    ),
  },
]

type OpenedCategoryDialog =
  | { readonly dialog: 'add' }
  | { readonly dialog: 'edit'; readonly category: Version<Category> }
  | { readonly dialog: 'delete' | 'merge'; readonly category: Category }

function actionColumn(onOpen: (opened: OpenedCategoryDialog) => void): Column<Category> {
  return { head: t('Actions'), cell: category => <CategoryActions category={category} onOpen={onOpen} /> }
}

export function Categories() {
  const { client } = useSession()
  const can = useCan()
  const { get, set } = useUrlFilters()
  const [opened, setOpened] = useState<OpenedCategoryDialog>()
  const close = (): void => setOpened(undefined)
  // A category that was read for Edit must not replace a dialog that was opened meanwhile.
  const open = (next: OpenedCategoryDialog): void => setOpened(current => current ?? next)
  const name = get('name')
  const sort = valueIn(nameSorts, get('sort')) ?? 'id'
  const input = {
    ...(name !== '' && { name }),
    // A search by name can only be sorted by name.
    sort: name !== '' && !sort.endsWith('name') ? ('name' as const) : sort,
  }
  const addButton = <Button onClick={() => setOpened({ dialog: 'add' })}>{t('Add category')}</Button>
  return (
    <Page title={t('Categories')} actions={can('pets:write') && addButton}>
      <Filters>
        <SearchField
          label={t('Search')}
          placeholder={t('Start of the name')}
          value={name}
          onChange={text => set('name', text)}
        />
        <SortSelect sorts={nameSorts} value={sort} onChange={value => set('sort', value)} />
      </Filters>
      <PagedTable
        label={t('Categories')}
        queryKey={['categories', 'list', input]}
        read={cursor => client.listCategories({ ...input, cursor })}
        columns={can('pets:write') ? [...columns, actionColumn(open)] : columns}
        idOf={({ id }) => id}
        empty={name !== '' ? <NoMatch /> : <NoCategories />}
        minWidth={340}
      />
      {/* Outside the table: the row may leave the list while a dialog is open. */}
      {opened?.dialog === 'add' && <AddCategory onClose={close} />}
      {opened?.dialog === 'edit' && <EditCategory category={opened.category} onClose={close} />}
      {opened?.dialog === 'delete' && <DeleteCategory category={opened.category} onClose={close} />}
      {opened?.dialog === 'merge' && <MergeCategory category={opened.category} onClose={close} />}
    </Page>
  )
}

interface CategoryActionsProps {
  readonly category: Category
  readonly onOpen: (opened: OpenedCategoryDialog) => void
}

function CategoryActions({ category, onOpen }: CategoryActionsProps) {
  const { client } = useSession()
  // A list has no ETag for each item, so the dialog edits the version that this request reads.
  const reading = useMutation({
    mutationFn: () => client.getCategory({ categoryId: category.id }),
    onSuccess: version => onOpen({ dialog: 'edit', category: version }),
    onError: error => notifications.show({ color: 'red', message: sentenceOf(error) }),
  })
  return (
    <Group gap="xs">
      <RowButton
        label={t('Edit')}
        subject={category.name}
        aria-busy={reading.isPending}
        // Not `loading`: it would disable the button, and the dialog could not return the focus to the button.
        onClick={() => {
          if (!reading.isPending) reading.mutate()
        }}
      />
      <RowButton
        label={t('Merge')}
        subject={category.name}
        onClick={() => onOpen({ dialog: 'merge', category })}
      />
      <RowButton
        label={t('Delete')}
        subject={category.name}
        c="var(--mantine-color-error)"
        onClick={() => onOpen({ dialog: 'delete', category })}
      />
    </Group>
  )
}

function NoMatch() {
  return (
    <Empty title={t('No category matches')}>
      {t('Change the search above. The search looks at the start of names.')}
    </Empty>
  )
}

function NoCategories() {
  const can = useCan()
  return (
    <Empty title={t('No categories yet')}>
      {can('pets:write')
        ? t('Each pet belongs to a category. Add the first category with the button above, for example Dogs.')
        : t('Categories appear here as soon as someone adds one. Your key may not add categories.')}
    </Empty>
  )
}
