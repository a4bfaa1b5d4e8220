import { Skeleton, Table } from '@mantine/core'
import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly head: string
  /** Numbers are aligned right. */
  readonly isNumber?: true
  /** Short texts such as dates stay on one line. */
  readonly isShort?: true
  readonly cell: (row: Row) => ReactNode
}

/** The properties that all tables have: those that show all rows, and those that show one page of a list. */
export interface TableProps<Row> {
  /** What the table contains, for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => bigint | number | string
  /** The width in pixels below which the table scrolls sideways, so that its columns stay readable. */
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

/** A table that scrolls sideways on a narrow screen. */
export function ColumnTable<Row>({
  label,
  columns,
  rows,
  idOf,
  minWidth = TABLE_MIN_PX,
  isBusy = false,
}: ColumnTableProps<Row>) {
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      // The arrow keys scroll a table that is wider than the screen.
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': label } }}
    >
      <Table aria-label={label} aria-busy={isBusy} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ head, isNumber }) => (
              <Table.Th key={head} className={isNumber ? 'number' : undefined}>
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows
            ? rows.map(row => (
                <Table.Tr key={String(idOf(row))}>
                  {columns.map(({ head, isNumber, isShort, cell }) => (
                    <Table.Td key={head} className={isNumber ? 'number' : isShort ? 'short' : 'name'}>
                      {cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))
            : Array.from({ length: SKELETON_ROWS }, (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a skeleton are all the same
                <Table.Tr key={index}>
                  {columns.map(({ head }) => (
                    <Table.Td key={head}>
                      <Skeleton height={18} />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
