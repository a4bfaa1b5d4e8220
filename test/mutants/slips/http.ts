import type { Slips } from '../slip.ts'

const AGENTS = 'test/http/agents.test.ts'
const CACHE = 'src/http/cache/representation-cache.test.ts'
const DOOR = 'test/http/cache-door.test.ts'

export const httpSlips: Slips = {
  'src/http/agents/agents.ts': [
    {
      before: `enforceRateLimit(pipeline, context)\n    const origin`,
      after: `const origin`,
      breaks: 'the messages of agents count towards no rate limit',
      tests: [`${AGENTS}: a call of a tool is one request`],
    },
    {
      before: `if (origin !== null && !isAllowed(`,
      after: `if (origin === "" && !isAllowed(`,
      breaks: 'a page whose host name leads to this machine can call the tools of agents',
      tests: [`${AGENTS}: what is no message of an agent`],
    },
    {
      before: `{ ...pipeline, rateLimiter: undefined }`,
      after: `pipeline`,
      breaks: 'a call of a tool counts twice towards the rate limit',
      tests: [`${AGENTS}: a call of a tool is one request`],
    },
    {
      before: `paths: wrapPaths(paths) }`,
      after: `paths }`,
      breaks: 'the fault rules of a sandbox do not concern the tools of agents',
      tests: [`${AGENTS}: in a sandbox, a fault rule meets`],
    },
    {
      before: `names: makeInnerHandler({ ...routing, paths })`,
      after: `names: makeInnerHandler({ ...routing, paths: wrapPaths(paths) })`,
      breaks: 'a fault rule of a sandbox meets reads that its user did not make',
      tests: [`${AGENTS}: in a sandbox, a fault rule meets`],
    },
  ],
  'src/http/agents/protocol.ts': [
    {
      before: `if (Array.isArray(message))`,
      after: `if (Array.isArray(message) && message.length > 100)`,
      breaks: 'one request runs a hundred calls of tools',
      tests: [`${AGENTS}: what is no message of an agent`],
    },
    {
      before: `.filter(({ operation }) => caller && isAuthorized(operation, caller))`,
      after: ``,
      breaks: 'an agent is offered tools that its key may not use',
      tests: [`${AGENTS}: an agent sees the tools that its key allows`],
    },
    {
      before: `Number.isSafeInteger(Number(value)) ? Number(value) : String(value)`,
      after: `Number(value)`,
      breaks: 'an agent that sends an exact id orders another pet, because its id was rounded',
      tests: [`${AGENTS}: an id is exact in both directions`],
    },
    {
      before: `if (typeof value === 'number' && !Number.isFinite(value)) return String(value)`,
      after: `if (typeof value === 'number' && value > 1e300) return value`,
      breaks: 'a number that is too large for any number makes the tools of agents fail',
      tests: ['test/http/agents.test.ts: an argument that has no form'],
    },
    {
      before: `accepting.set('Accept', 'application/json, text/event-stream')`,
      after: `accepting.append('X-Accept', 'application/json')`,
      breaks: 'an older client that accepts JSON alone gets 406',
      tests: ['test/http/agents.test.ts: an argument that has no form'],
    },
  ],
  'src/http/agents/tool-call.ts': [
    {
      before: '/^[\\x20-\\x7e]*$/.test(key)',
      after: 'key',
      breaks: 'a key that no header can contain is an error of the server',
      tests: [`${AGENTS}: a call with the idempotency key of an earlier call`],
    },
    {
      before: `given[IDEMPOTENCY_KEY] ?? randomUUID()`,
      after: `randomUUID()`,
      breaks: 'an agent that repeats a call sells a pet twice',
      tests: [`${AGENTS}: a call with the idempotency key of an earlier call`],
    },
    {
      before: `'X-Request-Id': requestId,\n    ...(schema`,
      after: `...(schema`,
      breaks: 'nobody can find the message that changed the shop',
      tests: [`${AGENTS}: a call of a tool is one request`],
    },
    {
      before: `if (Array.isArray(value) && value.length === 0)`,
      after: `if (Array.isArray(value) && value.length > 100)`,
      breaks: 'an agent that asks for the orders of no pet gets all orders',
      tests: ['test/http/agents.test.ts: an argument that has no form'],
    },
    {
      before: `items.length >= limit || pages === PAGES_MAX`,
      after: `pages === 1 || pages === PAGES_MAX`,
      breaks: 'an agent takes a page of a search without a pet for the answer',
      tests: ['test/shop/search.test.ts: a page of a search reads a bounded number of words'],
    },
  ],
  'src/http/agents/tool-result.ts': [
    {
      before: `return isIdName(name) || !Number.isSafeInteger(number) ? String(value) : number`,
      after: `return number`,
      breaks: 'a client of an agent rounds an id',
      tests: [`${AGENTS}: an id is exact in both directions`],
    },
    {
      before: `name === 'petId' ? [String(member)] : petIdsIn(member)`,
      after: `petIdsIn(member)`,
      breaks: 'an agent has to ask for the name of each pet',
      tests: [`${AGENTS}: every tool of an agent runs`],
    },
    {
      before: `.filter(([member]) => !omits.has(member))`,
      after: ``,
      breaks: 'the context of a model is filled with hashes',
      tests: [`${AGENTS}: an agent finds a pet, sells it`],
    },
    {
      before: `errors.slice(QUOTED_BY_MESSAGE)`,
      after: `errors.slice(errors.length)`,
      breaks: 'a model learns of three of its four mistakes',
      tests: [`${AGENTS}: a refusal of the shop is a result`],
    },
  ],
  'src/http/agents/tools.ts': [
    {
      before: `return agent && serves(operation)`,
      after: `return agent`,
      breaks: 'an agent is offered tools whose operations the store does not serve',
      tests: [`${AGENTS}: a store that serves only stable operations`],
    },
    {
      before: `isRead ? { readOnlyHint: true } : {`,
      after: `isRead ? {} : {`,
      breaks: 'a client asks its user before each read',
      tests: [`${AGENTS}: clients know which tools only read`],
    },
    {
      before: `return location !== undefined`,
      after: `return location !== undefined || true`,
      breaks: 'clients do not ask before an agent overwrites stock',
      tests: ['test/http/agents.test.ts: clients know which tools only read'],
    },
  ],
  'src/http/cache/door.ts': [
    {
      before: `    this.#options.announceRows()\n`,
      after: ``,
      breaks: 'after an event, a client reads the old state from the cache',
      tests: [
        `${DOOR}: a read from the cache shows a commit`,
        'test/http/cache.test.ts: while random clients',
      ],
      guarantee: 33,
    },
    {
      before: `const isNotModified = isUnmodified(kept, headers)`,
      after: `const isNotModified = false`,
      breaks: 'a client gets a page again that it already has',
      tests: [`${DOOR}: every response of the cache is identical`],
    },
    {
      before: `|| !isAuthorized(kept.route.operation, caller)) return undefined`,
      after: `) return undefined`,
      breaks: 'everybody can read the orders that somebody has read twice',
      tests: ['test/http/cache.test.ts: a read from the cache requires the scope'],
    },
    {
      before: `      accepts(headers, 'application/json') &&\n`,
      after: ``,
      breaks: 'a client that cannot read JSON gets JSON',
      tests: [`${DOOR}: every response of the cache is identical`],
    },
    {
      before: `      !headers.has('if-match') &&\n`,
      after: ``,
      breaks: 'a read with a precondition that is false succeeds',
      tests: [`${DOOR}: every response of the cache is identical`],
    },
    {
      before: `      !headers.has('origin') &&\n`,
      after: ``,
      breaks: 'the page of an allowed origin is blocked',
      tests: [`${DOOR}: every response of the cache is identical`],
    },
    {
      before: `host === null || request.headers.has('origin')) return`,
      after: `host === null) return`,
      breaks: 'a page is blocked because it gets the origin of another page',
      tests: [`${DOOR}: a response for a page of another origin`],
    },
    {
      before: `      this.#options.lifecycleClock() < worksUntilMs(operation)`,
      after: `      this.#options.lifecycleClock() < worksUntilMs(operation) + 1000`,
      breaks: 'a read from the cache works after its sunset',
      tests: [`${DOOR}: a read from the cache is refused after the sunset`],
    },
    {
      before: `      headers.get('host') === host &&\n`,
      after: ``,
      breaks: 'a request with a forbidden Host gets a response',
      tests: [`${DOOR}: every response of the cache is identical`],
    },
    {
      before: `body.length > BODY_CHARS_MAX) return`,
      after: `body.length < 0) return`,
      breaks: 'a long response waits in memory as a whole for a client that does not read',
      tests: [`${DOOR}: a long response is not kept`],
    },
  ],
  'src/http/cache/representation-cache.ts': [
    {
      before: `    if (table.changeCount !== changeCount) return\n`,
      after: ``,
      breaks: 'a list that was read before a change is shown after it',
      tests: [CACHE],
    },
    {
      before: `if (this.#isBeingWritten(represents.table, rowId)) {`,
      after: `if (this.#announced.size < 0) {`,
      breaks: 'a pet that was read while its change was committed is shown without the change',
      tests: [CACHE],
    },
    {
      before: `    else this.#announced.delete(changes)\n`,
      after: ``,
      breaks: 'a pet that was sold once is read from the database each time',
      tests: [CACHE],
    },
    {
      before: `      if (rowId !== undefined) this.#want(url)\n`,
      after: ``,
      breaks: 'a pet that is read during each sale is read from the database twice more',
      tests: [CACHE],
    },
    {
      before: `ids === 'any' ? table.rows.keys() : ids`,
      after: `ids === 'any' ? [] : ids`,
      breaks: 'a pet is stale after a change of unknown rows',
      tests: [CACHE],
    },
    {
      before: `  if (entries?.size === 0) table.rows.delete(rowId)`,
      after: `  table.rows.delete(rowId)`,
      breaks: 'the stock of a pet is stale for ever after the pet itself was evicted from the cache',
      tests: [`${CACHE}: also after another one of them was evicted`],
    },
    {
      before: `    if (!this.#noteMiss(url)) return undefined\n`,
      after: `    this.#noteMiss(url)\n`,
      breaks: 'a scan of a large catalogue evicts what is read often',
      tests: [CACHE],
    },
    {
      before: `          this.#want(url)\n`,
      after: ``,
      breaks: 'a pet that is often sold is read from the database twice after each sale',
      tests: [`${CACHE}: after a change, a row is wanted`],
    },
    {
      before: `this.#missed[place] = isKnown ? 0 : hash`,
      after: `this.#missed[place] = hash`,
      breaks: 'one reader refills a list after every write',
      tests: [`${CACHE}: after a change, a row is wanted`],
    },
  ],
  'src/http/cors.ts': [
    {
      before: `  varyBy(headers, 'Origin')
  const origin = request.headers.get('origin')
  if (origin === null || !(origins.includes('*') || origins.includes(origin))) return`,
      after: `  const origin = request.headers.get('origin')
  if (origin === null || !(origins.includes('*') || origins.includes(origin))) return
  varyBy(headers, 'Origin')`,
      breaks: 'a page is blocked because a cache sends it the response to a request without an origin',
      tests: [
        'test/http/other-origins.test.ts: pages of other origins may call the store if their origin is configured, and not otherwise',
      ],
    },
  ],
  'src/http/events/long-poll.ts': [
    {
      before: `      await (slot ? slot.whileWaiting(wait) : wait())
    } finally {`,
      after: `      await (slot ? slot.whileWaiting(wait) : wait())
    } catch {`,
      breaks: 'a caller can wait for events 500 times and then no more',
      tests: [
        'test/http/capacity.test.ts: a client that waits for events holds no slot, and at most 500 requests of one caller may wait',
      ],
    },
    {
      before: `      windows = 0\n`,
      after: ``,
      breaks: 'a client that waits for a rare type gets an empty page after ten other changes',
      tests: ['src/http/events/long-poll.test.ts: a long poll that was woken many times'],
    },
    {
      before: `      const nextCommit = this.#commitSignal.next()
      const reply = await this.#runQuery(current)`,
      after: `      const reply = await this.#runQuery(current)
      const nextCommit = this.#commitSignal.next()`,
      breaks: 'a client waits for 30 seconds although an event occurred during its read',
      tests: ['src/http/events/long-poll.test.ts: an event that is committed during'],
    },
    {
      before: `      if (pauseMs <= 0 || signal.aborted) return reply`,
      after: `      if (pauseMs <= 0) return reply`,
      breaks: 'a client that has disconnected holds its share until its time is over',
      tests: ['src/http/events/long-poll.test.ts: a long poll ends with the connection'],
    },
  ],
  'src/http/events/recent-events.ts': [
    {
      before: `      const nextCommit = this.#commitSignal.next()
      try {
        while (await this.#advance()) await this.#slices.next()
        await nextCommit`,
      after: `      try {
        while (await this.#advance()) await this.#slices.next()
        await this.#commitSignal.next()`,
      breaks: 'a stream gets an event that occurred during its read only with the next event',
      tests: ['test/http/events/recent-events.test.ts: an event that occurs during a read'],
    },
    {
      before: `    batch.catch(() => this.#behind.delete(readKey))`,
      after: `    batch.catch(() => {})`,
      breaks: 'after one failed read, every stream at that position fails',
      tests: ['test/http/events/recent-events.test.ts: streams that are behind share a read'],
    },
    {
      before: `    const readKey = \`\${position} \${types.join(' ')}\``,
      after: `    const readKey = \`\${position} \${types.length}\``,
      breaks: 'a stream that is behind gets the events of another filter',
      tests: ['test/http/events/recent-events.test.ts: streams that are behind share a read'],
    },
    {
      before: `    this.#running = undefined
    this.#batches = []
    this.#keptBytes = 0`,
      after: `    this.#running = undefined
    this.#keptBytes = 0`,
      breaks: 'a stream that is opened after a while without streams gets old events again',
      tests: ['test/http/events/recent-events.test.ts: a stream that is opened after a time'],
    },
    {
      before: `      if (type === KEY_REVOKED) this.#onRevoked(subject.replace('keys/', ''))`,
      after: `      if (type === KEY_REVOKED) this.#onRevoked(subject)`,
      breaks: 'the stream of a revoked key continues until the next check',
      tests: [
        'test/http/events/stream.test.ts: the stream of a revoked key ends at once, and other streams continue',
      ],
    },
  ],
  'src/http/events/stream-hub.ts': [
    {
      before: `      if (!stream) this.#shares.release(caller)`,
      after: `      if (!stream && context.request.method === 'HEAD') this.#shares.release(caller)`,
      breaks: 'a caller whose streams were refused a hundred times can open no more',
      tests: [
        'test/http/events/stream.test.ts: above the limit, a stream is refused until another stream ends',
      ],
    },
    {
      before: `        this.#shares.release(caller)
        this.#recentEvents.leave()
        if (this.#isEnded`,
      after: `        this.#recentEvents.leave()
        if (this.#isEnded`,
      breaks: 'a caller can open a hundred streams and then no more',
      tests: [
        'test/http/events/stream.test.ts: above the limit, a stream is refused until another stream ends',
      ],
    },
    {
      before: `if (from === after && !this.#types) return bytes`,
      after: `if (!this.#types) return bytes`,
      breaks: 'a stream that resumes gets events again that its client has',
      tests: ['test/http/events/stream.test.ts: a stream that resumes between two events'],
    },
    {
      before: `({ position, type }) => position > from && (!this.#types || this.#types.has(type)),`,
      after: `({ type }) => !this.#types || this.#types.has(type),`,
      breaks: 'a stream with a filter gets events again when it resumes',
      tests: ['test/http/events/stream.test.ts: a stream that resumes between two events'],
    },
    {
      before: `      if (this.#isEnded) stream.end()\n`,
      after: ``,
      breaks: 'a stream that is opened while the store stops delays the stop',
      tests: ['test/http/events/recent-events.test.ts: a stream that is opened while the streams end'],
    },
    {
      before: `      } catch (error) {
        this.#recentEvents.leave()
        throw error`,
      after: `      } catch (error) {
        throw error`,
      breaks: 'after a refused stream, a store without streams reads every event for ever',
      tests: ['test/http/events/recent-events.test.ts: after a refused stream'],
    },
    {
      before: `    const sent = last ?? after`,
      after: `    const sent = after ?? last`,
      breaks: 'a browser that reconnects gets all events again since the position in its URL',
      tests: [
        'test/http/events/stream.test.ts: a stream resumes after a position: Last-Event-ID, or the parameter if the header is absent',
      ],
    },
    {
      before: `    this.#close()
    this.#context.closeConnection()`,
      after: `    this.#close()`,
      breaks: 'a client that does not read keeps its connection',
      tests: [
        'test/http/events/slow-streams.test.ts: a client that reads nothing is disconnected, can resume where it was, and affects no other client',
      ],
    },
    {
      before: `setTimeout(() => opened.end(), seconds * 1000)`,
      after: `setTimeout(() => opened.end(), seconds * 1_000_000)`,
      breaks: 'a tool that waits for the end of a stream waits for ever',
      tests: ['test/http/events/stream.test.ts: a stream with `seconds` ends'],
    },
  ],
  'src/http/fixed-paths.ts': [
    {
      before: `  if (isDraining()) throw shuttingDown()\n`,
      after: ``,
      breaks: 'a load balancer sends requests to a process that is about to stop',
      tests: ['test/http/probes.test.ts: a server that drains is not ready'],
    },
    {
      before: `    if (!hasScope(caller, 'admin')) {`,
      after: `    if (!hasScope(caller, 'admin') && caller.scopes.length === 0) {`,
      breaks: 'any key can read the metrics from another machine',
      tests: [
        'test/http/metrics.test.ts: the metrics require an admin key for a request from another machine',
      ],
    },
  ],
  'src/http/limits/admission.ts': [
    {
      before: `    if (this.#bodyBytes.take(caller, bytesMax)) return
    this.#bodies.release(caller)`,
      after: `    if (this.#bodyBytes.take(caller, bytesMax)) return`,
      breaks: 'a caller with refused bodies is locked out for ever, little by little',
      tests: ['src/http/limits/admission.test.ts: a caller whose bodies were refused'],
    },
    {
      before: `    this.#within?.limiter.release(this.#within.name, amount)\n`,
      after: ``,
      breaks: 'a sandbox refuses all requests after its first 500',
      tests: ['src/http/limits/admission.test.ts: a limit within a shared one'],
    },
    {
      before: `this.#total + amount > this.#capacity.total || amountOfCaller`,
      after: `amountOfCaller`,
      breaks: 'many callers together exceed the capacity of the process',
      tests: ['src/http/limits/admission.test.ts: all callers together'],
    },
    {
      before: `    if (this.#within && !this.#within.limiter.take(this.#within.name, amount)) return false
    this.#total += amount`,
      after: `    this.#total += amount
    if (this.#within && !this.#within.limiter.take(this.#within.name, amount)) return false`,
      breaks: 'a store is locked out little by little while the shared capacity is used up',
      tests: ['src/http/limits/admission.test.ts: a limit within a shared one'],
    },
    {
      before: `    } finally {
      this.#admission.releaseBody(caller, bytesMax)
    }`,
      after: `    } finally {
      if (this.#holdsRequest) this.#admission.releaseBody(caller, bytesMax)
    }`,
      breaks: 'a caller can send 500 large bodies and then no more',
      tests: ['src/http/limits/admission.test.ts: a body that has arrived or failed counts no more'],
    },
    {
      before: `    if (holdsRequest) this.#requests.release(address)
    else this.#waiting--`,
      after: `    this.#requests.release(address)`,
      breaks:
        'a request that ends without a slot releases the slot of another request, so the limit is not held',
      tests: ['src/http/limits/admission.test.ts: a request that ends without a slot'],
    },
    {
      before: `return !this.#isClosing && this.#inProgress < REQUESTS.perCaller`,
      after: `return this.#inProgress < REQUESTS.perCaller`,
      breaks: 'a store that stops goes on with reads from the cache',
      tests: [`${DOOR}: a read from the cache is refused after the sunset`],
    },
  ],
  'src/http/limits/client-address.ts': [
    {
      before: `      address = addressIn(hop) ?? UNKNOWN`,
      after: `      address = addressIn(hop) ?? address`,
      breaks: 'clients behind a proxy that hides them use up the limit of the proxy',
      tests: ['src/http/limits/client-address.test.ts: has the client address'],
    },
    {
      before: `return isLoopback && !FORWARDING_FIELDS.some(name => headers.has(name))`,
      after: `return isLoopback`,
      breaks: 'everybody can read the metrics through a proxy on the same machine',
      tests: [
        'src/http/limits/client-address.test.ts: a request is from this machine only if its peer is loopback and it has no forwarding header',
      ],
    },
  ],
  'src/http/limits/deadlines.ts': [
    {
      before: `        this.#setTimer(deadline.dueMs - nowMs)
        return`,
      after: `        return`,
      breaks: 'a request whose body never arrives holds its share for ever',
      tests: [
        'src/http/limits/deadlines.test.ts: deadlines expire in order, and cleared deadlines do not expire',
      ],
    },
  ],
  'src/http/limits/large-body.ts': [
    {
      before: `      cancel: end,`,
      after: `      cancel: () => {},`,
      breaks: 'a client that disconnects during a large list can read no more of them after a hundred times',
      tests: [
        'test/http/capacity.test.ts: clients that do not read get a bounded number of large responses, one chunk at a time',
      ],
    },
    {
      before: `    if (isOver) return
    isOver = true`,
      after: `    isOver = true`,
      breaks: 'a client that stops reading gets more large responses at once than allowed',
      tests: ['src/http/limits/large-body.test.ts: the share of a large response'],
    },
    {
      before: `        if (isOver) return controller.error(new Error('the client did not read in time'))`,
      after: `        if (isOver) return controller.close()`,
      breaks: 'a list that was cut off looks complete',
      tests: [
        'test/http/capacity.test.ts: a client that stops reading a large response is disconnected, and its share is free again',
      ],
    },
  ],
  'src/http/limits/rate-limit.ts': [
    {
      before: `      old && old.endsMs > nowMs
        ? old`,
      after: `      old && old.endsMs < nowMs
        ? old`,
      breaks: 'a caller gets a new window each time the limiter drops old callers',
      tests: [
        'src/http/limits/rate-limit.test.ts: a caller keeps its rate-limit window when the young map of the limiter becomes the old map',
      ],
    },
  ],
  'src/http/observe/access-log.ts': [
    {
      before: `quoted(text.slice(0, TEXT_CHARS_MAX))`,
      after: `quoted(text)`,
      breaks: 'a path of 16 KiB is logged as a whole',
      tests: [`${DOOR}: the log has only the first 1,000 characters`],
    },
  ],
  'src/http/pages/content.ts': [
    {
      before: `\`\${etag.slice(0, -1)}-gzip"\``,
      after: `etag`,
      breaks: 'a cache combines the parts of a compressed and of a plain page',
      tests: [
        'test/http/static-content.test.ts: is sent plain or with gzip, each form with its own strong ETag',
      ],
    },
    {
      before: `      prepared = undefined
      throw error`,
      after: `      throw error`,
      breaks: 'a page that could not be read once fails until the next start',
      tests: ['src/http/pages/content.test.ts: content that could not be prepared'],
    },
  ],
  'src/http/pages/discovery.ts': [
    {
      before: `\`Contact: \${contact}\``,
      after: `\`Contact: \${base}\``,
      breaks: 'security.txt does not say where to report a vulnerability',
      tests: ['test/http/discovery.test.ts: security.txt names the contact'],
    },
  ],
  'src/http/pipeline/auth.ts': [
    {
      before: `const isFailure = error instanceof StoreError && error.status < 500`,
      after: `const isFailure = error instanceof StoreError`,
      breaks: 'clients with a valid key are refused after an outage of the database',
      tests: ['src/http/pipeline/auth.test.ts: requests during an outage'],
    },
    {
      before: `failedAuthentications.take(rateGroup(context.address))`,
      after: `failedAuthentications.take(context.address)`,
      breaks: 'somebody who guesses keys has 2^64 addresses to do it',
      tests: ['src/http/pipeline/auth.test.ts: unknown keys are slowed down'],
    },
    {
      before: `(scope === undefined || hasScope(caller, scope))`,
      after: `(scope === undefined || caller.scopes.length > 0)`,
      breaks: 'a key with any scope may do everything',
      tests: [
        'test/shop/keys.test.ts: in a sandbox, each operation accepts exactly the kinds of keys that the contract specifies',
      ],
    },
  ],
  'src/http/pipeline/body.ts': [
    {
      before: `?? 0) > BODY_BYTES_MAX) throw bodyTooLarge()`,
      after: `?? 0) >= BODY_BYTES_MAX) throw bodyTooLarge()`,
      breaks: 'a body of exactly the maximum size is refused',
      tests: ['test/http/hostile.test.ts'],
    },
    {
      before: `(method === 'PATCH' && type === MERGE_PATCH)`,
      after: `(method !== 'GET' && type === MERGE_PATCH)`,
      breaks: 'a merge patch is accepted as a new resource',
      tests: ['test/http/hostile.test.ts'],
    },
    {
      before: `  await nextTurn()
  return bytes
}`,
      after: `  return bytes
}`,
      breaks: 'a command with a large body takes effect although the runtime refuses its request',
      tests: ['src/http/pipeline/body.test.ts: a command runs at least one turn'],
    },
    {
      before: `headers.get('content-length') ?? BODY_BYTES_MAX)`,
      after: `headers.get('content-length') ?? 0)`,
      breaks: 'bodies in chunks do not count towards the limit of their bytes',
      tests: ['src/http/pipeline/body.test.ts: each body in chunks'],
    },
  ],
  'src/http/pipeline/conditional.ts': [
    {
      before: `  if (ifNoneMatch !== undefined) throw notForPost('If-None-Match')\n`,
      after: ``,
      breaks: 'a creation with If-None-Match creates a duplicate',
      tests: ['test/http/conditions.test.ts: a POST with a condition is refused and has no effect'],
    },
  ],
  'src/http/pipeline/idempotency-key.ts': [
    {
      before: `update(\`\${path}?\${query}\\n\`)`,
      after: `update(\`\${path}\\n\`)`,
      breaks: 'a command with another query is answered with the response of the first one',
      tests: ['test/shop/idempotency.test.ts: an idempotency key is refused for another query'],
    },
    {
      before: `  const key = text?.replaceAll(/\\\\(["\\\\])/g, '$1')`,
      after: `  const key = text`,
      breaks: 'a key with an escaped quote is not the key that the client sent',
      tests: ['test/shop/idempotency.test.ts: an idempotency key is refused for another query'],
    },
    {
      before: `key.length < 1 || key.length > 255`,
      after: `key.length < 1 || key.length > 256`,
      breaks: 'a quoted key may be longer than the description allows',
      tests: ['test/http/hostile.test.ts'],
    },
  ],
  'src/http/pipeline/lifecycle.ts': [
    {
      before: `deprecation.sunsetAtMs + 1000 : Infinity`,
      after: `deprecation.sunsetAtMs : Infinity`,
      breaks: 'an operation is refused in the last second before its sunset',
      tests: [
        'test/http/lifecycle.test.ts: the lifecycle clock decides when an operation gets 410, but a changed pet gets the real time',
      ],
    },
    {
      before: `stability === 'beta' || stability === 'experimental'`,
      after: `stability === 'beta' || stability !== 'experimental'`,
      breaks: 'stable operations have the header Petstore-Stability, and experimental ones do not',
      tests: ['test/http/lifecycle.test.ts: only beta and experimental operations report their stability'],
    },
  ],
  'src/http/pipeline/negotiate.ts': [
    {
      before: `if (specificity > best.specificity) best`,
      after: `if (specificity > 0) best`,
      breaks: 'a client is refused that accepts JSON, but nothing else',
      tests: ['src/http/pipeline/negotiate.test.ts: the most specific range of Accept'],
    },
  ],
  'src/http/pipeline/parameters.ts': [
    {
      before: `if (list.length < parameter.valuesMax) list.push`,
      after: `if (list.length <= parameter.valuesMax) list.push`,
      breaks: 'a list with one filter value too many causes a server error',
      tests: ['test/shop/lists.test.ts: a filter of pets by id accepts up to a hundred ids in one request'],
    },
    {
      before: `  if (!/[%+]/.test(text)) return text`,
      after: `  if (!/%/.test(text)) return text`,
      breaks: 'a search for a name with a space finds nothing',
      tests: ['test/http/hostile.test.ts'],
    },
  ],
  'src/http/pipeline/pipeline.ts': [
    {
      before: `String(Buffer.byteLength(reply.body))`,
      after: `String(reply.body.length)`,
      breaks: 'a response to HEAD has a wrong length if a name contains an umlaut',
      tests: ['test/http/responses.test.ts: a response to HEAD has the length of the body in bytes'],
    },
    {
      before: `  enforceRateLimit(pipeline, context)
  authorize(operation, caller)`,
      after: `  authorize(operation, caller)
  enforceRateLimit(pipeline, context)`,
      breaks: 'requests that a key may not make are not limited',
      tests: ['test/http/rate-limit.test.ts: rate limits count every request, whatever its refusal is'],
    },
    {
      before: `  if (!operation.body) await nextTurn()\n`,
      after: ``,
      breaks: 'a deletion takes effect although the runtime refuses its request',
      tests: [
        'test/http/framing.test.ts: a request body that is followed by bytes that are not a request is refused, and has no effect',
      ],
    },
    {
      before: `  assertNotRefused(context.request)\n`,
      after: ``,
      breaks: 'a request that the runtime refuses takes effect',
      tests: [
        'test/http/framing.test.ts: a request body in chunks that end with a trailer field is refused and has no effect',
      ],
    },
    {
      before: `  if (operation.method === 'POST') refuseConditions(conditions)\n`,
      after: ``,
      breaks: 'a creation ignores its condition',
      tests: ['test/http/conditions.test.ts: a POST with a condition is refused and has no effect'],
    },
    {
      before: `    ...(operation.method !== 'POST' && { conditions }),`,
      after: `    ...(operation.method === 'PATCH' && { conditions }),`,
      breaks: 'a deletion ignores If-Match',
      tests: [
        'test/http/conditions.test.ts: a write with another ETag in If-Match gets 412 and the current ETag',
      ],
    },
    {
      before: `if (isRead && reply.etag !== undefined) refuse`,
      after: `if (isRead && reply.etag !== undefined && request.method !== 'HEAD') refuse`,
      breaks: 'HEAD ignores If-Match',
      tests: [
        'test/http/conditions.test.ts: a read with If-Match gets 412 if the ETag differs, for GET and HEAD',
      ],
    },
    {
      before: `if (warning !== undefined) context.headers['Petstore-Warning'] = warning`,
      after: `void warning`,
      breaks: 'nobody learns that the host of a new webhook cannot be resolved',
      tests: ['test/webhooks/webhooks.test.ts: a webhook at a host'],
    },
  ],
  'src/http/pipeline/shared-lookup.ts': [
    {
      before: `    if (!latest) return this.#start(key)
    latest.next`,
      after: `    if (!latest) return this.#start(key)
    if (!latest.next) return latest.result
    latest.next`,
      breaks: 'a revoked key is accepted by another process right after its revocation',
      tests: [
        'src/http/pipeline/shared-lookup.test.ts: calls during a lookup share the next one, and do not get the result of the one in progress',
      ],
    },
  ],
  'src/http/pipeline/validate.ts': [
    {
      before: `.replaceAll('~', '~0').replaceAll('/', '~1')`,
      after: `.replaceAll('/', '~1').replaceAll('~', '~0')`,
      breaks: 'the pointer to an unknown member with a slash points to nothing',
      tests: ['test/http/hostile.test.ts'],
    },
    {
      before: `typeof key !== 'number'`,
      after: 'false',
      breaks: 'the message about a member in a list begins with the whole path to it',
      tests: ['test/http/validation.test.ts: validation names the innermost member of a body'],
    },
    {
      before: `return others.length === 0 ? meant : undefined`,
      after: `return others.length > 0 ? meant : undefined`,
      breaks: 'the refusal of a union does not say which member is wrong',
      tests: ['test/sandboxes/faults.test.ts: the rules of a sandbox are not replaced'],
    },
  ],
  'src/http/problem.ts': [
    {
      before: `    ...(details.etag !== undefined && { ETag: details.etag }),\n`,
      after: ``,
      breaks: 'a client whose change was refused does not learn the current ETag',
      tests: [
        'test/http/conditions.test.ts: a write with another ETag in If-Match gets 412 and the current ETag',
      ],
    },
    {
      before: `    ...(code === 'request_timeout' && { Connection: 'close' }),\n`,
      after: ``,
      breaks: 'the rest of a late body is taken for the next request',
      tests: ['src/http/problem.test.ts: the connection of a body that is late'],
    },
    {
      before: `  varyBy(headers, 'Accept')\n`,
      after: ``,
      breaks: 'a cache sends a problem to a client that does not accept it',
      tests: [
        'test/http/responses.test.ts: a response that refuses a request is an RFC 9457 problem for clients that accept problems',
      ],
    },
  ],
  'src/http/request-context.ts': [
    {
      before: `  if (!caller?.keyId) return rateGroup(address)`,
      after: `  if (!caller?.keyId) return address`,
      breaks: 'one subscriber without a key has any number of rate limits',
      tests: ['src/http/request-context.test.ts: the addresses of one IPv6 network'],
    },
    {
      before: `(version !== '00' || rest === undefined)`,
      after: `version !== ""`,
      breaks: 'a malformed traceparent becomes a part of events',
      tests: ['test/http/events/traces.test.ts: an invalid traceparent is ignored'],
    },
    {
      before: `const isValid = version !== 'ff' &&`,
      after: `const isValid =`,
      breaks: 'a traceparent of the forbidden version becomes a part of events',
      tests: ['test/http/events/traces.test.ts: an invalid traceparent is ignored'],
    },
  ],
  'src/http/routes.ts': [
    {
      before: `request.method === 'GET' && !hasBackslash`,
      after: `request.method === 'GET'`,
      breaks: 'a target with a backslash gets another resource from the cache',
      tests: [`${DOOR}: a target with a backslash`],
    },
    {
      before: `if (!handler?.route && !handler?.isProbe && !handler?.isCounting)`,
      after: `if (!handler?.route && !handler?.isProbe)`,
      breaks: 'all agents behind one address share its rate limit',
      tests: [`${AGENTS}: a call of a tool is one request`],
    },
    {
      before: `if (!handler?.route && !handler?.isProbe && !handler?.isCounting)`,
      after: `if (!handler?.route && !handler?.isCounting)`,
      breaks: 'the probes of a load balancer are refused because of its clients',
      tests: [
        'test/http/rate-limit.test.ts: paths outside the description count towards the rate limit of an address, but probes do not',
      ],
    },
    {
      before: `if (isSlow || endless || 'stream' in success) server.timeout(request, 0)`,
      after: `if (isSlow || 'stream' in success) server.timeout(request, 0)`,
      breaks: 'a client that waits 30 seconds for an event is disconnected after 10 seconds',
      tests: ['test/http/events/stream.test.ts: a long poll and a stream may be silent'],
    },
    {
      before: `if (path.length + (query === '' ? 0 : query.length + 1) > URL_CHARS_MAX)`,
      after: `if (path.length + (query === '' ? 0 : query.length + 1) >= URL_CHARS_MAX)`,
      breaks: 'a URL of exactly the maximum length is refused',
      tests: ['test/http/hostile.test.ts'],
    },
  ],
}
