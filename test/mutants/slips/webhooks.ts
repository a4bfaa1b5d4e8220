import type { Slips } from '../slip.ts'

export const webhookSlips: Slips = {
  'src/webhooks/address.ts': [
    {
      before: `  const [first] = destinations
  if (!first)`,
      after: `  const first = destinations.at(-1)
  if (!first)`,
      breaks:
        'a request goes to the last address of a host, such as an IPv6 address that this machine cannot reach',
      tests: [
        'test/webhooks/addresses.test.ts: a URL of a public host passes, and its destination is the first address of the host',
      ],
    },
    {
      before: `[host] : await lookUp(host, rules.resolve)`,
      after: `[host] : (await lookUp(host, rules.resolve)).slice(0, 1)`,
      breaks: 'a host with a public and a private address passes as public',
      tests: ['test/webhooks/addresses.test.ts: hostile URLs passes, and no connection is made'],
    },
    {
      before: `address.includes('%') ? 0 : isIP(address)`,
      after: `isIP(address)`,
      breaks: 'an address with a zone id of this machine is connected to',
      tests: ['test/webhooks/addresses.test.ts: hostile URLs passes, and no connection is made'],
    },
    {
      before: `/[\\p{Cc}\\p{Z}\\\\]/u`,
      after: `/[\\p{Cc}\\p{Z}]/u`,
      breaks: 'a URL with a backslash goes to another host than its reader sees',
      tests: ['test/webhooks/addresses.test.ts: a URL with a backslash'],
    },
    {
      before: `if (!parsed || !isHost(parsed.hostname))`,
      after: `if (!parsed)`,
      breaks: 'a webhook at a name that cannot exist is saved with a warning only',
      tests: ['test/webhooks/addresses.test.ts: a URL whose host cannot exist'],
    },
  ],
  'src/webhooks/attempt.ts': [
    {
      before: `&& Date.parse(previousUntil) > clock()`,
      after: `&& Date.parse(previousUntil) > 0`,
      breaks: 'deliveries are signed with a leaked secret for ever',
      tests: [
        'test/webhooks/deliveries.test.ts: a delivery has two signatures for 24 hours after a rotation, and then one',
      ],
    },
    {
      before: `unsent: true, waitMs, error: limitText(hostLimit) }`,
      after: `waitMs, error: limitText(hostLimit) }`,
      breaks: 'a wait for the limit of a host counts as a failure of the receiver',
      tests: ['test/webhooks/host-limit.test.ts: does not delay the deliveries to another host'],
    },
    {
      before: `String(Math.floor(nowMs / 1000))`,
      after: `String(Math.round(nowMs / 1000))`,
      breaks: 'a receiver refuses half of the deliveries, because their signature is over another second',
      tests: [
        'test/webhooks/deliveries.test.ts: a delivery contains the envelope of the feed, byte for byte, signed per Standard Webhooks',
      ],
    },
    {
      before: `...(event.traceparent !== null && { traceparent: event.traceparent }),`,
      after: ``,
      breaks: 'a tracer cannot continue a trace in the receiver of a webhook',
      tests: ['test/http/events/traces.test.ts: the trace of a request'],
    },
  ],
  'src/webhooks/dispatcher.ts': [
    {
      before: `      if (changes.has(WEBHOOK_TABLE)) this.#mayHaveFree = true`,
      after: `      if (changes.has(WEBHOOK_TABLE)) this.#mayHaveFree ||= false`,
      breaks: 'a new webhook gets its first event after 10 seconds',
      tests: ['test/webhooks/interrupted-reads.test.ts: a webhook that is created during a check'],
    },
    {
      before: `      } catch (error) {
        this.#mayHaveFree = true`,
      after: `      } catch (error) {`,
      breaks: 'a webhook that is created while the database fails gets its first event after 10 seconds',
      tests: ['test/webhooks/interrupted-reads.test.ts: a webhook that is created before a check'],
    },
    {
      before: `    // This comes first, so that a report during the read is not lost.
    this.#mayHaveFree = this.#stopReports === undefined
    return this.#options.engine.readShort(reader => hasFreeWebhook(reader, now))`,
      after: `    const hasFree = await this.#options.engine.readShort(reader => hasFreeWebhook(reader, now))
    this.#mayHaveFree = this.#stopReports === undefined
    return hasFree`,
      breaks: 'a webhook that is created during a check gets its first event after 10 seconds',
      tests: ['test/webhooks/interrupted-reads.test.ts: a webhook that is created during a check'],
    },
    {
      before: `    await this.#execute('releaseWebhooks', { owner: this.#options.owner })\n`,
      after: ``,
      breaks: 'after a restart of one of two processes, its webhooks wait for 30 seconds',
      tests: ['test/webhooks/interrupted-reads.test.ts: a process that stops releases'],
    },
    {
      before: `      this.#senders.delete(webhook.id)
      this.#hasEndedSender = true`,
      after: `      this.#senders.delete(webhook.id)`,
      breaks: 'a webhook that is disabled and enabled during an attempt gets nothing until its lease expires',
      tests: ['test/webhooks/interrupted-reads.test.ts: a webhook that is disabled and enabled'],
    },
  ],
  'src/webhooks/host-limit.ts': [
    {
      before: `    if (waitMs > 0) return waitMs
    for`,
      after: `    for`,
      breaks: 'the attempts that must wait are counted, so a busy host gets nothing at all',
      tests: ['src/webhooks/host-limit.test.ts: a host gets no more attempts in any minute than the limit'],
    },
    {
      before: `.replace(/\\.$/, '')`,
      after: ``,
      breaks: 'a trailing dot in a URL doubles the limit of a host',
      tests: [
        'src/webhooks/host-limit.test.ts: a host is the same at another port, at another path, with a trailing dot and in capital letters',
      ],
    },
    {
      before: `    this.#attempts.delete(host)
    this.#attempts.set(host, recent)`,
      after: '    this.#attempts.set(host, recent)',
      breaks: 'the host with the latest attempts is forgotten, so its limit begins again',
      tests: [
        'src/webhooks/host-limit.test.ts: a limit that is full forgets the host without an attempt for the longest time',
      ],
    },
  ],
  'src/webhooks/outcome-writer.ts': [
    {
      before: `      await Bun.sleep(WRITE_RETRY_MS)
      return this.#isStopped`,
      after: `      await Bun.sleep(WRITE_RETRY_MS)
      return true`,
      breaks: 'an attempt whose outcome could not be stored is lost, and with it the event',
      tests: [
        'src/webhooks/outcome-writer.test.ts: a failed write is repeated, together with the outcomes that arrived after it',
      ],
    },
    {
      before: `      else this.#waiting.unshift(...batch)`,
      after: `      else this.#waiting = batch`,
      breaks: 'an outcome that arrives while another one cannot be stored is lost',
      tests: [
        'src/webhooks/outcome-writer.test.ts: a failed write is repeated, together with the outcomes that arrived after it',
      ],
    },
  ],
  'src/webhooks/pending-events.ts': [
    {
      before: `if (relevance.isWanted && !isRecorded(this.#positions, event.position)) {`,
      after: `if (relevance.isWanted) {`,
      breaks: 'after a restart, events are delivered twice that came after an event without an outcome',
      tests: ['test/webhooks/interrupted-reads.test.ts: an event that has a delivery'],
    },
    {
      before: `    if (receiver.types !== types) {`,
      after: `    if (receiver.types !== types && types === null) {`,
      breaks: 'events of types that a webhook subscribed to during a read are never sent',
      tests: ['test/webhooks/interrupted-reads.test.ts: an event of a type that was added'],
    },
    {
      before: `isSaveDue: !hasEvents && isSaveDue(this.#positions) }`,
      after: `isSaveDue: hasEvents && isSaveDue(this.#positions) }`,
      breaks: 'a webhook for rare types searches the whole history again after each restart',
      tests: ['test/webhooks/interrupted-reads.test.ts: a webhook for a rare type stores'],
    },
    {
      before: `      this.#positions = withFloor(this.#positions, floor)
      this.#seenCreation = true`,
      after: `      this.#positions = withFloor(this.#positions, floor + 1n)
      this.#seenCreation = true`,
      breaks: 'a webhook misses one event more than retention has deleted',
      tests: ['test/webhooks/interrupted-reads.test.ts: a webhook whose next events were deleted'],
    },
    {
      before: `    this.#seenCreation ||= relevance.isCreation`,
      after: `    this.#seenCreation = relevance.isCreation`,
      breaks: 'an event is not delivered whose clock was behind that of the creation of the webhook',
      tests: ['test/webhooks/interrupted-reads.test.ts: an event with a time before the creation'],
    },
  ],
  'src/webhooks/request.ts': [
    {
      before: `.replaceAll('\\0', '')`,
      after: ``,
      breaks: 'on PostgreSQL, the outcome of an attempt whose reply has a NUL character is never stored',
      tests: ['test/webhooks/requests.test.ts: the status, the reply and Retry-After are returned'],
    },
    {
      before: `    if (++informational <= INFORMATIONAL_MAX) return`,
      after: `    if (informational <= INFORMATIONAL_MAX) return`,
      breaks: 'a receiver that sends informational responses keeps a connection busy',
      tests: [
        'test/webhooks/flooding-receivers.test.ts: without an end is disconnected after a bounded number of bytes',
      ],
    },
    {
      before: `{ ...headers, Host: url.host,`,
      after: `{ ...headers, Host: url.hostname,`,
      breaks: 'a receiver on another port than 80 gets a Host that is not its own',
      tests: [
        'test/webhooks/requests.test.ts: the body, the headers, the path and the host name arrive unchanged',
      ],
    },
    {
      before: `bytes >= REPLY_BYTES_READ || response.socket.bytesRead`,
      after: `response.socket.bytesRead`,
      breaks: 'four times as much of a reply is read as allowed',
      tests: ['test/webhooks/requests.test.ts: a reply is read up to 64 KiB'],
    },
    {
      before: `path: url.pathname + url.search,`,
      after: `path: url.pathname,`,
      breaks: 'a receiver with a token in the query of its URL refuses all deliveries',
      tests: [
        'test/webhooks/requests.test.ts: the body, the headers, the path and the host name arrive unchanged',
      ],
    },
  ],
  'src/webhooks/retry.ts': [
    {
      before: `retryDelaysMs[attempts - 1]`,
      after: `retryDelaysMs[attempts]`,
      breaks: 'the first delay is skipped, and a delivery has one attempt less',
      tests: [
        'src/webhooks/retry.test.ts: the next attempt comes after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then never',
      ],
    },
    {
      before: `Math.max(scheduledMs, requestedDelayMs(response.retryAfter, nowMs))`,
      after: `Math.max(delayMs, requestedDelayMs(response.retryAfter, nowMs))`,
      breaks: 'deliveries that failed together are sent again together',
      tests: [
        'src/webhooks/retry.test.ts: the next attempt is delayed at random by up to a tenth, and never brought forward',
      ],
    },
  ],
  'src/webhooks/sender-schedule.ts': [
    {
      before: `status === 429 || status === 503`,
      after: `status === 429`,
      breaks: 'a receiver that is down gets more deliveries than it asked for',
      tests: [
        'src/webhooks/sender-schedule.test.ts: a receiver that responds 503 gets the pause that it asks for',
      ],
    },
    {
      before: `return state.inFlight === 0 ? { ...state, failures: receiver.failures } : state`,
      after: `return { ...state, failures: receiver.failures }`,
      breaks: 'a receiver that fails gets four attempts at a time',
      tests: [
        'src/webhooks/sender-schedule.test.ts: the stored failures are ignored during an attempt, because they may be outdated',
      ],
    },
  ],
  'src/webhooks/sender.ts': [
    {
      before: `    const inProgress = new Set(this.#inProgress)
    // Reset`,
      after: `    const inProgress = this.#inProgress
    // Reset`,
      breaks: 'a retry whose attempt ends during a read is sent twice',
      tests: ['test/webhooks/interrupted-reads.test.ts: a retry whose attempt ends'],
    },
    {
      before: `    this.#state = withDueRead(this.#state, this.#now())
    const deliveries = await readShort(reader => pendingDeliveries(reader, this.#id))`,
      after: `    const deliveries = await readShort(reader => pendingDeliveries(reader, this.#id))
    this.#state = withDueRead(this.#state, this.#now())`,
      breaks: 'a retry that is stored during a read waits for the next poll',
      tests: ['test/webhooks/interrupted-reads.test.ts: a retry that is stored during a check'],
    },
    {
      before: `    if (result.waitMs !== undefined && work.due) return\n`,
      after: ``,
      breaks: 'each wait for the limit of a host is listed as an attempt',
      tests: ['test/webhooks/host-limit.test.ts: the limit of a host applies to all stores that share it'],
    },
    {
      before: `(result.waitMs === undefined ? 1 : 0)`,
      after: `1`,
      breaks: 'a wait for the limit of a host uses up an attempt',
      tests: ['test/webhooks/host-limit.test.ts: a wait for the limit'],
    },
    {
      before: `    if (outcome.nextAt !== undefined) this.#noteDue(outcome.nextAt)\n`,
      after: ``,
      breaks: 'a retry comes up to 10 seconds late',
      tests: ['test/webhooks/redeliveries.test.ts: a redelivery that is requested during the last'],
    },
    {
      before: `      return { error: 'The store could not make this attempt.', unsent: true, durationMs: 0 }`,
      after: `      return { error: 'The store could not make this attempt.', durationMs: 0 }`,
      breaks: 'a fault of the store counts as a failure of the receiver',
      tests: ['test/webhooks/delivery-failures.test.ts: an error of the store during'],
    },
    {
      before: `unsent: true, final: true, durationMs: 0 }`,
      after: `unsent: true, durationMs: 0 }`,
      breaks: 'a delivery whose event was deleted is attempted for days',
      tests: ['test/webhooks/interrupted-reads.test.ts: a delivery whose event has been deleted'],
    },
    {
      before: `(cycleStartedAt ? Date.parse(cycleStartedAt) : startedMs) + giveUpAfterMs`,
      after: `startedMs + giveUpAfterMs`,
      breaks: 'a delivery is attempted for longer than the time limit',
      tests: [
        'test/webhooks/delivery-failures.test.ts: a delivery fails if its next retry is due after the time limit',
      ],
    },
    {
      before: `        if (work.due) this.#inProgress.delete(work.due.id)\n`,
      after: ``,
      breaks: 'a delivery gets no third attempt',
      tests: ['test/webhooks/delivery-failures.test.ts: a delivery fails after the last attempt'],
    },
    {
      before: `      this.#options.onError(error)
      this.#sleep(ERROR_PAUSE_MS)`,
      after: `      this.#options.onError(error)`,
      breaks: 'after a failed read, an event waits for the next change in the shop',
      tests: ['test/webhooks/interrupted-reads.test.ts: an event is sent soon after'],
    },
    {
      before: `        this.#redeliveryRequests++
        this.#state = withDue(this.#state, 0)`,
      after: `        this.#redeliveryRequests++`,
      breaks: 'a requested redelivery starts up to 10 seconds late',
      tests: ['test/webhooks/interrupted-reads.test.ts: a retry that is stored during a check'],
    },
    {
      before: `        if (requestsBefore !== this.#redeliveryRequests) this.#state = withDue(this.#state, 0)\n`,
      after: ``,
      breaks: 'a redelivery that was requested during an attempt starts up to 10 seconds late',
      tests: ['test/webhooks/redeliveries.test.ts: a redelivery that is requested during the last'],
    },
    {
      before: `    const next = deliveries.find(({ id }) => !inProgress.has(id))`,
      after: `    const next = deliveries[0]`,
      breaks: 'a delivery is attempted twice at the same time',
      tests: ['test/webhooks/interrupted-reads.test.ts: a retry whose attempt ends'],
    },
    {
      before: 'Math.max(waitMs, HOST_PAUSE_MIN_MS)',
      after: 'Math.min(waitMs, HOST_PAUSE_MIN_MS)',
      breaks: 'many senders that wait for one host ask for it all the time',
      tests: ['test/webhooks/host-limit.test.ts: a host whose limit is reached is not asked for again'],
    },
  ],
  'src/webhooks/special-addresses.ts': [
    {
      before: `& ~0x0300) === 0`,
      after: `& ~0x0200) === 0`,
      breaks: 'an ISATAP form of a private address passes as public',
      tests: ['test/webhooks/addresses.test.ts: hostile URLs passes'],
    },
    {
      before: `100.64.0.0/10`,
      after: `100.64.0.0/11`,
      breaks: 'half of the addresses of a carrier pass as public',
      tests: ['test/webhooks/addresses.test.ts: hostile URLs passes, and no connection is made'],
    },
    {
      before: `172.16.0.0/12`,
      after: `172.16.0.0/13`,
      breaks: 'half of a private network passes as public',
      tests: ['test/webhooks/addresses.test.ts: hostile URLs passes, and no connection is made'],
    },
    {
      before: `3fff::/20`,
      after: `3fff::/24`,
      breaks: 'addresses for documentation pass as public',
      tests: ['test/webhooks/addresses.test.ts: hostile URLs passes, and no connection is made'],
    },
    {
      before: `2002::/16`,
      after: `2002::/17`,
      breaks: 'the 6to4 forms of half of all IPv4 addresses pass as public, among them 192.168.0.0/16',
      tests: ['test/webhooks/addresses.test.ts: hostile URLs passes, and no connection is made'],
    },
  ],
}
