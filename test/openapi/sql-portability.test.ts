import { describe, expect, test } from 'bun:test'
import { loadModule, parseSync } from 'libpg-query'
import { z } from 'zod'
import { testedEngines } from '../support/engines.ts'
import { openPostgresProxy } from '../support/postgres-proxy.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { driveUsual } from './conformance-drive.ts'

/**
 * The features that CockroachDB or YugabyteDB documents as missing or as different from PostgreSQL, by the name of
 * their node in the parse tree. The sources are the page "PostgreSQL Compatibility" (CockroachDB v26.3) and the list of
 * unsupported features of YSQL (YugabyteDB v2025.1).
 */
const unsupportedNodes: Readonly<Record<string, string>> = {
  LockStmt: 'a lock on a table',
  ListenStmt: 'LISTEN',
  NotifyStmt: 'NOTIFY',
  CreateTrigStmt: 'a trigger',
  CreateDomainStmt: 'a domain',
  CreateEventTrigStmt: 'an event trigger',
  DeclareCursorStmt: 'a cursor',
  DoStmt: 'a block of PL/pgSQL',
  MergeStmt: 'MERGE',
  PrepareTransactionStmt: 'a prepared transaction',
  XmlExpr: 'XML',
}

/** The functions that are missing or have no effect in one of these databases. */
const unsupportedFunctions = /^(pg_(try_)?advisory_.*|pg_notify|txid_.*|pg_xact_.*|pg_export_snapshot|xml.*)$/

const Name = z.object({ String: z.object({ sval: z.string() }) })
const Call = z.object({ funcname: Name.array() })
const Operator = z.object({ kind: z.string(), name: Name.array() })
const Locking = z.object({ waitPolicy: z.string().optional() })

/** Returns the features of a statement that one of these databases lacks; [] if there are none. */
function unsupportedIn(text: string): string[] {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [name, value] of Object.entries(node)) {
      if (unsupportedNodes[name] !== undefined) found.push(unsupportedNodes[name])
      if (name === 'FuncCall') {
        const called = Call.parse(value).funcname.at(-1)?.String.sval ?? ''
        if (unsupportedFunctions.test(called)) found.push(`the function ${called}`)
      }
      // In CockroachDB, the quotient of two integers is a decimal number.
      if (name === 'A_Expr' && Operator.parse(value).name[0]?.String.sval === '/') found.push('a division')
      if (name === 'LockingClause' && Locking.parse(value).waitPolicy === 'LockWaitSkip')
        found.push('SKIP LOCKED')
      visit(value)
    }
  }
  visit(parseSync(text))
  return found
}

describe.skipIf(!testedEngines.includes('postgres'))('the SQL of the store', () => {
  test('the store uses nothing that CockroachDB or YugabyteDB documents as missing or different', async () => {
    await loadModule()
    await using proxy = await openPostgresProxy(await newDatabase())
    await driveUsual('postgres', { routeOf: url => proxy.urlOf(url) })
    const statements = [...proxy.statements]
    expect(statements.length).toBeGreaterThan(100)
    expect(statements.flatMap(text => unsupportedIn(text).map(what => `${what}: ${text}`))).toEqual([])
  }, 120_000)

  test('control: a lock on a table, a division, an advisory lock and SKIP LOCKED are detected', async () => {
    await loadModule()
    const wrong = [
      'LOCK TABLE migration IN ACCESS EXCLUSIVE MODE',
      'SELECT id FROM event WHERE position / 1024 = 3',
      'SELECT pg_advisory_xact_lock(1)',
      'SELECT id FROM webhook LIMIT 1 FOR UPDATE SKIP LOCKED',
    ]
    expect(wrong.map(text => unsupportedIn(text).join())).toEqual([
      'a lock on a table',
      'a division',
      'the function pg_advisory_xact_lock',
      'SKIP LOCKED',
    ])
  })
})
