import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Sandbox } from '../../client/petstore-client.ts'
import { request } from '../data/change.ts'
import { hostClient, sandboxId } from '../data/host-api.ts'
import { sandboxQuery, useControlChange } from '../data/sandbox.ts'
import { useSession } from '../data/session-context.ts'
import { ActButton } from '../parts/generic/act-button.tsx'
import { type DialogProps, FormDialog } from '../parts/generic/form-dialog.tsx'
import { Page } from '../parts/generic/page.tsx'
import { Panel } from '../parts/generic/panel.tsx'
import { RowButton } from '../parts/generic/row-button.tsx'
import { InstantInput, instantIn } from '../parts/generic/text-field.tsx'
import { type Look, UnknownAlert } from '../parts/generic/unknown-alert.tsx'
import { formatInstant } from '../parts/names/format.ts'
import { Refusal } from '../parts/names/refusal.tsx'
import { countText, t } from '../words/sentences.tsx'

const BYTES_PER_KIB = 1024

const sandboxView: Look = { path: '/sandbox', what: t('the sandbox') }

/** The target of a reset: a snapshot, or the seed of the sandbox if no snapshot is named. */
interface ResetTarget {
  readonly snapshot?: string
}

export function SandboxView() {
  const { key } = useSession()
  const [target, setTarget] = useState<ResetTarget>()
  const { data: sandbox, error } = useQuery(sandboxQuery(key))
  return (
    <Page
      title={t('Sandbox')}
      actions={
        <Button color="red" variant="light" onClick={() => setTarget({})}>
          {t('Reset')}
        </Button>
      }
    >
      <Refusal error={error} />
      {sandbox && (
        <Text>
          {sandbox.label !== undefined && `${sandbox.label}: `}
          {t('created on {created} from {seed}, {resets}. It expires on {expiry}.', {
            created: formatInstant(sandbox.createdAt),
            seed: sandbox.seed,
            resets: resetsText(sandbox),
            expiry: formatInstant(sandbox.expiresAt),
          })}
        </Text>
      )}
      <Snapshots onReset={setTarget} />
      <Clock />
      {target && <ResetDialog target={target} onClose={() => setTarget(undefined)} />}
    </Page>
  )
}

/** The first generation of a sandbox is 1, and each reset adds one. */
function resetsText({ generation }: Sandbox): string {
  const resets = generation - 1n
  if (resets === 0n) return t('never reset')
  return countText(resets, 'reset once', 'reset {count} times')
}

function ResetDialog({ target, onClose }: DialogProps & { readonly target: ResetTarget }) {
  const { key } = useSession()
  const { snapshot } = target
  return (
    <FormDialog
      name="reset-sandbox"
      title={snapshot === undefined ? t('Reset the sandbox?') : t('Reset to {snapshot}?', { snapshot })}
      action={t('Reset')}
      done={t('The sandbox was reset')}
      isDestructive
      make={() => request(hostClient(key), 'resetSandbox', { sandboxId, body: target })}
      look={sandboxView}
      onClose={onClose}
    >
      <Text>
        {snapshot === undefined
          ? t('The pets, the orders and all other data return to their state at the start of the sandbox.')
          : t(
              'The pets, the orders and all other data return to their state when the snapshot was taken.',
            )}{' '}
        {t('The key, the failures, the clock and the list of requests remain.')}
      </Text>
    </FormDialog>
  )
}

function Snapshots({ onReset }: { readonly onReset: (target: ResetTarget) => void }) {
  const { key } = useSession()
  const [name, setName] = useState('snapshot-1')
  const { data = [], error } = useQuery({
    queryKey: ['snapshots'],
    queryFn: async () => (await hostClient(key).listSnapshots({ sandboxId })).data,
  })
  const change = useControlChange('snapshot', 'snapshots')
  const host = hostClient(key)
  return (
    <Panel title={t('Snapshots')}>
      <Stack>
        <Group align="flex-end">
          <TextInput
            label={t('Name')}
            description={t('At most 50 lower-case letters, digits and hyphens; no hyphen at the start')}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <ActButton
            variant="default"
            change={change}
            onAct={() => change.start(() => request(host, 'putSnapshot', { sandboxId, name: name.trim() }))}
          >
            {t('Take a snapshot')}
          </ActButton>
        </Group>
        <Refusal error={change.error ?? error} />
        <UnknownAlert change={change} look={sandboxView} />
        {data.map(snapshot => (
          <Group key={snapshot.name} justify="space-between">
            <Text className="name">
              {snapshot.name}{' '}
              <Text span size="sm" c="dimmed">
                {t('{instant}, {size} KiB', {
                  instant: formatInstant(snapshot.takenAt),
                  size: String(Math.ceil(Number(snapshot.bytes) / BYTES_PER_KIB)),
                })}
              </Text>
            </Text>
            <Group gap="xs">
              <RowButton
                label={t('Reset to snapshot')}
                subject={snapshot.name}
                onClick={() => onReset({ snapshot: snapshot.name })}
              />
              <RowButton
                label={t('Delete')}
                subject={t('snapshot {name}', { name: snapshot.name })}
                onClick={() =>
                  change.start(() => request(host, 'deleteSnapshot', { sandboxId, name: snapshot.name }))
                }
              />
            </Group>
          </Group>
        ))}
      </Stack>
    </Panel>
  )
}

function Clock() {
  const { key } = useSession()
  const [text, setText] = useState('')
  const { data: now, error } = useQuery({
    queryKey: ['clock'],
    queryFn: async () => (await hostClient(key).getClock({ sandboxId })).data.now,
  })
  const change = useControlChange('clock', 'clock')
  const set = (now: string | null): void =>
    change.start(() => request(hostClient(key), 'setClock', { sandboxId, body: { now } }))
  const instant = instantIn(text)
  return (
    <Panel title={t('Lifecycle clock')}>
      <Stack>
        <Text>
          {now && t('It is {instant}.', { instant: formatInstant(now) })}{' '}
          {t('The clock decides which operations have been retired. Data and events have the real time.')}
        </Text>
        <Group align="flex-end">
          <InstantInput label={t('New time')} value={text} onChange={setText} />
          <ActButton
            variant="default"
            change={change}
            disabled={instant === undefined}
            onAct={() => set(instant ?? null)}
          >
            {t('Set the clock')}
          </ActButton>
          <ActButton variant="default" change={change} onAct={() => set(null)}>
            {t('Return to the real time')}
          </ActButton>
        </Group>
        <Refusal error={change.error ?? error} />
        <UnknownAlert change={change} look={sandboxView} />
      </Stack>
    </Panel>
  )
}
