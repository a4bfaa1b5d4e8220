import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { countText, t } from '../../words/sentences.tsx'
import { downloadCsv } from '../generic/download.ts'

import { Refusal } from '../names/refusal.tsx'

/** The signal that stops a long read, and the function that gets its progress. */
export interface RowReading {
  /** Aborted when the user stops it. */
  readonly signal: AbortSignal
  /** Called with the number of rows that have been read. */
  readonly onRead: (count: number) => void
}

interface ListActionsProps {
  /** What the list has, such as `2026-11-22, open`: the names of its files end with it. */
  readonly name: string
  /** The start of the names of the files: `orders`. */
  readonly file: string
  /** Returns the text of a file. It may read the rows that the page does not show. */
  readonly textOf: (isForExcel: boolean, reading: RowReading) => Promise<string> | string
  /** Other buttons. */
  readonly children?: ReactNode
}

/** The buttons that print a list, and save all of it. If the saving is stopped, there is no file. */
export function ListActions({ name, file, textOf, children }: ListActionsProps) {
  const { save, stop, count } = useSaving({ name, file, textOf })
  return (
    <Stack gap="xs" className="unprinted">
      <Group gap="xs">
        {save.isPending && (
          <ReadingNote text={countText(count, '{count} order read…', '{count} orders read…')} onStop={stop} />
        )}
        <Button variant="default" size="xs" onClick={() => print()}>
          {t('Print')}
        </Button>
        <Button variant="default" size="xs" disabled={save.isPending} onClick={() => save.mutate(false)}>
          {t('CSV')}
        </Button>
        <Button variant="default" size="xs" disabled={save.isPending} onClick={() => save.mutate(true)}>
          {t('CSV for Excel')}
        </Button>
        {children}
      </Group>
      <Refusal error={save.error} />
    </Stack>
  )
}

/** How much has been read, and the button that stops it. */
export function ReadingNote({ text, onStop }: { readonly text: string; readonly onStop: () => void }) {
  return (
    <>
      <Text size="sm" role="status">
        {text}
      </Text>
      <Button variant="default" size="xs" onClick={onStop}>
        {t('Stop')}
      </Button>
    </>
  )
}

function useSaving({ name, file, textOf }: Omit<ListActionsProps, 'children'>) {
  const [count, setCount] = useState(0)
  const stopping = useRef<AbortController>(undefined)
  const save = useMutation({
    mutationFn: async (isForExcel: boolean) => {
      stopping.current = new AbortController()
      const { signal } = stopping.current
      setCount(0)
      try {
        const text = await textOf(isForExcel, { signal, onRead: setCount })
        if (signal.aborted) return
        const end = name.toLowerCase().replace(',', '').replaceAll(' ', '-')
        downloadCsv(text, `${file}-${end}${isForExcel ? '-excel' : ''}.csv`)
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
  })
  return { save, stop: () => stopping.current?.abort(), count }
}
