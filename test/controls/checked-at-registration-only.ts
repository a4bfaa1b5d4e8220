import { request } from 'node:http'
import { type AddressRules, checkTarget } from '../../src/webhooks/address.ts'

/**
 * Broken on purpose: checks the addresses only when a URL is registered, and resolves the name again at each attempt.
 */
export async function checkedAtRegistrationOnly(
  url: string,
  rules: AddressRules,
): Promise<() => Promise<number>> {
  const { url: vetted } = await checkTarget(url, rules)
  return async () => {
    const [address = ''] = await rules.resolve(vetted.hostname)
    const answered = Promise.withResolvers<number>()
    const asking = request({ method: 'POST', host: address, port: vetted.port, agent: false }, response => {
      response.resume()
      answered.resolve(response.statusCode ?? 0)
    })
    asking.on('error', answered.reject)
    asking.end()
    return await answered.promise
  }
}
