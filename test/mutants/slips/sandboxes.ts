import type { Slips } from '../slip.ts'

const FAULTS = 'test/sandboxes/faults.test.ts'
const RACES = 'test/sandboxes/sandbox-races.test.ts'
const TURNS = 'src/sandboxes/host/fair-turns.test.ts'
const SANDBOXES = 'test/sandboxes/sandboxes.test.ts'
const OWNER = `${SANDBOXES}: has its shop, and nothing of its owner`
const LIMITS = 'test/sandboxes/limits.test.ts'
const RESTART_FILE = 'test/sandboxes/host-restart.test.ts'
const CAPACITY = 'test/sandboxes/host-capacity.test.ts'
const LOG = 'test/sandboxes/request-log.test.ts'
const FILES = 'test/sandboxes/sandbox-files.test.ts'

export const sandboxSlips: Slips = {
  'src/sandboxes/failures/deliveries.ts': [
    {
      before: `} finally {
          releaseOvertaken = undefined
        }`,
      after: `} finally {
          // nothing
        }`,
      breaks: 'only the first two deliveries change places',
      tests: ['src/sandboxes/failures/deliveries.test.ts'],
    },
    {
      before: `const isAllowed = hostLimit === undefined || hostLimit.take(outgoing.destination) === 0`,
      after: `const isAllowed = true`,
      breaks: 'the deliveries that are sent twice exceed the limit per receiver',
      tests: ['src/sandboxes/failures/deliveries.test.ts'],
    },
    {
      before: `if (isClosing) throw`,
      after: `if (isClosing && releaseOvertaken) throw`,
      breaks: 'a late delivery arrives too early when its sandbox is closed',
      tests: ['src/sandboxes/failures/deliveries.test.ts'],
    },
    {
      before: `    releaseOvertaken?.()
    return incoming`,
      after: `    return incoming`,
      breaks: 'an overtaken delivery waits three seconds instead of for the next one',
      tests: ['src/sandboxes/failures/deliveries.test.ts'],
    },
  ],
  'src/sandboxes/failures/faults.ts': [
    {
      before: `if (doesApply(state)) found ??= state`,
      after: `if (!found && doesApply(state)) found = state`,
      breaks: 'a rule does not count the calls to which an earlier rule applied',
      tests: [`${FAULTS}: the first rule that applies decides`],
    },
    {
      before: `newState(rule, Number(calls), Number(applied))`,
      after: `newState(rule, Number(calls))`,
      breaks: 'the counts of rules begin again when a sandbox is opened again',
      tests: ['src/sandboxes/failures/faults.test.ts'],
    },
    {
      before: `return sent === when.idempotencyKey || sent === \`"\${when.idempotencyKey}"\``,
      after: `return sent === when.idempotencyKey`,
      breaks: 'a rule for an idempotency key does not apply to the typed client',
      tests: [`${FAULTS}: the conditions "header" and "idempotencyKey"`],
    },
    {
      before: `if (effect.type === 'cut_stream' && call.operationId !== 'streamEvents') return false`,
      after: ``,
      breaks: 'a rule for streams counts and cuts other responses',
      tests: ['src/sandboxes/failures/faults.test.ts'],
    },
    {
      before: 'headers?.get(name) ?? undefined',
      after: 'headers?.get(name) || undefined',
      breaks: 'a rule for an empty header never applies',
      tests: [
        'src/sandboxes/failures/faults.test.ts: a rule for a header applies to its value, including an empty one',
      ],
    },
  ],
  'src/sandboxes/failures/requests.ts': [
    {
      before: `firstBytes(Math.min(sent, body.length))`,
      after: `firstBytes(sent)`,
      breaks: 'a short response is not cut, although its rule says so',
      tests: [`${FAULTS}: truncate`],
    },
    {
      before: `if (text.slice(end, next).includes('\\ndata: ')) left--`,
      after: `left--`,
      breaks: 'a keep-alive counts as an event of a stream that is cut',
      tests: [`${FAULTS}: cut_stream`],
    },
    {
      before: `  delete context.headers[FAULT_HEADER]
`,
      after: ``,
      breaks: 'a response within a limit announces a failure',
      tests: [`${FAULTS}: the effect "rate_limit" allows some requests`],
    },
    {
      before: `await (slot ? slot.whileWaiting(delay) : delay())`,
      after: `await delay()`,
      breaks: 'delayed requests take the slots of the other requests',
      tests: [RACES, FAULTS],
    },
    {
      before: `if (faults.isEmpty && !headers.has(FAULT_HEADER)) return handler.handle(context)`,
      after: `if (faults.isEmpty) return handler.handle(context)`,
      breaks: 'the header Petstore-Fault does nothing while there are no rules',
      tests: [`${FAULTS}: the header Petstore-Fault of a request affects only its own request`],
    },
  ],
  'src/sandboxes/host-api/host-api.ts': [
    {
      before: `throw this.#wrongKeys.take(rateGroup(context.address)).refusal ?? wrongSandboxKey()`,
      after: `throw wrongSandboxKey()`,
      breaks: 'the key of a sandbox can be guessed at full speed',
      tests: [`${RESTART_FILE}: an address cannot guess the key`],
    },
    {
      before: `faults.set([])
        this.#host.saveFaults(record.id)
        return undefined`,
      after: `faults.set([])
        return undefined`,
      breaks: 'deleted rules return after a restart of the host',
      tests: [`${RESTART_FILE}: the counts of the rules of a sandbox survive`],
    },
    {
      before: `Math.min(this.#options.clock() + aheadMs, LAST_INSTANT_MS)`,
      after: `Math.min(this.#options.clock(), LAST_INSTANT_MS) + aheadMs`,
      breaks: 'a clock at the end of the year 9999 cannot be read',
      tests: [SANDBOXES],
    },
    {
      before: `if (source) this.#authorized(source.sandboxId, context)`,
      after: `if (source && !this.#options.isLocal(context)) this.#authorized(source.sandboxId, context)`,
      breaks: 'every program on the machine can copy the snapshot of a sandbox',
      tests: [`${SANDBOXES}: a new sandbox can start from a snapshot only with the key`],
    },
  ],
  'src/sandboxes/host/fair-turns.ts': [
    {
      before: `Math.max(this.#pausedUntilMs, performance.now()) + ms`,
      after: `performance.now() + ms`,
      breaks: 'a sandbox with many large reads takes more than half of the thread',
      tests: [TURNS],
    },
    {
      before: `return this.#waiting.length >= WAITING_MAX`,
      after: `return this.#waiting.length >= WAITING_MAX ** 2`,
      breaks: 'the requests that wait for a turn take memory without a bound',
      tests: [TURNS],
    },
    {
      before: `if (this.#left > 0 && this.#waiting.length === 0 && performance`,
      after: `if (this.#left > 0 && performance`,
      breaks: 'a new request begins before those that wait',
      tests: [TURNS],
    },
  ],
  'src/sandboxes/host/files.ts': [
    {
      before: `if (name.includes(UNFINISHED_SUFFIX)) await rm`,
      after: `if (name === UNFINISHED_SUFFIX) await rm`,
      breaks: 'the unfinished files of killed processes fill the disk',
      tests: [`${RESTART_FILE}: a start of the host deletes the unfinished files`],
    },
    {
      before: `    mergeLog(file)
`,
      after: `    mergeLog(unfinished)
`,
      breaks: 'a reset that fails loses the last commits before a kill',
      tests: [`${FILES}: a reset that fails keeps the commits`],
    },
    {
      before: `      await removeJournals(file)
`,
      after: `      await removeJournals(unfinished)
`,
      breaks: 'the log of a damaged sandbox stays next to its new content',
      tests: [],
      equivalent: 'SQLite deletes the log when the last connection closes, also that of a damaged file',
    },
    {
      before: `    } finally {
      await removeDatabase(unfinished)
    }`,
      after: `    } finally {
      // nothing
    }`,
      breaks: 'a reset that fails leaves a copy of the seed on the disk',
      tests: [`${FILES}: a reset whose seed is damaged leaves no copy`],
    },
  ],
  'src/sandboxes/host/foreign-content.ts': [
    {
      before: `  sql()('DELETE FROM reply'),
`,
      after: ``,
      breaks: 'a stranger gets the stored responses of the owner of a snapshot',
      tests: [OWNER],
    },
    {
      before: `  sql()('DELETE FROM staged_row'),
`,
      after: ``,
      breaks: 'a stranger can load the unfinished import of the owner of a snapshot',
      tests: [OWNER],
    },
    {
      before: `  sql()('DELETE FROM attempt'),
`,
      after: ``,
      breaks: 'the responses of receivers of the owner stay in the file of a copy',
      tests: [OWNER],
    },
    {
      before: `if (events.length < EVENTS_PER_PAGE) break`,
      after: `if (events.length <= EVENTS_PER_PAGE) break`,
      breaks: 'only the first 200 events of a copy get new positions',
      tests: [OWNER, SANDBOXES],
    },
    {
      before: `  connection.run(moveHead, { ...last })
`,
      after: `  if (work.isSliceOver) connection.run(moveHead, { ...last })
`,
      breaks: 'the audit log of a copy does not verify',
      tests: [OWNER],
    },
  ],
  'src/sandboxes/host/host.ts': [
    {
      before: `      this.#sandboxes.delete(id)
      await this.#files.delete(id)
      throw refusalOfFullDisk(error)`,
      after: `      await this.#files.delete(id)
      throw refusalOfFullDisk(error)`,
      breaks: 'a sandbox that could not be created takes a place until the next start',
      tests: [`${RESTART_FILE}: a sandbox that cannot be created takes no place`],
    },
    {
      before: `      await this.#files.delete(id)
      throw refusalOfFullDisk(error)`,
      after: `      throw refusalOfFullDisk(error)`,
      breaks: 'a sandbox that could not be created leaves its files',
      tests: [`${RESTART_FILE}: a sandbox that cannot be created takes no place`],
    },
    {
      before: `this.#bytes += Number(snapshot.bytes - (replaced?.bytes ?? 0n))`,
      after: `this.#bytes += Number(snapshot.bytes)`,
      breaks: 'a snapshot that is replaced again and again fills the host',
      tests: [`${RESTART_FILE}: a snapshot that replaces one of the same size`],
    },
    {
      before: `if (!replaced && existing.length >= limits.snapshots)`,
      after: `if (existing.length >= limits.snapshots)`,
      breaks: 'a sandbox with all its snapshots cannot replace one of them',
      tests: [`${LIMITS}: a refusal names the limit of streams or of snapshots`],
    },
    {
      before: `usedMs < found.usedMs : found.hasListeners)`,
      after: `usedMs > found.usedMs : found.hasListeners)`,
      breaks: 'the sandbox that was just used is closed to make room',
      tests: [`${RESTART_FILE}: a sandbox that nobody listens to is closed first`],
    },
    {
      before: `(found.hasListeners === hasListeners ? usedMs < found.usedMs : found.hasListeners)`,
      after: `usedMs < found.usedMs`,
      breaks: 'a sandbox with an open stream is closed although an unused one is open',
      tests: [`${RESTART_FILE}: a sandbox that nobody listens to is closed first`],
    },
    {
      before: `isExpired ? (entry.expiredSinceMs ?? performance.now()) : undefined`,
      after: `entry.expiredSinceMs ?? (isExpired ? performance.now() : undefined)`,
      breaks: 'a clock that is ahead for a moment deletes all sandboxes minutes later',
      tests: [`${RESTART_FILE}: a clock that is ahead for a moment`],
    },
    {
      before: `const isForeign = snapshot === undefined && !isBuiltInSeed`,
      after: `const isForeign = !isBuiltInSeed`,
      breaks: 'a restore of an own snapshot removes the own webhooks and keys',
      tests: [`${RESTART_FILE}: the restore of its own snapshot keeps the keys`],
    },
    {
      before: `    if (!opened.faults.isEmpty) this.#save(entry, { faults: opened.faults.save() })
`,
      after: ``,
      breaks: 'the counts of rules are lost when a sandbox is closed',
      tests: [`${RESTART_FILE}: the counts of the rules of a sandbox survive`],
    },
    {
      before: `generation }, source, () => this.#save(entry, { generation }))`,
      after: `generation }, source)
      this.#save(entry, { generation })`,
      breaks: 'after a kill during a reset, old cursors show other content',
      tests: [`${RESTART_FILE}: a reset changes the generation before`],
    },
    {
      before: `await this.#fill({ ...entry.record, generation }`,
      after: `this.#save(entry, { generation })
      await this.#fill({ ...entry.record, generation }`,
      breaks: 'a reset to a damaged snapshot makes cursors invalid, although the content stays',
      tests: [`${RESTART_FILE}: a reset whose seed is missing is refused`],
    },
    {
      before: `!isDamaged(error) && !(error`,
      after: `!(error`,
      breaks: 'a reset to a damaged snapshot gets 500',
      tests: [
        'test/sandboxes/sandbox-crash.test.ts: is refused as damaged, and the sandbox keeps its content',
      ],
    },
    {
      before: `if (this.#sandboxes.get(entry.record.id) !== entry) throw sandboxNotFound()`,
      after: ``,
      breaks: 'a reset that waited while its sandbox was deleted creates the files again',
      tests: [RACES],
    },
    {
      before: `const waitMs = graceMs + lateMs * LATE_SHARE`,
      after: `const waitMs = graceMs + Math.min(lateMs * LATE_SHARE, graceMs)`,
      breaks: 'a wrong clock of the machine deletes all sandboxes within minutes',
      tests: [`${SANDBOXES}: a sandbox is not deleted soon if the clock of the machine jumps`],
    },
  ],
  'src/sandboxes/host/limits.ts': [
    {
      before: `counted.count >= webhooks`,
      after: `counted.count > webhooks`,
      breaks: 'a sandbox can have a webhook more than its limit',
      tests: [`${LIMITS}: a refusal names the limit of rows, of events or of webhooks`],
    },
    {
      before: `position > this.#limits.events`,
      after: `position >= this.#limits.events`,
      breaks: 'a sandbox can have one event fewer than its limit',
      tests: [`${LIMITS}: a refusal names the limit of rows, of events or of webhooks`],
    },
  ],
  'src/sandboxes/host/open-sandbox.ts': [
    {
      before: `enter: isInner ? () => {} : enter,`,
      after: `enter,`,
      breaks: 'a call of a tool counts twice towards the limit of a sandbox',
      tests: ['test/http/agents.test.ts: a call of a tool counts once towards the limit of a sandbox'],
    },
    {
      before: `const log = this.#options.findLog?.() ?? this.requests`,
      after: `const log = this.requests`,
      breaks: 'a long poll that outlived its open sandbox is missing in the request log',
      tests: [CAPACITY],
    },
    {
      before: `lifecycleClock: () => clock() + options.clockAheadMs(),`,
      after: `lifecycleClock: clock,`,
      breaks: 'the clock of a sandbox retires no operation',
      tests: [`${SANDBOXES}: the lifecycle clock retires an operation`],
    },
    {
      before: `guides: [...options.pages.guides, ...lessonRoutes(options.base)]`,
      after: `guides: options.pages.guides`,
      breaks: 'a sandbox serves the lesson without buttons',
      tests: ['test/sandboxes/pages.test.ts: the lesson of a sandbox has its address'],
    },
  ],
  'src/sandboxes/host/registry.ts': [
    {
      before: `if (known) return known.value
    const value = make()
    this.#database.query('INSERT INTO host (name, value) VALUES ($name, $value)').run({ name, value })`,
      after: `const value = make()
    if (known) return value
    this.#database.query('INSERT INTO host (name, value) VALUES ($name, $value)').run({ name, value })`,
      breaks: 'the webhooks of sandboxes deliver nothing after a restart of the host',
      tests: ['src/sandboxes/host/registry.test.ts'],
    },
  ],
  'src/sandboxes/host/templates.ts': [
    {
      before: `last % \${EVENT_IDS_PER_GENERATION} + $start`,
      after: 'last + $start',
      breaks: 'the ids of events leave the range of their generation after some resets',
      tests: [`${RESTART_FILE}: the ids of events stay in the range`],
    },
    {
      before: `        this.#files.delete(seed)
`,
      after: ``,
      breaks: 'a seed that could not be built once is never built',
      tests: [`${RESTART_FILE}: a seed that could not be built is built`],
    },
  ],
  'src/sandboxes/pages/cards-page.ts': [
    {
      before: `const title = label === '' ? \`Sandbox \${index + 1}\` : label`,
      after: `const title = label`,
      breaks: 'a card without a label has no number',
      tests: ['test/sandboxes/pages.test.ts: the page of a class has ten cards'],
    },
    {
      before: `<h2>\${escapeHtml(title)}</h2>`,
      after: `<h2>\${title}</h2>`,
      breaks: 'the label of a student is HTML on the page of the teacher',
      tests: ['test/sandboxes/pages.test.ts: the page of a class has ten cards'],
    },
  ],
  'src/sandboxes/pages/lesson-page.ts': [
    {
      before: `.replaceAll(EXAMPLE, () => escapeHtml(base))`,
      after: `.replaceAll(EXAMPLE, EXAMPLE)`,
      breaks: 'the lesson of a sandbox has the address of an example',
      tests: ['test/sandboxes/pages.test.ts: the lesson of a sandbox has its address'],
    },
    {
      before: `CLIPBOARD_SCRIPT + lessonScript`,
      after: `lessonScript`,
      breaks: 'without HTTPS, the buttons of the lesson copy nothing',
      tests: ['test/sandboxes/pages.test.ts: the lesson of a sandbox has its address'],
    },
  ],
  'src/sandboxes/pages/print-page.ts': [
    {
      before: `qrCode(consoleLink(baseUrl, key), 'console')`,
      after: `qrCode(baseUrl, 'console')`,
      breaks: 'the QR code of a print page with the key does not sign in',
      tests: ['test/sandboxes/pages.test.ts: the print page shows the label'],
    },
  ],
  'src/sandboxes/pages/qr-code.ts': [
    {
      before: `return \`\${baseUrl}/console#key=\${encodeURIComponent(key)}\``,
      after: `return \`\${baseUrl}/console?key=\${encodeURIComponent(key)}\``,
      breaks: 'the QR code of a card sends the key to the server, and the console asks for it again',
      tests: ['test/sandboxes/pages.test.ts: the page of a class has ten cards'],
    },
  ],
  'src/sandboxes/requests/log.ts': [
    {
      before: `last?.number ?? clearedNumber`,
      after: `last?.number ?? 0`,
      breaks: 'the numbers of the request log begin again after it was cleared and opened again',
      tests: ['src/sandboxes/requests/log.test.ts'],
    },
    {
      before: `this.#lastRead?.after === after && this.#lastRead.lastNumber === this.#lastNumber`,
      after: `this.#lastRead?.after === after`,
      breaks: 'a stream of requests never sends what came after its last read',
      tests: ['src/sandboxes/requests/log.test.ts'],
    },
    {
      before: `'[]'.length - Math.min(lengths.length, 1)),`,
      after: `'[]'.length),`,
      breaks: 'the length of a page of the request log is wrong',
      tests: ['src/sandboxes/requests/log.test.ts'],
    },
    {
      before: `const last = current.at(-1) ?? (await findLines(files.previous)).at(-1)`,
      after: `const last = current.at(-1)`,
      breaks: 'numbers of requests are used twice after a stop with an empty current file',
      tests: ['src/sandboxes/requests/log.test.ts'],
    },
    {
      before: 'const others = Math.max(0, REQUESTS_KEPT - this.#current.length)',
      after: 'const others = REQUESTS_KEPT',
      breaks: 'the log of a sandbox returns up to 2,000 requests instead of the last 1,000',
      tests: [
        'src/sandboxes/requests/log.test.ts: a log returns the last thousand requests and no older ones',
      ],
    },
  ],
  'src/sandboxes/requests/masked.ts': [
    {
      before: `['authorization', 'cookie', 'set-cookie', 'proxy-authorization']`,
      after: `['authorization', 'cookie', 'set-cookie']`,
      breaks: 'the password for a proxy is in the request log',
      tests: ['src/sandboxes/requests/masked.test.ts'],
    },
    {
      before: `return SECRET_CHARACTER.test(character) ? character : written`,
      after: `return inUri !== undefined && SECRET_CHARACTER.test(character) ? character : written`,
      breaks: 'a key that is written with escapes of JSON is in the request log',
      tests: ['src/sandboxes/requests/masked.test.ts'],
    },
  ],
  'src/sandboxes/requests/numbered-lines.ts': [
    {
      before: `return start && line.at(-1) === LINE_END ? Number(start[1]) : undefined`,
      after: `return start ? Number(start[1]) : undefined`,
      breaks: 'half a line that a killed process left makes the request log invalid JSON',
      tests: ['src/sandboxes/requests/numbered-lines.test.ts'],
    },
    {
      before: `const read = start === 0 ? bytesRead : start`,
      after: `const read = bytesRead`,
      breaks: 'a request at the edge of 256 KiB is missing after the sandbox was opened again',
      tests: ['src/sandboxes/requests/numbered-lines.test.ts'],
    },
  ],
  'src/sandboxes/requests/streams.ts': [
    {
      before: `      this.#sandboxes.release(sandboxId)
      throw tooManyStreams()`,
      after: `      throw tooManyStreams()`,
      breaks: 'an address with too many streams takes the streams of a sandbox from everybody',
      tests: [`${CAPACITY}: one address cannot take all streams of request logs`],
    },
    {
      before: `      this.#sandboxes.release(sandboxId)
      this.#addresses.release(address)`,
      after: `      this.#addresses.release(address)`,
      breaks: 'after twenty streams, the request log of a sandbox has none any more',
      tests: [`${LOG}: the log of one sandbox has at most 20 streams`],
    },
  ],
  'src/sandboxes/server.ts': [
    {
      before: `return origin === null || origin === new URL(base).origin`,
      after: `return origin === null || origin === base`,
      breaks: 'the page of a host under a path counts towards the limit of creations',
      tests: [`${RESTART_FILE}: the pages of a host under a path create`],
    },
    {
      before: `isFromThisMachine(request, findPeer()) && isFromHostPageOrProgram(request, base),`,
      after: `isFromThisMachine(request, findPeer()) || isFromHostPageOrProgram(request, base),`,
      breaks: 'any page in a browser of this machine can fill the host with sandboxes',
      tests: [`${LIMITS}: a refusal names the limit of sandboxes, of total bytes`],
    },
    {
      before: `const key = token !== undefined && isKeyText(token) ? token : undefined`,
      after: `const key = token`,
      breaks: 'a print page contains any text of a request as HTML',
      tests: ['test/sandboxes/pages.test.ts: the print page shows no text of a request'],
    },
    {
      before: `if (error instanceof StoreError && error.code === 'sandbox_not_found' && asksForPage(request))`,
      after: `if (error instanceof StoreError && error.code === 'sandbox_not_found')`,
      breaks: 'a program gets a page in place of the error of a deleted sandbox',
      tests: ['test/sandboxes/pages.test.ts: a browser gets a page for an address without a sandbox'],
    },
    {
      before: `return (method === 'GET' || method === 'HEAD') && namesPage(headers)`,
      after: `return method === 'GET' && namesPage(headers)`,
      breaks: 'HEAD of a deleted sandbox has other headers than GET in a browser',
      tests: ['test/sandboxes/pages.test.ts: a browser gets a page for an address without a sandbox'],
    },
  ],
}
