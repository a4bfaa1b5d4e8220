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

const BYTES_PER_KIB = 1024

const sandboxView: Look = { path: '/sandbox', what: 'the sandbox' }

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
      title="Sandbox"
      actions={
        <Button color="red" variant="light" onClick={() => setTarget({})}>
          Reset
        </Button>
      }
    >
      <Refusal error={error} />
      {sandbox && (
        <Text>
          {sandbox.label !== undefined && `${sandbox.label}: `}
          created on {formatInstant(sandbox.createdAt)} from {sandbox.seed}, {resetsText(sandbox)}. It expires
          on {formatInstant(sandbox.expiresAt)}.
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
  if (resets === 0n) return 'never reset'
  return resets === 1n ? 'reset once' : `reset ${resets} times`
}

function ResetDialog({ target, onClose }: DialogProps & { readonly target: ResetTarget }) {
  const { key } = useSession()
  const { snapshot } = target
  return (
    <FormDialog
      name="reset-sandbox"
      title={snapshot === undefined ? 'Reset the sandbox?' : `Reset to ${snapshot}?`}
      action="Reset"
      done="The sandbox was reset"
      isDestructive
      make={() => request(hostClient(key), 'resetSandbox', { sandboxId, body: target })}
      look={sandboxView}
      onClose={onClose}
    >
      <Text>
        The pets, the orders and all other data return to their state{' '}
        {snapshot === undefined ? 'at the start of the sandbox' : 'when the snapshot was taken'}. The key, the
        failures, the clock and the list of requests remain.
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
    <Panel title="Snapshots">
      <Stack>
        <Group align="flex-end">
          <TextInput
            label="Name"
            description="At most 50 lower-case letters, digits and hyphens; no hyphen at the start"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <ActButton
            variant="default"
            change={change}
            onAct={() => change.start(() => request(host, 'putSnapshot', { sandboxId, name: name.trim() }))}
          >
            Take a snapshot
          </ActButton>
        </Group>
        <Refusal error={change.error ?? error} />
        <UnknownAlert change={change} look={sandboxView} />
        {data.map(snapshot => (
          <Group key={snapshot.name} justify="space-between">
            <Text className="name">
              {snapshot.name}{' '}
              <Text span size="sm" c="dimmed">
                {formatInstant(snapshot.takenAt)}, {Math.ceil(Number(snapshot.bytes) / BYTES_PER_KIB)} KiB
              </Text>
            </Text>
            <Group gap="xs">
              <RowButton
                label="Reset to snapshot"
                subject={snapshot.name}
                onClick={() => onReset({ snapshot: snapshot.name })}
              />
              <RowButton
                label="Delete"
                subject={`snapshot ${snapshot.name}`}
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
    <Panel title="Lifecycle clock">
      <Stack>
        <Text>
          {now && `It is ${formatInstant(now)}. `}The clock decides which operations have been retired. Data
          and events have the real time.
        </Text>
        <Group align="flex-end">
          <InstantInput label="New time" value={text} onChange={setText} />
          <ActButton
            variant="default"
            change={change}
            disabled={instant === undefined}
            onAct={() => set(instant ?? null)}
          >
            Set the clock
          </ActButton>
          <ActButton variant="default" change={change} onAct={() => set(null)}>
            Return to the real time
          </ActButton>
        </Group>
        <Refusal error={change.error ?? error} />
        <UnknownAlert change={change} look={sandboxView} />
      </Stack>
    </Panel>
  )
}
