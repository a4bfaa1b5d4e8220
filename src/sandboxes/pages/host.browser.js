// What the scripts of the pages of the host share. The host serves this file unchanged, as `host.js`.

export const byId = id => document.getElementById(id)
// Requests go to the origin that the page was loaded from, which can differ from the base address of the host.
export const hostPath = document.documentElement.dataset.basePath

/** A refusal, or a failure without a status, whose message the page shows unchanged. */
export class Refusal extends Error {
  constructor(message, status) {
    super(message)
    this.status = status
  }
}

/** Sends a request to the host and returns the response, if it is a success. Throws Refusal. */
export async function receive(method, path, { key, body, signal } = {}) {
  // A browser does not send another character, which would look as if the host did not respond.
  if (key !== undefined && !/^[!-~]+$/.test(key))
    throw new Refusal(
      'This is not a key: a key has only letters, digits and underscores. Copy it again.',
      401,
    )
  const response = await fetch(hostPath + path, {
    method,
    signal,
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(refuseLost)
  if (response.ok) return response
  const refusal = await response.json().catch(() => undefined)
  const message = refusal?.message ?? `The host responded with status ${response.status}.`
  throw new Refusal(message, response.status)
}

/** Sends a request to the host and returns the body of the response. Throws Refusal. */
export async function send(method, path, options) {
  const response = await receive(method, path, options)
  const text = await response.text().catch(refuseLost)
  return text === '' ? undefined : JSON.parse(text)
}

function refuseLost() {
  throw new Refusal('The host cannot be reached. Check the connection, and try again.')
}
