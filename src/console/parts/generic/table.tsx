import { Button, Group, Skeleton, Table, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { ApiError, type ListPage } from '../../../client/petstore-client.ts'
import { type ListPlace, useListPlace } from '../../data/list-place.ts'
import { textOf } from '../../data/query-client.ts'
import { t } from '../../words/sentences.tsx'
import { formatCount } from '../names/format.ts'
import { Refusal } from '../names/refusal.tsx'

export interface Column<Row> {
  readonly head: string
  /** Numbers are aligned right. */
  readonly isNumber?: true
  /** Short texts such as dates stay on one line. */
  readonly isShort?: true
  readonly cell: (row: Row) => ReactNode
}

/** The properties that all tables have: those that show all rows, and those that show one page of a list. */
interface TableProps<Row> {
  /** What the table contains, for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => bigint | number | string
  /** Returns the heading above a row, such as its day. Rows with the same heading follow one another. */
  readonly groupOf?: (row: Row) => string
  /**
   * The width in pixels below which the table scrolls sideways, so that its columns stay readable. A phone shows cards
   * instead.
   */
  readonly minWidth?: number
}

interface ColumnTableProps<Row> extends TableProps<Row> {
  /** While the rows are undefined, the table shows a skeleton. */
  readonly rows: readonly Row[] | undefined
  /** Whether the rows that will replace `rows` are loading. */
  readonly isBusy?: boolean
}

const SKELETON_ROWS = 8
/** The default of `minWidth`: narrower columns would break every word. */
const TABLE_MIN_PX = 640

/**
 * A table. On a phone, each row is a card, and each cell of it has the head of its column as a label (`console.css`).
 * Between the two, the table scrolls sideways. The roles are explicit, because the style of the cards takes the
 * implicit ones away from a table.
 */
export function ColumnTable<Row>({
  label,
  columns,
  rows,
  idOf,
  groupOf,
  minWidth = TABLE_MIN_PX,
  isBusy = false,
}: ColumnTableProps<Row>) {
  const groups = rows && groupsOf(rows, groupOf)
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      className="cards"
      // A table that is wider than the screen shows its scrollbar, and the arrow keys scroll it.
      scrollAreaProps={{
        type: 'auto',
        offsetScrollbars: 'x',
        viewportProps: { tabIndex: 0, role: 'group', 'aria-label': label },
      }}
    >
      <Table role="table" aria-label={label} aria-busy={isBusy} highlightOnHover>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ head, isNumber }) => (
              <Table.Th key={head} role="columnheader" className={isNumber ? 'number' : undefined}>
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        {groups?.map(group => (
          <Table.Tbody key={group.name} role="rowgroup">
            {group.name !== '' && (
              <Table.Tr role="row">
                <Table.Th role="rowheader" scope="rowgroup" colSpan={columns.length}>
                  {group.name}
                </Table.Th>
              </Table.Tr>
            )}
            {group.rows.map(row => (
              <Table.Tr key={String(idOf(row))} role="row">
                {columns.map(column => (
                  <Cell key={column.head} column={column} row={row} />
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        )) ?? <SkeletonRows columns={columns} />}
      </Table>
    </Table.ScrollContainer>
  )
}

interface CellProps<Row> {
  readonly column: Column<Row>
  readonly row: Row
}

function Cell<Row>({ column: { head, isNumber, isShort, cell }, row }: CellProps<Row>) {
  return (
    <Table.Td role="cell" data-label={head} className={isNumber ? 'number' : isShort ? 'short' : 'name'}>
      {cell(row)}
    </Table.Td>
  )
}

function SkeletonRows<Row>({ columns }: Pick<TableProps<Row>, 'columns'>) {
  return (
    <Table.Tbody role="rowgroup">
      {Array.from({ length: SKELETON_ROWS }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a skeleton are all the same
        <Table.Tr key={index} role="row">
          {columns.map(({ head }) => (
            <Table.Td key={head} role="cell" data-label={head}>
              <Skeleton height={18} />
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  )
}

interface RowGroup<Row> {
  readonly name: string
  readonly rows: Row[]
}

/** Returns the rows by their group. The rows of a group follow one another. */
function groupsOf<Row>(rows: readonly Row[], groupOf: (row: Row) => string = () => ''): RowGroup<Row>[] {
  const groups: RowGroup<Row>[] = []
  for (const row of rows) {
    const name = groupOf(row)
    const last = groups.at(-1)
    if (last?.name === name) last.rows.push(row)
    else groups.push({ name, rows: [row] })
  }
  return groups
}

interface PagedTableProps<Row> extends TableProps<Row> {
  /** The key of the query: the first part names the resource, the others are the filters. */
  readonly queryKey: readonly unknown[]
  /** Reads one page; `cursor` is undefined for the first page. */
  readonly read: (cursor: string | undefined) => PromiseLike<{ readonly data: ListPage<Row> }>
  /** How often the page is read again, in milliseconds. Only for data whose changes no event reports. */
  readonly refreshMs?: number
  /** Shown above the table, with its rows, and whether they are all that there are. */
  readonly above?: (rows: readonly Row[], isAll: boolean) => ReactNode
  /** Shown instead of the table if the first page is empty. */
  readonly empty: ReactNode
  /** The parameter of the address that contains the cursor, if a view has more than one table. */
  readonly cursorName?: string
}

/** A list of the API as a table. It reads one page at a time, so a million rows are as fast as ten. */
export function PagedTable<Row>(props: PagedTableProps<Row>) {
  // When the filters change, React creates a new table, which never shows the rows of the previous filters.
  return <Pages key={textOf(props.queryKey)} {...props} />
}

function Pages<Row>({
  queryKey,
  read,
  refreshMs,
  above,
  empty,
  cursorName = 'cursor',
  ...table
}: PagedTableProps<Row>) {
  const place = useListPlace(cursorName)
  const { cursor } = place
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    // The cursor is in an object, so that a cursor from the address never equals another part of a query key.
    queryKey: [...queryKey, { cursor }],
    queryFn: async () => (await read(cursor)).data,
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs ?? false,
  })
  const isEmpty = data !== undefined && data.items.length === 0 && !isPlaceholderData
  // A search looks through some thousand rows, and may find nothing in them while it goes on.
  const hasNext = data?.next !== undefined
  const isGone = cursor !== undefined && ((isEmpty && !hasNext) || isRefusedCursor(error))
  // The address can contain the cursor of another list, or of a page whose rows have since been deleted.
  useEffect(() => {
    if (isGone) place.restart()
  })
  const shownAbove = above?.(data?.items ?? [], cursor === undefined && data?.next === undefined)
  const aboveAndRefusal = (
    <>
      {/* It stays: an open dialog in it may have a change whose outcome is not known. */}
      {shownAbove}
      {!isGone && <Refusal error={error} onRetry={() => void refetch()} />}
    </>
  )
  if (error && !isGone && (data === undefined || isPlaceholderData)) return aboveAndRefusal
  if (isEmpty && !isGone) {
    return (
      <>
        {aboveAndRefusal}
        {empty}
        {hasNext && <PageButtons place={place} next={data.next} isReading={false} />}
      </>
    )
  }
  return (
    <>
      {aboveAndRefusal}
      <ColumnTable {...table} rows={data?.items} isBusy={isPending || isPlaceholderData} />
      <PageButtons place={place} next={data?.next} isReading={isPlaceholderData} />
    </>
  )
}

function isRefusedCursor(error: unknown): boolean {
  return (
    error instanceof ApiError && ['invalid_cursor', 'invalid_parameter', 'url_too_long'].includes(error.code)
  )
}

interface PageButtonsProps {
  readonly place: ListPlace
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined
  /** Whether the table still shows the page that the user left, because the new page is loading. */
  readonly isReading: boolean
}

function PageButtons({ place, next, isReading }: PageButtonsProps) {
  const { cursor, page, open, back } = place
  if (cursor === undefined && next === undefined) return null
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {isReading ? t('Reading…') : page !== undefined && t('Page {page}', { page: formatCount(page) })}
      </Text>
      <Group gap="xs">
        <Button variant="default" disabled={cursor === undefined} onClick={back}>
          {page === undefined ? t('First page') : t('Previous')}
        </Button>
        <Button
          variant="default"
          disabled={next === undefined || isReading}
          onClick={() => next !== undefined && open(next)}
        >
          {t('Next')}
        </Button>
      </Group>
    </Group>
  )
}
