import { createHostClient } from '../../client/client.ts'
import { ApiError, ConnectionError } from '../../client/errors.ts'
import { isFromOtherServer } from '../../client/sandbox.ts'
import type { HostOperations } from '../../client/sandbox-api.ts'
import { exitCodeOf, isRefusedConnection, refused } from '../operations/request-failure.ts'
import { givenAddress } from '../store-access/store-options.ts'
import { isThisMachine } from '../store-access/this-machine.ts'
import { ignoreProxies } from '../terminal/proxy-variables.ts'
import { CommandFailed, EXIT_UNAVAILABLE, escapeControls } from '../terminal/terminal.ts'

const OTHER_SERVER = 'Give the address of a host with --host-url; "petstore sandboxes" starts one.'
/** The directory of a host, unless another one is given. */
export const HOST_DATA = './sandboxes'
const DEFAULT_HOST = 'http://127.0.0.1:8081'

/** Returns the host of new sandboxes: `given`, PETSTORE_SANDBOXES, or the default address. Throws CommandFailed. */
export function chooseHost(given: string | undefined): string {
  return givenAddress(given, '--host-url', 'PETSTORE_SANDBOXES') ?? DEFAULT_HOST
}

/** Returns the control operations of a host. The key is sent only to this host. Failed requests are not repeated. */
export function controlHost(host: string, key: string | undefined): HostOperations {
  if (isThisMachine(host)) ignoreProxies()
  return createHostClient({ baseUrl: host, key, retriesMax: 0 })
}

/** Returns whether a request failed because the sandbox does not exist. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'sandbox_not_found'
}

/**
 * Returns the error of a command for a failed request to a host, or any other error unchanged. `keySource` says where
 * the key came from.
 */
export function hostFailure(error: unknown, host: string, keySource: string): unknown {
  if (error instanceof ApiError) {
    const text = `${host} is not a host of sandboxes: it may be a store, or one sandbox. ${OTHER_SERVER}`
    if (isFromOtherServer(error)) return new CommandFailed(text, exitCodeOf(error))
    return refused(error, [error.status === 401 ? `The key came from ${keySource}.` : undefined])
  }
  if (!(error instanceof ConnectionError)) return error
  if (!isRefusedConnection(error.cause))
    return new CommandFailed(`${host}: ${escapeControls(error.message)}`, EXIT_UNAVAILABLE)
  const start = 'Start one with "petstore sandboxes", or give its address with --host-url'
  return new CommandFailed(
    `No host of sandboxes responds at ${host}: the connection was refused. ${start} or PETSTORE_SANDBOXES.`,
    EXIT_UNAVAILABLE,
  )
}
