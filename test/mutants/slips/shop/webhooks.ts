import type { Slips } from '../../slip.ts'

export const shopWebhookSlips: Slips = {
  'src/shop/webhooks/delivery-state.ts': [
    {
      before: `    next_at = CASE WHEN cycle_attempts = $cycleAttempts THEN $nextAt ELSE next_at END,`,
      after: `    next_at = $nextAt,`,
      breaks: 'a redelivery that is requested during an attempt is never sent',
      tests: ['test/webhooks/redeliveries.test.ts: a redelivery that is requested during the last'],
    },
    {
      before: `state = CASE WHEN cycle_attempts = $cycleAttempts THEN $state ELSE state END,`,
      after: `state = $state,`,
      breaks: 'a redelivery that is requested during the last attempt is never sent',
      tests: ['test/webhooks/redeliveries.test.ts: a redelivery that is requested during the last'],
    },
    {
      before: `THEN cycle_attempts + 1 ELSE cycle_attempts END`,
      after: `THEN cycle_attempts + 1 ELSE cycle_attempts + 1 END`,
      breaks: 'a redelivery that is requested during an attempt has one attempt less',
      tests: ['test/webhooks/redeliveries.test.ts: a redelivery that is requested during the last'],
    },
    {
      before: `OR leased_until < $freeBefore OR leased_until > $farAhead)`,
      after: `OR leased_until < $freeBefore)`,
      breaks:
        'a webhook whose lease was stored by a wrong clock gets nothing until that clock would be right',
      tests: ['test/webhooks/leases-and-outcomes.test.ts: a process renews a lease'],
    },
    {
      before: `(leased_by IS NULL OR leased_by = $owner OR leased_until`,
      after: `(leased_by IS NULL OR leased_until`,
      breaks: 'a process cannot renew its leases, and its webhooks stop every 30 seconds',
      tests: ['test/webhooks/leases-and-outcomes.test.ts: a process renews a lease'],
    },
    {
      before: `(leased_by IS NULL OR leased_until < $now OR leased_until > $farAhead)`,
      after: `(leased_by IS NULL OR leased_until > $farAhead)`,
      breaks: 'the webhooks of a killed process get nothing until another webhook changes',
      tests: ['test/webhooks/leases-and-outcomes.test.ts: a webhook is free when its lease has ended'],
    },
    {
      before: `WHERE id = $webhookId AND enabled = 1 AND leased_by = $owner`,
      after: `WHERE id = $webhookId AND enabled = 1 AND $owner <> ''`,
      breaks: 'a process that has lost its lease goes on sending, so the deliveries arrive twice',
      tests: ['test/webhooks/leases-and-outcomes.test.ts: a webhook is free when its lease has ended'],
    },
    {
      before: `return waitMs <= 0 || waitMs > TRYING_GAP_MAX_MS`,
      after: `return waitMs <= 0`,
      breaks: 'a retry that a wrong clock has put off for a year is not made',
      tests: [
        'test/webhooks/delivery-failures.test.ts: a retry that a wrong clock has put off for a year is made once the clock is right',
      ],
    },
    {
      before: `number = attempts - cycle_attempts + 1)`,
      after: `number = 1)`,
      breaks: 'a redelivery of an old delivery fails at its first attempt',
      tests: [
        'test/webhooks/delivery-failures.test.ts: a delivery fails if its next retry is due after the time limit',
      ],
    },
    {
      before: `url: new URL(row.url).origin }`,
      after: `url: new URL(row.url).href }`,
      breaks: 'every reader of events sees the secret in the URL of a receiver',
      tests: [
        'test/webhooks/delivery-failures.test.ts: a webhook whose receiver responds with 410 (Gone) is disabled, and one event reports it',
      ],
    },
    {
      before: `BigInt(Math.min(Math.max(gapMs, 0), TRYING_GAP_MAX_MS))`,
      after: `BigInt(Math.min(gapMs, TRYING_GAP_MAX_MS))`,
      breaks: 'a clock that is set back shortens the time for which a receiver has failed',
      tests: ['test/webhooks/leases-and-outcomes.test.ts: a clock that is set back'],
    },
    {
      before: `  const sent = outcomes.filter(({ unsent }) => !unsent)`,
      after: `  const sent = outcomes`,
      breaks: 'a webhook is disabled because of faults of the store itself',
      tests: ['test/webhooks/leases-and-outcomes.test.ts: attempts that sent nothing'],
    },
    {
      before: `const reason = before.enabled ? reasonToDisable(sent, failing) : ''`,
      after: `const reason = reasonToDisable(sent, failing)`,
      breaks: 'a webhook that was disabled during an attempt is disabled again, with another reason',
      tests: ['test/webhooks/redeliveries.test.ts: a webhook that was disabled during an attempt'],
    },
    {
      before: `    if (state === 'delivered') {`,
      after: `    if (state !== 'pending') {`,
      breaks: 'the failure of a delivery counts as a success of the receiver',
      tests: ['test/webhooks/delivery-failures.test.ts: a delivery fails after the last attempt'],
    },
    {
      before: 'attempts = attempts + 1, updated_at = $at',
      after: 'attempts = attempts + 1, updated_at = coalesce(updated_at, $at)',
      breaks: 'the export of a retried delivery has the instant of its first attempt',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
  ],
  'src/shop/webhooks/delivery-verbs.ts': [
    {
      before: `AND number > attempts - \${ATTEMPTS_SHOWN_MAX}`,
      after: `AND number >= attempts - \${ATTEMPTS_SHOWN_MAX}`,
      breaks: 'a delivery lists more attempts than the description allows',
      tests: ['test/webhooks/leases-and-outcomes.test.ts: a delivery lists its last 20 attempts'],
    },
    {
      before: `AND number > attempts - \${ATTEMPTS_SHOWN_MAX}`,
      after: `AND number <= \${ATTEMPTS_SHOWN_MAX}`,
      breaks: 'a delivery lists its first attempts and not its last ones',
      tests: ['test/webhooks/leases-and-outcomes.test.ts: a delivery lists its last 20 attempts'],
    },
    {
      before: `WHERE id = $deliveryId AND webhook_id = $webhookId`,
      after: `WHERE id = $deliveryId AND $webhookId > 0`,
      breaks: 'a delivery is sent again through another webhook',
      tests: [
        'test/webhooks/delivery-failures.test.ts: a delivery is not sent again for a disabled webhook, or through another webhook',
      ],
    },
    {
      before: `state = 'failed' AND created_at >= $since`,
      after: `state = 'failed' AND created_at > $since`,
      breaks: 'a delivery whose first attempt was exactly at the given instant is not sent again',
      tests: [
        'test/webhooks/delivery-failures.test.ts: one failed delivery can be sent again, or all that were first attempted since an instant',
      ],
    },
    {
      before: `more: due.length === REDELIVERED_MAX`,
      after: `more: due.length > REDELIVERED_MAX`,
      breaks: 'a client that sends failed deliveries again stops after 10,000 of them',
      tests: ['test/webhooks/leases-and-outcomes.test.ts: failed deliveries are made due'],
    },
    {
      before: `if (due.length > 0)`,
      after: `if (due.length > 1)`,
      breaks: 'a single failed delivery that is sent again waits for the next poll, without an event',
      tests: ['test/webhooks/leases-and-outcomes.test.ts: failed deliveries are made due'],
    },
    {
      before: `filters: { webhookId, state },`,
      after: `filters: { webhookId },`,
      breaks: 'a page of the failed deliveries continues a list of all deliveries',
      tests: ['test/webhooks/webhooks.test.ts: webhooks are listed by id'],
    },
  ],
  'src/shop/webhooks/retention.ts': [
    {
      before: `WHERE state <> 'pending' AND updated_at < $before`,
      after: `WHERE updated_at < $before`,
      breaks: 'a delivery that waits for its next attempt is deleted',
      tests: [
        'test/webhooks/delivery-changes.test.ts: deliveries and their attempts are kept for 30 days after their outcome is final',
      ],
    },
    {
      before: `    await tx.run(removeAttempts, { deliveryId })\n`,
      after: ``,
      breaks: 'the attempts of swept deliveries stay in the database for ever',
      tests: [
        'test/webhooks/delivery-changes.test.ts: deliveries and their attempts are kept for 30 days after their outcome is final',
      ],
    },
    {
      before: `    if (await tx.one(findWebhookId, { webhookId: after })) continue\n`,
      after: ``,
      breaks: 'a sweep deletes the deliveries of a webhook that exists',
      tests: [
        'test/webhooks/delivery-changes.test.ts: deliveries and their attempts are kept for 30 days after their outcome is final',
      ],
    },
  ],
  'src/shop/webhooks/verbs.ts': [
    {
      before: `enabled ? null : (before.disabledReason ?? 'asked')`,
      after: `enabled ? null : 'asked'`,
      breaks: 'a change of a disabled webhook hides why the store has disabled it',
      tests: ['test/webhooks/leases-and-outcomes.test.ts: a webhook that is enabled again'],
    },
    {
      before: `    failing_ms = CASE WHEN enabled < $enabled THEN NULL ELSE failing_ms END,`,
      after: `    failing_ms = failing_ms,`,
      breaks: 'a webhook that was enabled again is disabled at its next failure',
      tests: ['test/webhooks/leases-and-outcomes.test.ts: a webhook that is enabled again'],
    },
    {
      before: `    leased_by = CASE WHEN enabled < $enabled THEN NULL ELSE leased_by END,`,
      after: `    leased_by = leased_by,`,
      breaks: 'a webhook that is enabled again gets nothing until its former lease has expired',
      tests: ['test/webhooks/delivery-changes.test.ts: a disabled webhook gets no events'],
    },
    {
      before: `  WHERE id = $webhookId AND version = $version RETURNING \${webhookColumns}`,
      after: `  WHERE id = $webhookId AND version >= $version RETURNING \${webhookColumns}`,
      breaks: 'a change of the description enables a webhook that the store is disabling',
      tests: ['test/shop/interleaved-commands.test.ts: a change of a webhook keeps'],
    },
    {
      before: `const isSame = url === before.url && types === before.types && description === before.description`,
      after: `const isSame = url === before.url && types === before.types`,
      breaks: 'a change of only the description of a webhook is lost',
      tests: [
        'test/webhooks/webhook-changes.test.ts: a change of a webhook is a merge patch: absent members stay, null removes a description',
      ],
    },
    {
      before: `writeJson([...new Set(types)])`,
      after: `writeJson(types)`,
      breaks: 'a webhook lists a type twice',
      tests: [
        'test/webhooks/webhook-changes.test.ts: the body of a webhook may repeat types, which are stored once',
      ],
    },
    {
      before: `((id + step) % slotCount) + 1n`,
      after: `(id % slotCount) + 1n + step`,
      breaks: 'a store allows more webhooks than its limit',
      tests: ['test/webhooks/webhooks.test.ts: webhooks, even if they are created concurrently'],
    },
    {
      before: `previous_secret = secret, previous_until = $previousUntil, secret = $secret`,
      after: `previous_secret = coalesce(previous_secret, secret), previous_until = $previousUntil, secret = $secret`,
      breaks: 'after a second rotation, a receiver with the secret before it refuses all deliveries',
      tests: ['test/webhooks/deliveries.test.ts: a delivery has two signatures'],
    },
    {
      before: `    version = version + 1, updated_at = $now
  WHERE`,
      after: `    version = version + 1, updated_at = coalesce(updated_at, $now)
  WHERE`,
      breaks: 'the export of a changed webhook says that it was never changed',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
    {
      before: `    updated_at = $now
  WHERE id = $webhookId RETURNING`,
      after: `    updated_at = coalesce(updated_at, $now)
  WHERE id = $webhookId RETURNING`,
      breaks: 'the export of a webhook with a new secret says that it was never changed',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
  ],
}
