import { Badge, Button, Group, NumberInput, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { operations } from '../../client/operations.ts'
import {
  type FaultCondition,
  type FaultEffect,
  type FaultOperation,
  type FaultRule,
  type FaultRuleState,
  toJson,
} from '../../client/petstore-client.ts'
import { type Change, request } from '../data/change.ts'
import { hostClient, sandboxId } from '../data/host-api.ts'
import { useControlChange } from '../data/sandbox.ts'
import { useSession } from '../data/session-context.ts'
import { Empty } from '../parts/generic/empty.tsx'
import { type DialogProps, FormDialog, useForm } from '../parts/generic/form-dialog.tsx'
import { Page } from '../parts/generic/page.tsx'
import { RowButton } from '../parts/generic/row-button.tsx'
import { type Column, ColumnTable } from '../parts/generic/table.tsx'
import { type Look, UnknownAlert } from '../parts/generic/unknown-alert.tsx'
import { Refusal } from '../parts/names/refusal.tsx'
import { t } from '../words/sentences.tsx'
import { PlantedFaults } from './failures/planted.tsx'

const failuresView: Look = { path: '/failures', what: t('the failures') }

const TABLE_MIN_PX = 700
/** How often the counts are read again, in milliseconds. */
const REFRESH_MS = 2000

// Safe: the keys of the table are the ids.
const operationIds = Object.keys(operations) as (keyof typeof operations)[]

/** The failures that the form offers, by the name of their rule. */
const templates: Readonly<Record<string, { readonly label: string; readonly effect: FaultEffect }>> = {
  full: {
    label: t('503: the storage is full'),
    effect: { type: 'error', code: 'storage_full', retryAfterSeconds: 5 },
  },
  overloaded: {
    label: t('503: too many requests in progress'),
    effect: { type: 'error', code: 'overloaded', retryAfterSeconds: 5 },
  },
  broken: { label: t('500: an unexpected error'), effect: { type: 'error', code: 'internal_error' } },
  'too-often': {
    label: t('429: too many requests'),
    effect: { type: 'error', code: 'rate_limited', retryAfterSeconds: 5 },
  },
  limit: {
    label: t('429 after 3 requests in 10 seconds'),
    effect: { type: 'rate_limit', requests: 3, seconds: 10 },
  },
  slow: { label: t('A delay of 2 seconds'), effect: { type: 'delay', delayMs: 2000 } },
  'slow-body': {
    label: t('A slow connection: 1,000 bytes a second'),
    effect: { type: 'throttle', bytesPerSecond: 1000 },
  },
  'lost-request': {
    label: t('The connection closes before anything happens'),
    effect: { type: 'drop_before_command' },
  },
  'lost-response': {
    label: t('The change is made, and the response is lost'),
    effect: { type: 'drop_after_commit' },
  },
  'cut-off': { label: t('The response is cut off in the middle'), effect: { type: 'truncate' } },
  'cut-stream': { label: t('An event stream ends after its first event'), effect: { type: 'cut_stream' } },
  'webhook-twice': { label: t('Webhooks: each delivery comes twice'), effect: { type: 'webhook_twice' } },
  'webhook-late': {
    label: t('Webhooks: deliveries come 5 seconds late'),
    effect: { type: 'webhook_late', delayMs: 5000 },
  },
  'webhook-order': {
    label: t('Webhooks: deliveries come out of order'),
    effect: { type: 'webhook_out_of_order' },
  },
  'webhook-lost': { label: t('Webhooks: deliveries are lost'), effect: { type: 'webhook_lost' } },
}

const conditions = [
  { value: 'always', label: t('Every call') },
  { value: 'call', label: t('One call, by its number') },
  { value: 'every', label: t('Every n-th call') },
  { value: 'share', label: t('A share of the calls, in percent') },
]

export function Failures() {
  const { key } = useSession()
  const [isAdding, setAdding] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['faults'],
    queryFn: async () => (await hostClient(key).getFaults({ sandboxId })).data.rules,
    refetchInterval: REFRESH_MS,
  })
  const rules = data ?? []
  const change = useControlChange('remove-failure', 'faults')
  const remove = (name: string): void => {
    const others = rules.filter(rule => rule.name !== name).map(withoutCounts)
    change.start(() => request(hostClient(key), 'setFaults', { sandboxId, body: { rules: others } }))
  }
  return (
    <Page
      title={t('Failures')}
      actions={
        // A change replaces all rules, so it needs those that are there.
        <Button disabled={!data} onClick={() => setAdding(true)}>
          {t('Add a failure')}
        </Button>
      }
    >
      <Text c="dimmed">
        {t(
          'Only the first rule that applies to a call takes effect. A change of the rules sets all counts to 0. One request can ask for a failure of its own with the header Petstore-Fault.',
        )}
      </Text>
      <Refusal error={change.error ?? error} />
      <UnknownAlert change={change} look={failuresView} />
      {data && rules.length === 0 && (
        <Empty title={t('No failures')}>{t('Add a failure to see how your program copes with it.')}</Empty>
      )}
      {rules.length > 0 && (
        <ColumnTable
          label={t('Failures')}
          columns={[
            ...columns,
            {
              head: t('Action'),
              isShort: true,
              cell: ({ name }) => (
                <RowButton label={t('Remove')} subject={name} onClick={() => remove(name)} />
              ),
            },
          ]}
          rows={rules}
          idOf={({ name }) => name}
          minWidth={TABLE_MIN_PX}
        />
      )}
      <PlantedFaults look={failuresView} />
      {isAdding && <AddFailure rules={rules} onClose={() => setAdding(false)} />}
    </Page>
  )
}

