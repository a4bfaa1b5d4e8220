import { request } from 'node:http'
import { type AddressRules, checkTarget } from '../../src/webhooks/address.ts'

/**
 * Broken on purpose: checks the addresses only when a URL is registered, and resolves the name again at each attempt.
 * Returns a function that makes one attempt and resolves to the status.
 */
export async function checkedAtRegistrationOnly(
  url: string,
  rules: AddressRules,
): Promise<() => Promise<number>> {
  const { url: checkedUrl } = await checkTarget(url, rules)
  return async () => {
    const [address = ''] = await rules.resolve(checkedUrl.hostname)
    const responded = Promise.withResolvers<number>()
    const outgoing = request(
      { method: 'POST', host: address, port: checkedUrl.port, agent: false },
      response => {
        response.resume()
        responded.resolve(response.statusCode ?? 0)
      },
    )
    outgoing.on('error', responded.reject)
    outgoing.end()
    return await responded.promise
  }
}
