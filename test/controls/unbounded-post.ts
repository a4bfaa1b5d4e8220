import { request } from 'node:http'
import type { post } from '../../src/webhooks/request.ts'

/** Broken on purpose: accepts everything that a receiver sends, for `timeoutMs`. */
export const unboundedPost: typeof post = ({ target, body, timeoutMs }) =>
  new Promise(resolve => {
    const { url, address } = target
    const outgoing = request({
      method: 'POST',
      host: address,
      port: url.port,
      path: url.pathname,
      agent: false,
    })
    const end = (): void => {
      outgoing.destroy()
      resolve({ status: 0, reply: '' })
    }
    outgoing.on('error', end)
    setTimeout(end, timeoutMs)
    outgoing.end(body)
  })
