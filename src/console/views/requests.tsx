import { Anchor, Badge, Button, Checkbox, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { LoggedRequest } from '../../client/petstore-client.ts'
import { isPageRequest } from '../../http/pages/page-request.ts'
import { request } from '../data/change.ts'
import { hostClient, sandboxId } from '../data/host-api.ts'
import { useRequests } from '../data/requests.ts'
import { useSession } from '../data/session-context.ts'
import { shopZone } from '../data/shop-zone.ts'
import { ActButton } from '../parts/generic/act-button.tsx'
import { SilentStream } from '../parts/generic/alerts.tsx'
import { Empty } from '../parts/generic/empty.tsx'
import { FilterSelect } from '../parts/generic/filters.tsx'
import type { DialogProps } from '../parts/generic/form-dialog.tsx'
import { Page } from '../parts/generic/page.tsx'
import { Panel } from '../parts/generic/panel.tsx'
import { type Column, ColumnTable } from '../parts/generic/table.tsx'
import { TextField } from '../parts/generic/text-field.tsx'
import { UnknownAlert } from '../parts/generic/unknown-alert.tsx'
import { Refusal } from '../parts/names/refusal.tsx'
import { locale } from '../words/language.ts'
import { t } from '../words/sentences.tsx'

const TABLE_MIN_PX = 760
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const statusGroups = [
  { value: '2', label: t('2xx success') },
  { value: '3', label: t('3xx not modified') },
  { value: '4', label: t('4xx refused') },
  { value: '5', label: t('5xx failed') },
  { value: 'none', label: t('Connection dropped') },
]

interface RequestFilter {
  readonly method: string | null
  readonly status: string | null
  readonly path: string
  /** Whether to also show the requests that this console and the documentation send. */
  readonly showsPages: boolean
}

export function Requests() {
  const [isPaused, setPaused] = useState(false)
  const { requests, isSilent, error, clear } = useRequests(isPaused)
  const { key } = useSession()
  const [filter, setFilter] = useState<RequestFilter>({
    method: null,
    status: null,
    path: '',
    showsPages: false,
  })
  const [opened, setOpened] = useState<LoggedRequest>()
  const shown = requests.filter(request => matches(request, filter))
  return (
    <Page
      title={t('Requests')}
      actions={
        <>
          <Button variant="default" onClick={() => setPaused(!isPaused)}>
            {isPaused ? t('Continue') : t('Pause')}
          </Button>
          <ActButton
            variant="default"
            change={clear}
            onAct={() => clear.start(() => request(hostClient(key), 'deleteRequests', { sandboxId }))}
          >
            {t('Clear')}
          </ActButton>
        </>
      }
    >
      <Filters filter={filter} onChange={setFilter} />
      {isSilent && <SilentStream />}
      <Refusal error={clear.error ?? error} />
      <UnknownAlert change={clear} look={{ path: '/requests', what: t('the requests') }} />
      {shown.length === 0 ? (
        <Empty title={t('No requests')}>{t('Requests to the sandbox appear here as they arrive.')}</Empty>
      ) : (
        <ColumnTable
          label={t('Requests')}
          columns={columnsOf(setOpened)}
          rows={shown}
          idOf={({ number }) => number}
          minWidth={TABLE_MIN_PX}
        />
      )}
      {opened && <RequestDetail request={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  )
}

function matches({ method, status, path, requestHeaders }: LoggedRequest, filter: RequestFilter): boolean {
  const group = status === undefined ? 'none' : String(status).charAt(0)
  return (
    (filter.method === null || filter.method === method) &&
    (filter.status === null || filter.status === group) &&
    path.toLowerCase().includes(filter.path.trim().toLowerCase()) &&
    (filter.showsPages || !isPageRequest(path, name => requestHeaders[name]))
  )
}

interface FiltersProps {
  readonly filter: RequestFilter
  readonly onChange: (filter: RequestFilter) => void
}

function Filters({ filter, onChange }: FiltersProps) {
  return (
    <Group align="flex-end">
      <FilterSelect
        label={t('Method')}
        data={METHODS}
        value={filter.method}
        onChange={method => onChange({ ...filter, method })}
      />
      <FilterSelect
        label={t('Status')}
        data={statusGroups}
        value={filter.status}
        onChange={status => onChange({ ...filter, status })}
      />
      <TextField
        label={t('Path contains')}
        value={filter.path}
        onChange={path => onChange({ ...filter, path })}
      />
      <Checkbox
        pb={8}
        label={t('Include requests from the console and the docs')}
        checked={filter.showsPages}
        onChange={({ currentTarget }) => onChange({ ...filter, showsPages: currentTarget.checked })}
      />
    </Group>
  )
}

function columnsOf(onOpen: (request: LoggedRequest) => void): readonly Column<LoggedRequest>[] {
  return [
    { head: t('Time'), isShort: true, cell: timeOf },
    { head: t('Method'), isShort: true, cell: ({ method }) => method },
    {
      head: t('Path'),
      cell: request => (
        <Anchor component="button" type="button" ta="left" onClick={() => onOpen(request)}>
          {request.path}
        </Anchor>
      ),
    },
    { head: t('Status'), isShort: true, cell: request => <StatusBadge request={request} /> },
    { head: t('ms'), isNumber: true, cell: ({ ms }) => ms },
    { head: t('Failure'), cell: ({ fault }) => fault },
  ]
}

function timeOf({ at }: LoggedRequest): string {
  return new Date(at).toLocaleTimeString(locale, { hour12: false, timeZone: shopZone })
}

function StatusBadge({ request: { status } }: { readonly request: LoggedRequest }) {
  const colour = status === undefined || status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'teal'
  return (
    <Badge color={colour} tt="none">
      {status ?? t('dropped')}
    </Badge>
  )
}

function RequestDetail({ request, onClose }: DialogProps & { readonly request: LoggedRequest }) {
  const { number, method, path, status, ms, operationId, fault } = request
  return (
    <Modal opened onClose={onClose} size="xl" title={t('Request {id}', { id: String(number) })}>
      <Stack>
        <Text className="name">
          <StatusBadge request={request} /> {method} {path}
        </Text>
        <Text size="sm" c="dimmed">
          {[operationId, `${timeOf(request)}, ${ms} ms`, fault && t('Failure: {fault}', { fault })]
            .filter(Boolean)
            .join(' · ')}
        </Text>
        <Message title={t('Request')} headers={request.requestHeaders} body={request.requestBody} />
        {status === undefined ? (
          <Text>{t('The connection was closed without a response.')}</Text>
        ) : (
          <Message title={t('Response')} headers={request.responseHeaders} body={request.responseBody} />
        )}
      </Stack>
    </Modal>
  )
}

interface MessageProps {
  readonly title: string
  readonly headers: LoggedRequest['responseHeaders']
  readonly body: string | undefined
}

function Message({ title, headers = {}, body }: MessageProps) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <Panel title={title}>
      <Code block className="request-text">
        {lines.join('\n')}
      </Code>
      <Text size="sm" mt="sm" mb={4}>
        {body === undefined ? t('No body') : t('Body')}
      </Text>
      {body !== undefined && (
        <Code block className="request-text">
          {indentedJson(body)}
        </Code>
      )}
    </Panel>
  )
}

/** Returns JSON with indentation. A body that is not JSON, or of which the log has only the start, stays as it is. */
function indentedJson(body: string): string {
  try {
    // Integers beyond 2^53 would change, so such a body stays as it is.
    const text = JSON.stringify(JSON.parse(body), null, 2)
    return /\d{16}/.test(body) ? body : text
  } catch {
    return body
  }
}
