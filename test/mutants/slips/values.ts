import type { Slips } from '../slip.ts'

const LISTEN = 'test/cli/listen.test.ts'

export const valueSlips: Slips = {
  'src/values/control-characters.ts': [
    {
      before: `/[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]/gu`,
      after: `/[\\p{Cc}\\p{Zl}\\p{Zp}]/gu`,
      breaks: 'a delivery can reorder the text of the terminal',
      tests: [`${LISTEN}: no content of a delivery can control the terminal`],
    },
  ],
  'src/values/csv.ts': [
    {
      before: `return /[",\\r\\n]/.test(text)`,
      after: `return /[",\\n]/.test(text)`,
      breaks: 'a description with a carriage return breaks a row of the CSV',
      tests: ['src/values/csv.test.ts'],
    },
  ],
  'src/values/ip-address.ts': [
    {
      before: `ipv6Groups(address).slice(0, 4)`,
      after: `ipv6Groups(address).slice(0, 5)`,
      breaks: 'one subscriber has 65,536 rate limits',
      tests: ['src/values/ip-address.test.ts: the IPv6 addresses of one /64 share a rate limit'],
    },
    {
      before: `ipv6Groups(address).slice(0, 4)`,
      after: `ipv6Groups(address).slice(0, 3)`,
      breaks: 'all receivers of one provider share the limit of a host',
      tests: ['src/webhooks/host-limit.test.ts: the IPv6 addresses of one /64 share a limit'],
    },
  ],
  'src/values/single-flight.ts': [
    {
      before: `work().finally(() => {
      running = undefined
    })`,
      after: `work()`,
      breaks: 'a store that was ready once is ready for ever',
      tests: ['test/http/probes.test.ts: a store is not ready while its database fails'],
    },
  ],
}
