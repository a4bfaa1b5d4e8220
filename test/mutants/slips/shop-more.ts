import type { Slips } from '../slip.ts'

const CURSORS = 'test/shop/cursors.test.ts'

/** The slips of `src/shop` in lists, events, deliveries, webhooks, keys, the audit log, exports and imports. */
export const moreShopSlips: Slips = {
  'src/shop/paging.ts': [
    {
      before: `const next = rows.length > limit && last ? writeCursor(list, last) : undefined`,
      after: `const next = rows.length >= limit && last ? writeCursor(list, last) : undefined`,
      breaks: 'the last page of a list has a link to an empty page',
      tests: [
        'test/shop/lists.test.ts: a paged list skips and repeats no row when other rows are added and deleted between pages',
      ],
    },
    {
      before: `  const name = requested ?? ranged ?? 'id'`,
      after: `  const name = requested ?? 'id'`,
      breaks: 'a filter by name without a sort is refused',
      tests: [
        'test/shop/lists.test.ts: include=stock adds the stock of each pet, whatever the filters, the sort and the limit',
      ],
    },
    {
      before: `z.string().refine(text => !text.includes('\\0'))`,
      after: `z.string()`,
      breaks: 'on PostgreSQL, a forged cursor with a NUL character causes a server error',
      tests: ['test/http/hostile.test.ts'],
    },
    {
      before: `if (hash !== positionListHash(list) || position === undefined) throw invalidCursor()`,
      after: `if (position === undefined) throw invalidCursor()`,
      breaks: 'a page of the audit log continues another search',
      tests: [
        'test/shop/audit-log.test.ts: a cursor is valid only for the filters with which it was created',
      ],
    },
    {
      before: `(typeof value === 'bigint' ? 'bigint' : 'text')`,
      after: `(typeof value === 'bigint' ? 'text' : 'text')`,
      breaks: 'on PostgreSQL, a list with several categories fails',
      tests: ['test/shop/lists.test.ts: pets match a filter with any'],
    },
    {
      before: `  const { cursor } = list.input
  if (cursor === undefined || cursor === '') return undefined`,
      after: `  const { cursor } = list.input
  if (cursor === undefined) return undefined`,
      breaks: 'the documented empty cursor is refused',
      tests: [`${CURSORS}: is the first page`],
    },
  ],
  'src/shop/events/feed.ts': [
    {
      before: `  // Events that a sweep deleted during the read are missing from it, so the position is checked again.
  assertWithinLog(after, await findLogBounds(reader))\n`,
      after: ``,
      breaks: 'a client whose events are deleted during its read misses events without an error',
      tests: ['test/shop/event-retention.test.ts: a sweep during a read moves'],
    },
    {
      before: `return { events, to: events.at(-1)?.position ?? after, isAtHead: false }`,
      after: `return { events, to, isAtHead: false }`,
      breaks: 'the next page of the feed skips the events that did not fit in the page',
      tests: [
        'test/http/events/feed.test.ts: a page has at most the requested number of events, and its next link continues after them',
      ],
    },
    {
      before: `  const last = gapAround(furthest, bounds)?.to ?? furthest`,
      after: `  const last = furthest`,
      breaks: 'the feed of a restored store ends in the gap, and its next link is refused',
      tests: [
        'test/cli/backup.test.ts: a store that is restored from a live backup never reissues an id or a position of the lost store',
      ],
    },
    {
      before: `if (!(error instanceof StoreError) || error.code !== 'event_history_expired') throw error
    }
  }
}

/**
 * Returns one page of the feed.`,
      after: `throw error
    }
  }
}

/**
 * Returns one page of the feed.`,
      breaks: 'a read of the oldest events is refused if a sweep deletes some of them at that moment',
      tests: ['test/shop/event-retention.test.ts: a sweep during a read moves'],
    },
    {
      before: `if (rows.length <= limit) return { events: rows, to, isAtHead: to === ends.head }`,
      after: `if (rows.length <= limit) return { events: rows, to, isAtHead: true }`,
      breaks: 'a long poll waits at an old position although there are later events of its type',
      tests: [
        'test/http/events/feed.test.ts: a rare type is found after thousands of other events, in one response',
      ],
    },
  ],
  'src/shop/idempotency.ts': [
    {
      before: `if (stored.fingerprint !== fingerprint)`,
      after: `if (stored.fingerprint === '')`,
      breaks: 'another command with the same idempotency key gets the first response',
      tests: ['test/shop/idempotency.test.ts: an idempotency key is refused for another request'],
    },
    {
      before: `location FROM reply
  WHERE owner = $owner AND operation = $operation`,
      after: `location FROM reply
  WHERE owner <= $owner AND operation = $operation`,
      breaks: 'a repeated request gets the stored response of another caller',
      tests: ['test/shop/idempotency.test.ts: a repeated request gets the response of its own caller'],
    },
    {
      before: `    ...(stored.location !== null && { location: stored.location }),\n`,
      after: ``,
      breaks: 'the response to a repeated creation has no Location',
      tests: [
        'test/shop/idempotency.test.ts: a repeated request gets the same response, byte for byte, marked as a repeat',
      ],
    },
  ],
  'src/shop/log/retention.ts': [
    {
      before: `: oldest[firstKept - 1]`,
      after: `: oldest[firstKept]`,
      breaks: 'a sweep deletes an event that is not old enough',
      tests: [
        'test/shop/event-retention.test.ts: events beyond the retention are deleted, and a client that has not read them gets an error',
      ],
    },
    {
      before: `WHERE name = 'floor' AND position = $floor`,
      after: `WHERE name = 'floor' AND position >= $floor`,
      breaks: 'two processes that sweep at once set the floor back, and the deleted events count as missing',
      tests: ['test/shop/interleaved-commands.test.ts: a sweep does not set the floor back'],
    },
  ],
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
  'src/shop/keys/verbs.ts': [
    {
      before: `(expiresAt === null || expiresAt > now),`,
      after: `expiresAt === null,`,
      breaks: 'a start adds an admin key that never expires, although an admin key that expires is valid',
      tests: ['test/cli/admin-key.test.ts: a start adds an admin key only if no admin key is valid'],
    },
    {
      before: `if (key.expiresAt !== null && key.expiresAt <= now) throw expiredKey()`,
      after: `if (key.expiresAt !== null && key.expiresAt < now) throw expiredKey()`,
      breaks: 'a key works at the instant of its expiry',
      tests: ['test/shop/keys.test.ts: a key is refused from the instant of its expiry'],
    },
    {
      before: `  if (!requested) return latest ?? null`,
      after: `  if (!requested) return null`,
      breaks: 'a key that expires creates a key that never expires',
      tests: ['test/shop/keys.test.ts: a key that expires cannot create a key that expires later'],
    },
    {
      before: `if (latest === undefined || expiresAt <= latest) return expiresAt`,
      after: `if (latest === undefined || expiresAt < latest) return expiresAt`,
      breaks: 'a key cannot create a key that expires with it',
      tests: ['test/shop/keys.test.ts: a key that expires cannot create a key that expires later'],
    },
    {
      before: `if (expiresAt <= now) throw wrongExpiry`,
      after: `if (expiresAt < now) throw wrongExpiry`,
      breaks: 'a key is created that has already expired',
      tests: ['test/shop/keys.test.ts: a key cannot be created that expires at the instant'],
    },
    {
      before: `  return expiresAt === null && readScopes(scopes).includes('admin')`,
      after: `  return readScopes(scopes).includes('admin')`,
      breaks: 'the last admin key is revoked because another one has not expired yet',
      tests: [
        'test/shop/keys.test.ts: the last admin key without an expiry cannot be revoked, whatever other keys there are',
      ],
    },
    {
      before: `  if (beyond) throw beyondScope(beyond, 'revoke a key that has it')\n`,
      after: ``,
      breaks: 'a key revokes keys that may do more than itself',
      tests: ['test/shop/keys.test.ts: a key cannot revoke a key that has a scope'],
    },
    {
      before: `key !== undefined && (key.expiresAt === null || key.expiresAt > now)`,
      after: `key !== undefined && (key.expiresAt === null || key.expiresAt !== now)`,
      breaks: 'the stream of an expired key continues',
      tests: ['test/http/events/stream.test.ts: the stream of an expired key ends soon after the expiry'],
    },
    {
      before: `expiresAt === null && revokedAt === null) return true`,
      after: `expiresAt === null) return true`,
      breaks: 'a revoked admin key of the environment stays revoked, and nobody can administer the store',
      tests: [
        'test/cli/environment-key.test.ts: a key that was revoked several times works again if it is in PETSTORE_ADMIN_KEY',
      ],
    },
    {
      before: `WHERE made_by = 'environment' AND hash <> $hash AND revoked_at IS NULL`,
      after: `WHERE made_by <> 'key' AND hash <> $hash AND revoked_at IS NULL`,
      breaks: 'an admin key in the environment revokes the key of the first start',
      tests: ['test/shop/keys.test.ts: a new admin key of the environment'],
    },
  ],
  'src/shop/events/audit.ts': [
    {
      before: `Date.parse(row.at) >= untilMs + COMMAND_MS_MAX`,
      after: `Date.parse(row.at) >= untilMs`,
      breaks: 'an entry of a period is missing if newer entries come before it',
      tests: ['test/shop/audit-log.test.ts: an entry of a period is found'],
    },
    {
      before: `row.at < storedInstant(Date.parse(since) - COMMAND_MS_MAX)`,
      after: `row.at < since`,
      breaks: 'an entry of a period is missing if older entries come after it',
      tests: ['test/shop/audit-log.test.ts: an old entry is found'],
    },
    {
      before: `  const lowest = gapAround(furthest, bounds)?.after ?? furthest`,
      after: `  const lowest = furthest`,
      breaks: 'the audit log of a restored store has an empty page for each 5,000 positions of its gap',
      tests: ['test/shop/audit-log-gaps.test.ts: a page of the audit log crosses a gap'],
    },
    {
      before: `last !== undefined && last > floor + 1n &&`,
      after: `last !== undefined && last > floor + 2n &&`,
      breaks: 'the oldest entry of the audit log is on no page',
      tests: ['test/shop/audit-log-gaps.test.ts: a page of the audit log crosses a gap'],
    },
    {
      before: `: untilMs > LAST_MS ? '9999-12-31T24' : storedInstant(untilMs)`,
      after: `: storedInstant(untilMs)`,
      breaks: 'a period up to the last day of the year 9999 causes a server error',
      tests: ['test/shop/audit-log.test.ts: a period has an inclusive start and an exclusive end'],
    },
  ],
  'src/shop/log/verification.ts': [
    {
      before: `gaps.filter(({ after }) => after >= floor.position)`,
      after: `gaps.filter(({ after }) => after > floor.position)`,
      breaks:
        'the audit log of a restored store counts as damaged once its entries before the gap are deleted',
      tests: ['test/shop/audit-log-gaps.test.ts: an audit log with a gap is intact'],
    },
    {
      before: `  if (anchor.position === floor.position && anchor.hash === floor.hash) return []\n`,
      after: ``,
      breaks: 'an anchor of the last deleted entry counts as a fault',
      tests: ['test/shop/audit-log-gaps.test.ts: an audit log with a gap is intact'],
    },
    {
      before: `else if (last.hash !== head.hash) problems`,
      after: `else if (last.hash === '') problems`,
      breaks: 'a head that does not match the last entry is not reported',
      tests: ['test/shop/audit-log-gaps.test.ts: an audit log with a gap is intact'],
    },
  ],
  'src/transfer/exports.ts': [
    {
      before: `    petId = last.petId
    version = last.version`,
      after: `    petId = last.petId
    version = last.version + 1n`,
      breaks: 'an export of more than 1,000 movements omits one at each thousand',
      tests: ['test/transfer/exports.test.ts: an export of more than a thousand rows'],
    },
    {
      before: `      after = BigInt(last.id ?? 0n)`,
      after: `      after = BigInt(last.id ?? 0n) + 1n`,
      breaks: 'an export of more than 1,000 rows omits one at each thousand',
      tests: ['test/transfer/exports.test.ts: an export of more than a thousand rows'],
    },
    {
      before: `    after = last.position
  }
}

function readEnvelope`,
      after: `    after = last.position + 1n
  }
}

function readEnvelope`,
      breaks: 'an export of more than 1,000 events omits one at each thousand',
      tests: [
        'test/cli/export.test.ts: the export of a busy store has every row of a resource once, with the values of the API',
      ],
    },
    {
      before: `new Set(['hold', 'complete', 'enabled'])`,
      after: `new Set(['complete', 'enabled'])`,
      breaks: 'an export has 0 and 1 in the column hold, which an import refuses',
      tests: ['test/transfer/exports.test.ts: an export of more than a thousand rows'],
    },
    {
      before: '/(?:^at|At|shipDate)$/',
      after: '/(?:^at|At)$/',
      breaks: 'an exported shipDate is not as the API writes it',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
    {
      before: `new Set(['scopes', 'types'])`,
      after: `new Set(['scopes'])`,
      breaks: 'the types of an exported webhook are a text instead of a list',
      tests: ['test/transfer/exports.test.ts: every column of an export has what the API says'],
    },
  ],
  'src/shop/imports/verbs.ts': [
    {
      before: `isLast = file === 'pets' && BigInt(pets.length) < body.rows`,
      after: `isLast = file === 'pets' && BigInt(pets.length) <= body.rows`,
      breaks: 'an import in slices ends after the first slice and deletes the rest',
      tests: [
        'test/cli/import-slices.test.ts: an import in slices loads every row, and other commands run between the slices',
      ],
    },
    {
      before: `petLoader(tx, context, names, readBoolean(complete.hold))`,
      after: `petLoader(tx, context, names, body.skipExisting === true)`,
      breaks: 'a resumed import loads pets that the interrupted import was told to skip',
      tests: [
        'test/cli/import-existing.test.ts: a resumed import skips existing pets, as the interrupted import did',
      ],
    },
    {
      before: `      if (!locked.has(categoryId)) await tx.run(lockCategory, { categoryId })\n`,
      after: ``,
      breaks: 'two concurrent imports that skip existing pets load each pet twice',
      tests: ['test/cli/import-existing.test.ts: two imports that skip existing'],
    },
    {
      before: `onHold: hold && quantity > 0n }`,
      after: `onHold: hold }`,
      breaks: 'a pet that is imported on hold without stock is on hold after its first restock',
      tests: ['test/shop/imports.test.ts: a pet that is imported on hold'],
    },
    {
      before: `    const last = rows.at(-1)
    if (!last) return
    after = last.line`,
      after: `    const last = rows.at(-1)
    if (!last) return
    after = last.line + 1n`,
      breaks: 'an import of more than 1,000 rows loads all but one of each thousand',
      tests: ['test/shop/imports.test.ts: an import of more than a thousand rows'],
    },
    {
      before: `if (first?.importId === importId && first.at === DISCARDED) await tx.run(deleteStaged, { importId })\n`,
      after: ``,
      breaks: 'a discarded import is loaded',
      tests: [
        'test/serving/sweeping.test.ts: rows of a discarded import are deleted by the sweep, and cannot be loaded',
      ],
    },
    {
      before: `    if (known === 'new') problems.push(problem('categories', row, occursTwice(row.name)))
    else if (known === 'several')`,
      after: `    if (known === 'several')`,
      breaks: 'an import creates nothing for a category that occurs twice, and reports no problem',
      tests: ['test/shop/imports.test.ts: a category that occurs twice'],
    },
    {
      before: `    if (next.at < before) return tx.run(sweepImport, { importId: next.importId })
    after = next.importId`,
      after: `    if (next.at < before) return tx.run(sweepImport, { importId: next.importId })
    return 0`,
      breaks:
        'the rows of an interrupted import stay in the database for as long as an older import is in progress',
      tests: ['test/shop/imports.test.ts: a sweep finds the rows'],
    },
    {
      before: `ORDER BY file DESC, line DESC LIMIT`,
      after: `ORDER BY file, line LIMIT`,
      breaks: 'a sweep of a discarded import deletes its mark first, and the other rows can be loaded',
      tests: ['test/shop/imports.test.ts: a sweep of an interrupted import'],
    },
    {
      before: `SELECT id FROM pet WHERE category_id = $categoryId AND status IN ('available', 'pending', 'sold')`,
      after: `SELECT id FROM pet WHERE category_id = $categoryId AND status IN ('available', 'pending')`,
      breaks: 'an import that skips existing pets loads a pet that is sold out a second time',
      tests: ['test/shop/imports.test.ts: skips a pet in every status, in each Unicode form'],
    },
    {
      before: `DISTINCT name FROM pet WHERE category_id = $categoryId AND status IN ('available', 'pending', 'sold')`,
      after: `DISTINCT name FROM pet WHERE category_id = $categoryId AND status IN ('available', 'pending')`,
      breaks:
        'an import that skips existing pets loads a pet again that is sold out and has another Unicode form',
      tests: ['test/shop/imports.test.ts: skips a pet in every status, in each Unicode form'],
    },
    {
      before: `STAGED_KEPT_MS = 24 * 3_600_000`,
      after: `STAGED_KEPT_MS = 24 * 60_000`,
      breaks: 'an import that was interrupted half an hour ago cannot be resumed',
      tests: ['test/shop/imports.test.ts: the rows of an interrupted import are kept for a day'],
    },
    {
      before: `ORDER BY CASE WHEN name = $name THEN 0 ELSE 1 END, id LIMIT`,
      after: `ORDER BY id LIMIT`,
      breaks: 'a category is not found by its exact name if more than 20 others differ from it in case',
      tests: ['test/shop/imports.test.ts: a category is found by its exact name'],
    },
    {
      before: `  if (hasOneForm(name)) return false\n`,
      after: `  return false\n`,
      breaks: 'a pet whose name is written in another Unicode form is imported twice',
      tests: ['test/shop/imports.test.ts: an import that skips existing pets'],
    },
    {
      before: `.filter(other => other.name !== name)`,
      after: ``,
      breaks: 'an import of pets into a new category with the same import finds the category twice',
      tests: [
        'test/cli/import.test.ts: an import loads categories and pets into a new store, and a second import adds to that store while it is stopped',
      ],
    },
  ],
  'src/shop/log/bounds.ts': [
    {
      before: `position > after && position < to)`,
      after: `position >= after && position < to)`,
      breaks: 'a client of a restored store is refused although it has read nothing that is lost',
      tests: [
        'test/cli/backup.test.ts: a store that is restored from a live backup never reissues an id or a position of the lost store',
      ],
    },
    {
      before: `position > after && position < to)`,
      after: `position > after && position <= to)`,
      breaks: 'a client that has read up to the end of the gap of a restored store is refused for ever',
      tests: [
        'test/cli/backup.test.ts: a store that is restored from a live backup never reissues an id or a position of the lost store',
      ],
    },
  ],
  'src/contract/scopes.ts': [
    {
      before: `return scope === 'audit:read' && scopes.includes('keys:manage')`,
      after: `return scope === 'audit:read' && scopes.length > 1 && scopes.includes('keys:manage')`,
      breaks: 'an old key with keys:manage can no longer read the audit log',
      tests: [
        'test/shop/audit-log.test.ts: audit:read gives access only to the audit log, and keys:manage includes it',
      ],
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
}
