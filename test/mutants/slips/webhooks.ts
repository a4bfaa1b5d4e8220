import type { Slips } from '../slip.ts'

export const webhooksSlips: Slips = {
  'src/webhooks/address.ts': [
    {
      before: `& ~0x0300) === 0`,
      after: `& ~0x0200) === 0`,
      breaks: 'an ISATAP form of a private address passes as public',
      tests: ['test/webhooks/addresses.test.ts'],
    },
    {
      before: `  const [first] = targets
  if (!first)`,
      after: `  const first = targets.at(-1)
  if (!first)`,
      breaks:
        'a request goes to the last address of a host, such as an IPv6 address that this machine cannot reach',
      tests: ['test/webhooks/addresses.test.ts'],
    },
    {
      before: `[host] : await lookUp(host, rules.resolve)`,
      after: `[host] : (await lookUp(host, rules.resolve)).slice(0, 1)`,
      breaks: 'a host with a public and a private address passes as public',
      tests: ['test/webhooks/addresses.test.ts'],
    },
    {
      before: `groupsOf(address).slice(0, 4)`,
      after: `groupsOf(address).slice(0, 3)`,
      breaks: 'all receivers of one provider share the limit of a host',
      tests: ['src/webhooks/host-limit.test.ts'],
    },
    {
      before: `address.includes('%') ? 0 : isIP(address)`,
      after: `isIP(address)`,
      breaks: 'an address with a zone id of this machine is connected to',
      tests: ['test/webhooks/addresses.test.ts'],
    },
    {
      before: `/[\\p{Cc}\\p{Z}\\\\]/u`,
      after: `/[\\p{Cc}\\p{Z}]/u`,
      breaks: 'a URL with a backslash goes to another host than its reader sees',
      tests: ['test/webhooks/addresses.test.ts'],
    },
  ],
  'src/webhooks/special-addresses.ts': [
    {
      before: `network('100.64.0.0', 10,`,
      after: `network('100.64.0.0', 11,`,
      breaks: 'half of the addresses of a carrier pass as public',
      tests: ['test/webhooks/addresses.test.ts'],
    },
    {
      before: `network('172.16.0.0', 12,`,
      after: `network('172.16.0.0', 13,`,
      breaks: 'half of a private network passes as public',
      tests: ['test/webhooks/addresses.test.ts'],
    },
    {
      before: `network('3fff::', 20,`,
      after: `network('3fff::', 24,`,
      breaks: 'addresses for documentation pass as public',
      tests: ['test/webhooks/addresses.test.ts'],
    },
    {
      before: `network('2002::', 16,`,
      after: `network('2002::', 17,`,
      breaks: 'the 6to4 forms of half of all IPv4 addresses pass as public, among them 192.168.0.0/16',
      tests: ['test/webhooks/addresses.test.ts'],
    },
  ],
  'src/webhooks/attempt.ts': [
    {
      before: `&& Date.parse(previousUntil) > clock()`,
      after: `&& Date.parse(previousUntil) > 0`,
      breaks: 'deliveries are signed with a leaked secret for ever',
      tests: ['test/webhooks/deliveries.test.ts: a delivery has two signatures'],
    },
    {
      before: `unsent: true, waitMs, error: limitText(hostLimit) }`,
      after: `waitMs, error: limitText(hostLimit) }`,
      breaks: 'a wait for the limit of a host counts as a failure of the receiver',
      tests: ['test/webhooks/host-limit.test.ts'],
    },
    {
      before: `String(Math.floor(nowMs / 1000))`,
      after: `String(Math.round(nowMs / 1000))`,
      breaks: 'a receiver refuses half of the deliveries, because their signature is over another second',
      tests: [
        'test/webhooks/deliveries.test.ts: each attempt of a delivery',
        'test/webhooks/deliveries.test.ts: a delivery contains the envelope',
      ],
    },
  ],
  'src/webhooks/dispatcher.ts': [
    {
      before: `      if (changes.has(WEBHOOK_TABLE)) this.#mayHaveFree = true`,
      after: `      if (changes.has(WEBHOOK_TABLE)) this.#mayHaveFree ||= false`,
      breaks: 'a new webhook gets its first event after 10 seconds',
      tests: [
        'test/webhooks/dispatcher.test.ts: on SQLite',
        'test/webhooks/deliveries.test.ts: a delivery contains the envelope',
      ],
    },
    {
      before: `      } catch (error) {
        this.#mayHaveFree = true`,
      after: `      } catch (error) {`,
      breaks: 'a webhook that is created while the database fails gets its first event after 10 seconds',
      tests: ['test/webhooks/dispatcher.test.ts', 'test/webhooks/delivery-failures.test.ts'],
    },
    {
      before: `(leftMs < (this.#leaseMs * 2) / 3 || leftMs > this.#leaseMs)`,
      after: `(leftMs < (this.#leaseMs * 2) / 3)`,
      breaks: 'after the clock was set back, another process takes the webhooks of a running one',
      tests: ['test/webhooks/dispatcher.test.ts', 'test/webhooks/delivery-failures.test.ts'],
    },
    {
      before: `    for (const [id, sender] of this.#senders) if (!ids.has(id)) sender.stop()\n`,
      after: ``,
      breaks: 'a sender whose lease is lost goes on until its next event',
      tests: ['test/webhooks/dispatcher.test.ts', 'test/webhooks/delivery-changes.test.ts'],
    },
    {
      before: `    // This comes first, so that a report during the read is not lost.
    this.#mayHaveFree = this.#stopReports === undefined
    return this.#options.engine.readShort(reader => hasFreeWebhook(reader, now))`,
      after: `    const hasFree = await this.#options.engine.readShort(reader => hasFreeWebhook(reader, now))
    this.#mayHaveFree = this.#stopReports === undefined
    return hasFree`,
      breaks: 'a webhook that is created during a check gets its first event after 10 seconds',
      tests: ['test/webhooks/dispatcher.test.ts'],
    },
    {
      before: `    await this.#execute('releaseWebhooks', { owner: this.#options.owner })\n`,
      after: ``,
      breaks: 'after a restart of one of two processes, its webhooks wait for 30 seconds',
      tests: ['test/webhooks/dispatcher.test.ts: a graceful stop'],
    },
    {
      before: `      this.#senders.delete(webhook.id)
      this.#hasEndedSender = true`,
      after: `      this.#senders.delete(webhook.id)`,
      breaks: 'a webhook that is disabled and enabled during an attempt gets nothing until its lease expires',
      tests: ['test/webhooks/delivery-changes.test.ts'],
    },
  ],
  'src/webhooks/host-limit.ts': [
    {
      before: `    if (waitMs > 0) return waitMs
    for`,
      after: `    for`,
      breaks: 'the attempts that must wait are counted, so a busy host gets nothing at all',
      tests: ['src/webhooks/host-limit.test.ts'],
    },
    {
      before: `.replace(/\\.$/, '')`,
      after: ``,
      breaks: 'a trailing dot in a URL doubles the limit of a host',
      tests: ['src/webhooks/host-limit.test.ts'],
    },
  ],
  'src/webhooks/outcome-writer.ts': [
    {
      before: `      await Bun.sleep(WRITE_RETRY_MS)
      return this.#isStopped`,
      after: `      await Bun.sleep(WRITE_RETRY_MS)
      return true`,
      breaks: 'an attempt whose outcome could not be stored is lost, and with it the event',
      tests: ['src/webhooks/outcome-writer.test.ts'],
    },
    {
      before: `      else this.#waiting.unshift(...batch)`,
      after: `      else this.#waiting = batch`,
      breaks: 'an outcome that arrives while another one cannot be stored is lost',
      tests: ['src/webhooks/outcome-writer.test.ts'],
    },
  ],
  'src/webhooks/pending-events.ts': [
    {
      before: `if (relevance.isWanted && !isRecorded(this.#positions, event.position)) {`,
      after: `if (relevance.isWanted) {`,
      breaks: 'after a restart, events are delivered twice that came after an event without an outcome',
      tests: ['test/webhooks/dispatcher.test.ts'],
    },
    {
      before: `    if (receiver.types !== types) {`,
      after: `    if (receiver.types !== types && types === null) {`,
      breaks: 'events of types that a webhook subscribed to during a read are never sent',
      tests: ['test/webhooks/delivery-changes.test.ts: changed types apply'],
    },
    {
      before: `isSaveDue: !hasEvents && isSaveDue(this.#positions) }`,
      after: `isSaveDue: hasEvents && isSaveDue(this.#positions) }`,
      breaks: 'a webhook for rare types searches the whole history again after each restart',
      tests: [
        'test/webhooks/backlog.test.ts',
        'test/webhooks/dispatcher.test.ts',
        'test/webhooks/deliveries.test.ts',
      ],
    },
    {
      before: `      this.#positions = withFloor(this.#positions, floor)
      this.#seenCreation = true`,
      after: `      this.#positions = withFloor(this.#positions, floor + 1n)
      this.#seenCreation = true`,
      breaks: 'a webhook misses one event more than retention has deleted',
      tests: ['test/webhooks/delivery-failures.test.ts', 'test/webhooks/delivery-changes.test.ts'],
    },
    {
      before: `    this.#seenCreation ||= relevance.isCreation`,
      after: `    this.#seenCreation = relevance.isCreation`,
      breaks: 'an event is not delivered whose clock was behind that of the creation of the webhook',
      tests: ['test/webhooks/deliveries.test.ts', 'src/webhooks/subscription.test.ts'],
    },
  ],
  'src/webhooks/request.ts': [
    {
      before: `.replaceAll('\\0', '')`,
      after: ``,
      breaks: 'on PostgreSQL, the outcome of an attempt whose reply has a NUL character is never stored',
      tests: ['test/webhooks/requests.test.ts', 'test/webhooks/delivery-failures.test.ts'],
    },
    {
      before: `    if (++informational <= INFORMATIONAL_MAX) return`,
      after: `    if (informational <= INFORMATIONAL_MAX) return`,
      breaks: 'a receiver that sends informational responses keeps a connection busy',
      tests: ['test/webhooks/flooding-receivers.test.ts'],
    },
    {
      before: `{ ...headers, Host: url.host,`,
      after: `{ ...headers, Host: url.hostname,`,
      breaks: 'a receiver on another port than 80 gets a Host that is not its own',
      tests: ['test/webhooks/requests.test.ts: the body, the headers, the path'],
    },
    {
      before: `bytes >= REPLY_BYTES_READ || response.socket.bytesRead`,
      after: `response.socket.bytesRead`,
      breaks: 'four times as much of a reply is read as allowed',
      tests: [
        'test/webhooks/flooding-receivers.test.ts',
        'test/webhooks/requests.test.ts: a body without an end',
      ],
    },
    {
      before: `path: url.pathname + url.search,`,
      after: `path: url.pathname,`,
      breaks: 'a receiver with a token in the query of its URL refuses all deliveries',
      tests: ['test/webhooks/requests.test.ts: the body, the headers, the path'],
    },
  ],
  'src/webhooks/retry.ts': [
    {
      before: `retryDelaysMs[attempts - 1]`,
      after: `retryDelaysMs[attempts]`,
      breaks: 'the first delay is skipped, and a delivery has one attempt less',
      tests: ['src/webhooks/retry.test.ts'],
    },
    {
      before: `Math.max(scheduledMs, retryAfterMs(response.retryAfter, nowMs))`,
      after: `Math.max(delayMs, retryAfterMs(response.retryAfter, nowMs))`,
      breaks: 'deliveries that failed together are sent again together',
      tests: ['src/webhooks/retry.test.ts'],
    },
  ],
  'src/webhooks/sender-schedule.ts': [
    {
      before: `status === 429 || status === 503`,
      after: `status === 429`,
      breaks: 'a receiver that is down gets more deliveries than it asked for',
      tests: ['src/webhooks/sender-schedule.test.ts'],
    },
    {
      before: `return state.inFlight === 0 ? { ...state, failures: receiver.failures } : state`,
      after: `return { ...state, failures: receiver.failures }`,
      breaks: 'a receiver that fails gets four attempts at a time',
      tests: ['src/webhooks/sender-schedule.test.ts'],
    },
  ],
  'src/webhooks/sender.ts': [
    {
      before: `    const inProgress = new Set(this.#inProgress)
    // Reset`,
      after: `    const inProgress = this.#inProgress
    // Reset`,
      breaks: 'a retry whose attempt ends during a read is sent twice',
      tests: ['test/webhooks/delivery-failures.test.ts', 'test/webhooks/deliveries.test.ts'],
    },
    {
      before: `    this.#state = withDueRead(this.#state, this.#now())
    const deliveries = await readShort(reader => pendingDeliveries(reader, this.#id))`,
      after: `    const deliveries = await readShort(reader => pendingDeliveries(reader, this.#id))
    this.#state = withDueRead(this.#state, this.#now())`,
      breaks: 'a retry that is stored during a read waits for the next poll',
      tests: ['test/webhooks/delivery-failures.test.ts', 'test/webhooks/deliveries.test.ts'],
    },
    {
      before: `    if (result.waitMs !== undefined && work.due) return\n`,
      after: ``,
      breaks: 'each wait for the limit of a host is listed as an attempt',
      tests: ['test/webhooks/host-limit.test.ts'],
    },
    {
      before: `(result.waitMs === undefined ? 1 : 0)`,
      after: `1`,
      breaks: 'a wait for the limit of a host uses up an attempt',
      tests: ['test/webhooks/host-limit.test.ts'],
    },
    {
      before: `    if (outcome.nextAt !== undefined) this.#noteDue(outcome.nextAt)\n`,
      after: ``,
      breaks: 'a retry comes up to 10 seconds late',
      tests: ['test/webhooks/delivery-failures.test.ts: a delivery is pending until'],
    },
    {
      before: `      return { error: 'The store could not make this attempt.', unsent: true, durationMs: 0 }`,
      after: `      return { error: 'The store could not make this attempt.', durationMs: 0 }`,
      breaks: 'a fault of the store counts as a failure of the receiver',
      tests: ['test/webhooks/delivery-failures.test.ts: an error of the store'],
    },
    {
      before: `unsent: true, final: true, durationMs: 0 }`,
      after: `unsent: true, durationMs: 0 }`,
      breaks: 'a delivery whose event was deleted is attempted for days',
      tests: ['test/webhooks/delivery-failures.test.ts', 'test/webhooks/delivery-changes.test.ts'],
    },
    {
      before: `(cycleStartedAt ? Date.parse(cycleStartedAt) : startedMs) + giveUpAfterMs`,
      after: `startedMs + giveUpAfterMs`,
      breaks: 'a delivery is attempted for longer than the time limit',
      tests: ['test/webhooks/delivery-failures.test.ts: a delivery fails if its next retry'],
    },
    {
      before: `        if (work.due) this.#inProgress.delete(work.due.id)\n`,
      after: ``,
      breaks: 'a delivery gets no third attempt',
      tests: ['test/webhooks/delivery-failures.test.ts: a delivery fails after the last attempt'],
    },
    {
      before: `      this.#options.onFault(error)
      this.#sleep(FAULT_PAUSE_MS)`,
      after: `      this.#options.onFault(error)`,
      breaks: 'after a failed read, an event waits for the next change in the shop',
      tests: ['test/webhooks/delivery-failures.test.ts', 'test/webhooks/dispatcher.test.ts'],
    },
    {
      before: `      if (isRedeliveryRequested) this.#state = withDue(this.#state, 0)\n`,
      after: ``,
      breaks: 'a requested redelivery starts up to 10 seconds late',
      tests: ['test/webhooks/delivery-failures.test.ts: one failed delivery can be sent again'],
    },
    {
      before: `    const next = deliveries.find(({ id }) => !inProgress.has(id))`,
      after: `    const next = deliveries[0]`,
      breaks: 'a delivery is attempted twice at the same time',
      tests: [
        'test/webhooks/delivery-failures.test.ts: a dead, silent or slow',
        'test/webhooks/deliveries.test.ts',
      ],
    },
    {
      before: `      if (page.isAtHead && !page.hasEvents) return undefined`,
      after: `      if (!page.hasEvents) return undefined`,
      breaks: 'an event after 2,000 events of other types is sent only after the next change in the shop',
      tests: ['test/webhooks/backlog.test.ts', 'test/webhooks/deliveries.test.ts'],
    },
  ],
}