function withoutCounts({ calls: _, applied: __, ...rule }: FaultRuleState): FaultRule {
  return rule
}

const columns: readonly Column<FaultRuleState>[] = [
  { head: t('Name'), cell: ({ name }) => name },
  { head: t('Operation'), cell: ({ operation }) => operation ?? t('All') },
  { head: t('When'), isShort: true, cell: ({ when }) => conditionText(when) },
  {
    head: t('Effect'),
    cell: ({ effect }) => (
      <Badge color="gray" tt="none">
        {effectText(effect)}
      </Badge>
    ),
  },
  { head: t('Calls'), isNumber: true, cell: ({ calls }) => calls },
  { head: t('Applied'), isNumber: true, cell: ({ applied }) => applied },
]

function effectText({ type, ...members }: FaultEffect): string {
  return [type, ...Object.entries(members).map(([name, value]) => `${name} ${value}`)].join(', ')
}

function conditionText(when: FaultCondition | undefined): string {
  if (!when) return t('Every call')
  if ('call' in when) return t('Call {number}', { number: String(when.call) })
  if ('every' in when) return t('Every {number} calls', { number: String(when.every) })
  if ('share' in when)
    return t('{share} % of the calls', { share: String(Math.round(Number(when.share) * 100)) })
  return toJson(when)
}

function conditionOf(name: string, amount: number): FaultCondition {
  if (name === 'share') return { share: amount / 100 }
  return name === 'every' ? { every: amount } : { call: amount }
}

interface FailureFields {
  /** The name of a template. */
  readonly chosen: string
  readonly operation: FaultOperation | null
  readonly condition: string
  readonly amount: number
}

function AddFailure({ rules, onClose }: DialogProps & { readonly rules: readonly FaultRuleState[] }) {
  const { key } = useSession()
  const form = useForm<FailureFields>(
    { chosen: 'full', operation: null, condition: 'always', amount: 1 },
    { chosen: t('Failure'), operation: t('Operation'), condition: t('When'), amount: t('Number') },
  )
  const { chosen, operation, condition, amount } = form.values
  const template = templates[chosen]
  const isDelivery = chosen.startsWith('webhook')
  const hasOperation = !isDelivery && template?.effect.type !== 'cut_stream'
  const make = (): Change<unknown> => {
    if (!template) throw new Error(`there is no failure ${chosen}`)
    const rule: FaultRule = {
      name: freeName(chosen, rules),
      ...(hasOperation && operation !== null && { operation }),
      ...(condition !== 'always' && { when: conditionOf(condition, amount) }),
      effect: template.effect,
    }
    return request(hostClient(key), 'setFaults', {
      sandboxId,
      body: { rules: [...rules.map(withoutCounts), rule] },
    })
  }
  return (
    <FormDialog
      name="add-failure"
      title={t('Add a failure')}
      action={t('Add')}
      done={t('Failure added')}
      form={form}
      make={make}
      look={failuresView}
      onClose={onClose}
    >
      {field => (
        <Stack>
          <Select
            {...field('chosen')}
            data={Object.entries(templates).map(([value, { label }]) => ({ value, label }))}
            allowDeselect={false}
            onChange={name => form.set({ chosen: name ?? 'full' })}
            data-autofocus
          />
          {hasOperation && (
            <Select {...field('operation')} placeholder={t('All')} clearable searchable data={operationIds} />
          )}
          <Group grow align="flex-end">
            <Select
              {...field('condition')}
              data={conditions}
              allowDeselect={false}
              onChange={value => form.set({ condition: value ?? 'always' })}
            />
            {condition !== 'always' && (
              <NumberInput
                {...field('amount')}
                label={condition === 'share' ? t('Percent') : t('Number')}
                min={1}
                max={condition === 'share' ? 100 : 1_000_000_000}
                allowDecimal={false}
                onChange={value => form.set({ amount: Number(value) || 1 })}
              />
            )}
          </Group>
        </Stack>
      )}
    </FormDialog>
  )
}

/** Returns a name that no rule has: `full`, `full-2`, ... */
function freeName(name: string, rules: readonly FaultRuleState[]): string {
  let free = name
  for (let number = 2; rules.some(rule => rule.name === free); number++) free = `${name}-${number}`
  return free
}
