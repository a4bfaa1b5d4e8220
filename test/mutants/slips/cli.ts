import type { Slips } from '../slip.ts'

const CHOSEN = 'test/cli/chosen-store.test.ts'
const BACKUP = 'test/transfer/backup.test.ts'
const COPY = 'test/transfer/copy.test.ts'
const EXPORT = 'test/cli/export.test.ts'
const INTERRUPTED = 'test/cli/import-interrupted.test.ts'
const IMPORT = 'test/cli/import.test.ts'
const KEYS = 'test/cli/keys-command.test.ts'
const LISTEN = 'test/cli/listen.test.ts'
const OPERATIONS = 'test/cli/operations.test.ts'
const RESET = 'test/cli/reset-command.test.ts'
const SANDBOX = 'test/cli/sandbox-command.test.ts'
const SECRET_KEY = 'test/cli/secret-key.test.ts'
const CLIENT_SANDBOX = 'test/client/sandbox.test.ts'

export const cliSlips: Slips = {
  'src/cli/agents/mcp.ts': [
    {
      before: `redirect: 'manual',`,
      after: `redirect: 'follow',`,
      breaks: 'a server that is no petstore sends the messages of an agent elsewhere',
      tests: ['test/cli/mcp-command.test.ts: a refusal of the store is a sentence'],
    },
    {
      before: `    headers.set('Mcp-Method', method)\n`,
      after: ``,
      breaks: 'a client that speaks only the newest revision cannot use the command',
      tests: ['test/cli/mcp-command.test.ts: an agent sells a pet through standard input and output'],
    },
    {
      before: `await Promise.all(inProgress)\n  })`,
      after: `process.exit()\n  })`,
      breaks: 'the responses to the last messages are lost',
      tests: ['test/cli/mcp-command.test.ts: each line gets one line'],
    },
    {
      before: `await print(\`\${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: text } })}\\n\`)`,
      after: `process.exit(1)`,
      breaks: 'an agent loses all tools when the store restarts',
      tests: ['test/cli/mcp-command.test.ts: the program of an agent survives'],
    },
    {
      before: `.split('\\n')
    rest`,
      after: `.split(/[\\n\\u2028]/)
    rest`,
      breaks: 'a name with an unusual line end cuts the message of an agent in two',
      tests: ['test/cli/mcp-command.test.ts: only a line feed ends a line'],
    },
  ],
  'src/cli/copies/backup-manifest.ts': [
    {
      before: `found.bytes !== expected.bytes || found.sha256 !== expected.sha256`,
      after: `found.bytes !== expected.bytes && found.sha256 !== expected.sha256`,
      breaks: 'a backup with a flipped bit is restored',
      tests: [`${BACKUP}: restore refuses a backup with a damaged or replaced file`],
    },
    {
      before: `    signal.throwIfAborted()
    hash.update(chunk)`,
      after: `    hash.update(chunk)`,
      breaks: 'Ctrl-C does not end the check of a large backup',
      tests: ['src/cli/copies/backup-manifest.test.ts'],
    },
  ],
  'src/cli/copies/backup.ts': [
    {
      before: `if (pid === undefined || isAlive(Number(pid))) continue`,
      after: `if (pid === undefined) continue`,
      breaks: 'a backup deletes the unfinished files of another backup that is running',
      tests: [`${BACKUP}: a backup keeps the files of another backup`],
    },
    {
      before: `readdirSync(draft).every(`,
      after: `readdirSync(draft).some(`,
      breaks: 'a backup deletes a folder of another program next to it',
      tests: [`${BACKUP}: a backup keeps the files of another backup`],
    },
    {
      before: `await verifyCopy(draft, interruption.signal)`,
      after: ``,
      breaks: 'a backup of a damaged store looks like a good one',
      tests: [`${BACKUP}: a store whose audit log is damaged is not backed up`],
    },
    {
      before: `if (!existsSync(directory) || readdirSync(directory).length === 0) throw error`,
      after: `throw error`,
      breaks: 'the second of two backups to one directory says that nothing is there',
      tests: [`${BACKUP}: a backup whose directory gets the files of another one`],
    },
    {
      before: `if (withSecretKey) writeSecretKey(config, draft)`,
      after: `if (withSecretKey && config.secretKey === undefined) writeSecretKey(config, draft)`,
      breaks: 'a backup lacks the secret key of the settings',
      tests: [`${BACKUP}: a backup keeps the files of another backup`],
    },
    {
      before: '    if (!withSecretKey) warnOfMissingKey(config)',
      after: '    if (withSecretKey) warnOfMissingKey(config)',
      breaks: 'a backup without the secret key does not say that the key must be kept',
      tests: ['test/transfer/backup.test.ts: a backup without the secret key says which file to keep'],
    },
  ],
  'src/cli/copies/copied-secret-key.ts': [
    {
      before: `=== key.trim()) return { undo: () => {} }`,
      after: `=== key.trim()) return { undo: () => rmSync(target, { force: true }) }`,
      breaks: 'a restore that failed deletes a secret key that was there before',
      tests: [`${BACKUP}: a restore that fails when it publishes`],
    },
  ],
  'src/cli/copies/copy.ts': [
    {
      before: `    secretKey?.undo()
    if (error instanceof CommandFailed) throw error`,
      after: `    if (error instanceof CommandFailed) throw error`,
      breaks: 'a copy that failed leaves the secret key, although the target "is still empty"',
      tests: [`${COPY}: a copy to a directory has the secret key`],
    },
    {
      before: `if (isSamePlace(places.from, places.to)) {`,
      after: `if (isSamePlace(places.from, places.to) && places.from.name === places.to.name) {`,
      breaks: 'a store is copied onto itself through a link',
      tests: [`${COPY}: sources and targets that cannot be used are refused with a reason`],
    },
    {
      before: `return existsSync(source) ? copySecretKey`,
      after: `return existsSync(secretKeyPath(to.directory)) ? copySecretKey`,
      breaks: 'the webhooks of a copied directory deliver nothing',
      tests: [`${COPY}: a copy to a directory has the secret key`],
    },
  ],
  'src/cli/copies/export.ts': [
    {
      before: `    await sink.write(texts.join(''))
    texts = []`,
      after: `    await sink.write(texts.join(''))`,
      breaks: 'the rows of a large export are repeated',
      tests: [`${EXPORT}: the export of a busy store has every row`],
    },
    {
      before: `    sink.discard()
    if (error instanceof CommandFailed) throw error`,
      after: `    if (error instanceof CommandFailed) throw error`,
      breaks: 'an interrupted export leaves an unfinished file',
      tests: [`${EXPORT}: an export to a pipe that is closed early ends without an error`],
    },
    {
      before: `openSync(draft, 'wx', 0o600)`,
      after: `openSync(draft, 'wx')`,
      breaks: 'everybody on the machine can read an exported file',
      tests: [`${EXPORT}: an exported file can be read by its owner only`],
    },
    {
      before: `escapeFormulas || value.startsWith("'") ? escapedFormula(value) : value`,
      after: `escapeFormulas ? escapedFormula(value) : value`,
      breaks: 'a name that begins with an apostrophe loses it at an export and an import',
      tests: [`${EXPORT}: a name that begins with apostrophes before a formula`],
    },
  ],
  'src/cli/copies/reset.ts': [
    {
      before: `if (!keepKeys && lock) rmSync(`,
      after: `if (!keepKeys) rmSync(`,
      breaks: 'a reset of a database deletes the admin key of another store',
      tests: [`${RESET}: a reset of a store on PostgreSQL does not delete the admin key`],
    },
    {
      before: `metadata: empty ? WITHOUT_DEMO : {} }`,
      after: `metadata: demo ? WITHOUT_DEMO : {} }`,
      breaks: 'an emptied store has the demo shop after its next start',
      tests: [`${RESET}: reset --empty deletes everything`],
    },
  ],
  'src/cli/copies/restore.ts': [
    {
      before: `    secretKey?.undo()
`,
      after: ``,
      breaks: 'a restore that failed leaves the secret key, although "Nothing was restored"',
      tests: [`${BACKUP}: a restore that fails when it publishes`],
    },
    {
      before: `  signal.throwIfAborted()
  const secretKey =`,
      after: `  const secretKey =`,
      breaks: 'a restore that was interrupted makes a store all the same',
      tests: [`${BACKUP}: an interrupted backup leaves nothing`],
    },
    {
      before: `    rmSync(directory, { recursive: true, force: true })`,
      after: `    if (signal.aborted) rmSync(directory, { recursive: true, force: true })`,
      breaks: 'a restore to PostgreSQL leaves a copy of the whole store in the temporary directory',
      tests: [`${BACKUP}: a restore to PostgreSQL leaves no copy`],
    },
    {
      before: 'const options = restoreOptions(manifest, tables)',
      after: 'const options = { ...restoreOptions(manifest, tables), head: undefined }',
      breaks: 'a restore to PostgreSQL accepts a database that is not that of the manifest',
      tests: [`${BACKUP}: a restore to PostgreSQL leaves no copy`],
    },
    {
      before: 'if (!existsSync(adminKeyPath(to.directory)))',
      after: 'if (existsSync(adminKeyPath(to.directory)))',
      breaks: 'a restore does not say how to get an admin key',
      tests: ['test/transfer/backup.test.ts: a backup without the secret key says which file to keep'],
    },
  ],
  'src/cli/import/catalogue-source.ts': [
    {
      before: `    await access(path, constants.R_OK)
`,
      after: ``,
      breaks: 'an import of a file that this user cannot read says first that it imports the file',
      tests: [`${IMPORT}: which cannot be read, is refused in one sentence`],
    },
  ],
  'src/cli/import/import.ts': [
    {
      before: `        await undo()
        hasBegun = false`,
      after: `        hasBegun = false`,
      breaks: 'an import that failed leaves a new store, although "Nothing was loaded"',
      tests: [`${IMPORT}: an import into a stopped store that fails while it loads`],
    },
    {
      before: `if (!hasBegun) rejects.discard()`,
      after: `rejects.discard()`,
      breaks: 'an interrupted import deletes the file of the invalid lines, and loads the others',
      tests: [`${INTERRUPTED}: after Ctrl-C between slices`],
    },
    {
      before: `printReport(report, { mode, keepGoing: keepGoing || resume !== undefined })`,
      after: `printReport(report, { mode, keepGoing })`,
      breaks: 'a resumed import with a problem says that nothing was loaded',
      tests: ['test/cli/import-slices.test.ts: a resumed import says that the other lines'],
    },
    {
      before: 'createCategories || rejects !== undefined || inSlices)',
      after: 'createCategories || rejects !== undefined)',
      breaks: '--resume with --in-slices is accepted, although the option does nothing',
      tests: ['test/cli/import-rejects.test.ts: invalid combinations of options'],
    },
  ],
  'src/cli/import/rejected-lines.ts': [
    {
      before: `isNew ? head + text : text`,
      after: `text`,
      breaks: 'the file of the invalid lines has no header',
      tests: ['test/cli/import-rejects.test.ts: the invalid lines are copied byte for byte'],
    },
  ],
  'src/cli/import/target.ts': [
    {
      before: `retriesMax: RETRIES_MAX }`,
      after: `retriesMax: 0 }`,
      breaks: 'an import into a busy store fails at its rate limit',
      tests: ['src/cli/import/target.test.ts'],
    },
  ],
  'src/cli/inspect/period.ts': [
    {
      before: `new Date(Number(date[1]), Number(date[2]) - 1, Number(date[3]) + dayOffset).getTime()`,
      after: `new Date(Number(date[1]), Number(date[2]) - 1, Number(date[3])).getTime() + dayOffset * 86_400_000`,
      breaks: 'the history of the day of a clock change has an hour too much or too little',
      tests: ['test/cli/history.test.ts: a period given as a date is the whole local day'],
    },
    {
      before: 'Number(date[1]) < 100',
      after: 'false',
      breaks: 'a period with a mistyped year, such as 0099, begins in 1999',
      tests: ['test/cli/history.test.ts: petstore history --since'],
    },
  ],
  'src/cli/keys/key-access.ts': [
    {
      before: `        cursor = page.next
        if (cursor === undefined) return`,
      after: `        cursor = page.next
        if (page.items.length < PAGE_SIZE || cursor !== undefined) return`,
      breaks: 'the list of the keys of a stopped store ends after a hundred',
      tests: [`${KEYS}: keys list prints more keys than one page has`],
    },
  ],
  'src/cli/keys/keys.ts': [
    {
      before: `parseInstantMs(text) : Date.now() + afterMs`,
      after: `parseInstantMs(text) : afterMs`,
      breaks: 'a key with --expires 30d expired in 1970',
      tests: [`${KEYS}: keys create --expires 30d creates a key`],
    },
    {
      before: 'error instanceof ConnectionError || error instanceof TimeoutError',
      after: 'error instanceof TimeoutError',
      breaks: 'a running store that cannot be reached gives a stack trace',
      tests: ['test/cli/keys-command.test.ts: keys says that a running store does not respond'],
    },
  ],
  'src/cli/keys/secret-key.ts': [
    {
      before: `(secretKey === undefined && (await adoptSecretKey(engine, key, clock)))`,
      after: `(await adoptSecretKey(engine, key, clock))`,
      breaks: 'a process with another key file replaces the key that its neighbours use',
      tests: [`${SECRET_KEY}: a process with a key file in its settings`],
    },
    {
      before: `if (found === undefined && (await engine.readShort(hasEncryptedSecret))) {`,
      after: `if (found === undefined && secretKey !== undefined && (await engine.readShort(hasEncryptedSecret))) {`,
      breaks: 'a store with webhooks that lost its key makes a new one, and then refuses it',
      tests: [`${SECRET_KEY}: a missing secret key is reported`],
    },
  ],
  'src/cli/listen/listen.ts': [
    {
      before: `problem !== undefined && configured < 300 ? 400 : configured`,
      after: `configured`,
      breaks: 'a receiver accepts a delivery that the store did not sign',
      tests: [`${LISTEN}: petstore listen refuses a delivery without a signature`],
    },
  ],
  'src/cli/operations/run.ts': [
    {
      before: `(data.items.length === 0 && data.next === String(position))`,
      after: `data.items.length === 0`,
      breaks: 'a list with --all ends at a page without items, although more pages follow',
      tests: [`${OPERATIONS}: a list with --all continues after a page`],
    },
    {
      before: `if (!isConnected) throw error
    say`,
      after: `say`,
      breaks: 'stream-events without a store tries again for ever',
      tests: [`${OPERATIONS}: the command stream-events ends with 3`],
    },
    {
      before: `if (!isChange || !(error instanceof CommandFailed)) throw error`,
      after: `if (isChange || !(error instanceof CommandFailed)) throw error`,
      breaks: 'a change whose output is lost is not reported as made',
      tests: ['test/cli/output-to-full-disk.test.ts: a change whose output cannot be written to a full disk'],
    },
    {
      before: `if (isEnd || count >= wanted) {`,
      after: `if (isEnd || !options.all) {`,
      breaks: 'a command says that nothing was found, although the next page has a pet',
      tests: ['test/cli/operations.test.ts: a command goes on after a short page'],
    },
  ],
  'src/cli/sandboxes/create.ts': [
    {
      before: `created.push(sandbox)
      saved.add(sandbox)`,
      after: `created.push(sandbox)
      if (created.length === inputs.length) for (const one of created) saved.add(one)`,
      breaks: 'the keys of the sandboxes that were created before a failure are lost',
      tests: [`${SANDBOX}: sandboxes created before a failure are printed and saved`],
    },
  ],
  'src/cli/sandboxes/sandbox.ts': [
    {
      before: `deleted.add(sandbox.id)
    }
  } finally {
    saved.remove(deleted)`,
      after: `deleted.add(sandbox.id)
    }
    saved.remove(deleted)
  } finally {`,
      breaks: 'a deletion that fails at one sandbox leaves the deleted ones in the list',
      tests: [`${SANDBOX}: a deletion that fails at one sandbox`],
    },
    {
      before: `if (!(error instanceof CommandFailed) || error.exitCode !== 1) throw error
      failures`,
      after: `if (!(error instanceof CommandFailed) || error.exitCode === 1) throw error
      failures`,
      breaks: 'a reset of a class ends at the first sandbox that lacks the snapshot',
      tests: [`${SANDBOX}: reset accepts the start of an id, or --all`],
    },
    {
      before: `body: { snapshot } }),`,
      after: `body: {} }),`,
      breaks: 'a restore of a snapshot restores the seed',
      tests: [`${CLIENT_SANDBOX}: \`reset\` restores the seed`],
    },
    {
      before: `writeWholeFile(to, cardsPage(sandboxes), { replace: false })`,
      after: `writeWholeFile(to, cardsPage(sandboxes), { replace: true })`,
      breaks: 'sandbox print replaces the list of keys if --to names it',
      tests: ['test/cli/sandbox-command.test.ts: print writes a card for each saved sandbox'],
    },
  ],
  'src/cli/sandboxes/saved.ts': [
    {
      before: `(text.endsWith('\\n') ? '' : '\\n') + line`,
      after: `line`,
      breaks: 'two sandboxes are on one line of the list after an edit, and neither can be used',
      tests: ['src/cli/sandboxes/saved.test.ts'],
    },
    {
      before: `      makePrivate(this.path)
`,
      after: `      if (text === '') makePrivate(this.path)
`,
      breaks: 'everybody on the machine can read the keys in a list that existed before',
      tests: ['src/cli/sandboxes/saved.test.ts'],
    },
  ],
  'src/cli/serve/log-stream.ts': [
    {
      before: `if (this.#lastByteWritten !== NEWLINE) this`,
      after: `if (this.#lost > 0 && this.#lastByteWritten !== NEWLINE) this`,
      breaks: 'two lines of the log become one after a write that failed in its middle',
      tests: ['src/cli/serve/log-stream.test.ts'],
    },
    {
      before: `const isHalfWritten = this.#start >= this.#bytes.length / 2`,
      after: `const isHalfWritten = false`,
      breaks: 'a log loses lines of a reader that is a little behind for long',
      tests: ['test/cli/log.test.ts: a log loses no line of a reader that is behind for long'],
    },
  ],
  'src/cli/serve/serve.ts': [
    {
      before: `return isOfStore ? key : undefined`,
      after: `return key`,
      breaks: 'a start names a file whose key gets 401',
      tests: [
        'test/cli/admin-key.test.ts: a start names the file of the admin key only if the key in it is valid',
      ],
    },
  ],
  'src/cli/terminal/interruption.ts': [
    {
      before: `    if (!signal.aborted) stopAll()`,
      after: `    stopAll()`,
      breaks: 'the second Ctrl-C of npm ends a command before its last message',
      tests: ['src/cli/terminal/interruption.test.ts'],
    },
  ],
  'src/cli/terminal/output.ts': [
    {
      before: `(isFirst ? csvLine(columns) : '') + rows.join('')`,
      after: `csvLine(columns) + rows.join('')`,
      breaks: 'a CSV of several pages has a header in its middle',
      tests: [`${OPERATIONS}: a list with --all continues after a page`],
    },
  ],
  'src/cli/which-store/address-file.ts': [
    {
      before: `isAlive(Number(pid)) && isDirectoryLocked(directory)`,
      after: `isAlive(Number(pid))`,
      breaks: 'a key is sent to a program that got the process id of a killed store',
      tests: [`${CHOSEN}: no key is sent to the address of an ended store`],
    },
  ],
  'src/cli/which-store/called-store.ts': [
    {
      before: `  if (directory === undefined) return { url, key: undefined, keySource: undefined }
  return { url, key: adminKeyFile(directory).read(), keySource: adminKeyPath(directory) }`,
      after: `  const other = directory ?? options.data ?? './data'
  return { url, key: adminKeyFile(other).read(), keySource: adminKeyPath(other) }`,
      breaks: 'the admin key is sent to an address that is not that of its store',
      tests: [`${CHOSEN}: the key of the data directory is sent to no other address`],
    },
    {
      before: `if (address === undefined || !URL.canParse(address) || !isThisMachine(address)) return undefined`,
      after: `if (address === undefined || !URL.canParse(address)) return undefined`,
      breaks: 'a forged address file directs the admin key to another machine',
      tests: [`${CHOSEN}: the key is not sent to another machine`],
    },
    {
      before: `const chosen = given ?? published ?? defaultUrl()`,
      after: `const chosen = published ?? given ?? defaultUrl()`,
      breaks: 'a change goes to the store in ./data although --url names another store',
      tests: [CHOSEN],
    },
  ],
  'src/cli/which-store/copy-place.ts': [
    {
      before: `parseDatabaseUrl(text, hasPassword ? undefined : passwordOf)`,
      after: `parseDatabaseUrl(text, passwordOf)`,
      breaks: 'the password of a URL is replaced by that of another database',
      tests: ['src/cli/which-store/copy-place.test.ts'],
    },
  ],
  'src/cli/which-store/running-store.ts': [
    {
      before: `adminKey ?? adminKeyInFile ??`,
      after: `adminKey ??`,
      breaks: 'an import into a running store does not find the key of PETSTORE_ADMIN_KEY_FILE',
      tests: ['src/cli/which-store/running-store.test.ts'],
    },
  ],
  'src/cli/which-store/stopped-store.ts': [
    {
      before: `if (hasStore && !migrates) await databaseVersion(config, true)`,
      after: ``,
      breaks: '"petstore keys list" upgrades a store, and the older program cannot open it any more',
      tests: [
        'test/database/upgrade.test.ts: only a start and "petstore migrate" migrate a store of 677f627',
      ],
    },
    {
      before: `      say(\`The store cannot continue: \${reason}\`)
      process.exit(1)`,
      after: `      say(\`The store cannot continue: \${reason}\`)`,
      breaks: 'a command goes on after its store cannot continue',
      tests: ['test/cli/keys-command.test.ts: a command ends with one message if the database is so damaged'],
    },
  ],
  'src/cli/which-store/store-config.ts': [
    {
      before: `readIn(directory, () => isDirectoryLocked(directory)) === true`,
      after: `isDirectoryLocked(directory)`,
      breaks: 'a command prints a stack trace if its data directory cannot be read',
      tests: [`${CHOSEN}: says in one sentence that its data directory cannot be read`],
    },
    {
      before: `const isAmbiguous = data !== undefined && databaseUrl === undefined && config.databaseUrl !== undefined`,
      after: `const isAmbiguous = data !== undefined && databaseUrl !== undefined && config.databaseUrl !== undefined`,
      breaks: 'a reset deletes the database although --data names a directory',
      tests: ['test/cli/ambiguous-store.test.ts'],
    },
  ],
  'src/cli/which-store/store-options.ts': [
    {
      before: `const text = option ?? environmentText('PETSTORE_KEY')`,
      after: `const text = environmentText('PETSTORE_KEY') ?? option`,
      breaks: 'a command or an import sends PETSTORE_KEY although --key names another key',
      tests: [`${CHOSEN}: the key of --key is sent, although`, 'src/cli/which-store/running-store.test.ts'],
    },
    {
      before: `if (!status.isFile()) throw new Error('it is not a file')
    if`,
      after: `if`,
      breaks: 'a command waits for ever for a key from a pipe that nobody writes',
      tests: [`${CHOSEN}: a pipe in place of the file of a key`],
    },
  ],
}
