import { SQL } from 'bun'

/** Returns an error as the driver reports it. */
export function serverError(state: string): Error {
  return new SQL.PostgresError('injected by the test', {
    code: 'ERR_POSTGRES_SERVER_ERROR',
    errno: state,
    detail: '',
    hint: '',
    severity: 'ERROR',
  })
}
