import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedClass } from '../../src/sandboxes/contract/class-schema.ts'
import type { CreatedSandbox } from '../../src/sandboxes/contract/schema.ts'
import { registryFile } from '../../src/sandboxes/registry/registry-file.ts'
import { parseJson } from '../../src/values/json.ts'
import {
  type CallResult,
  openSandboxHost,
  type TestHost,
  type TestHostOptions,
} from '../support/sandbox-host.ts'

export const LESSON = '# HTTP\n\n## 1. Read something\n\n```check\nlistPets status=200\n```\n'

interface ClassSession extends AsyncDisposable {
  /** The host, another one after a restart. */
  readonly host: TestHost
  readonly hostKey: string
  readonly ofClass: CreatedClass
  readonly students: readonly CreatedSandbox[]
  /** Stops the host, and serves its data at the same address. */
  restart(): Promise<void>
}

export function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString()
}

/** Serves a host with a class of ten days. The names are the identifiers. */
export async function openClass(
  names: readonly string[],
  options: TestHostOptions = {},
  lesson = LESSON,
): Promise<ClassSession> {
  let host = await openSandboxHost(options)
  const { directory, base } = host
  const places = BigInt(Math.max(1, names.length))
  const ofClass = host.host.ofClasses.createClass({ name: '10b', lesson, endsAt: inDays(10), places })
  const students = await host.host.ofClasses.addStudents(
    ofClass.id,
    names.map(name => ({ name, identifier: name })),
  )
  return {
    get host() {
      return host
    },
    hostKey: readFileSync(join(directory, 'host-key'), 'utf8').trim(),
    ofClass,
    students,
    restart: async () => {
      await host.stop()
      host = await openSandboxHost({ ...options, directory, port: Number(new URL(base).port) })
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

/** Lets every write of the record of a sandbox fail, until the returned function is called. */
export function refuseWrites({ directory }: TestHost, sandboxId = ''): () => void {
  const registry = new Database(registryFile(directory))
  registry.run(`CREATE TRIGGER refuse BEFORE UPDATE ON sandbox WHEN NEW.id = '${sandboxId}'
    BEGIN SELECT RAISE(ABORT, 'refused'); END`)
  return () => {
    registry.run('DROP TRIGGER refuse')
    registry.close()
  }
}

/** Sends a request with a key, or without one. The body is sent as JSON. */
export async function call(
  method: string,
  url: string,
  key: string | undefined,
  body?: unknown,
): Promise<CallResult> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  const data = isJson && text !== '' ? parseJson(text) : undefined
  return { status: response.status, headers: response.headers, text, data }
}
