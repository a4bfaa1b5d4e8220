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
      before: `return /[",;\\r\\n]/.test(text)`,
      after: `return /[",;\\n]/.test(text)`,
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
  'src/values/text.ts': [
    {
      before: `firstPoints(folded === key ? key : \`\${folded}\\u0001\${key}\`, KEY_CODE_POINTS_MAX)`,
      after: `firstPoints(folded, KEY_CODE_POINTS_MAX)`,
      breaks: 'names that differ only in accents are in the order in which they were created',
      tests: ['src/values/text.test.ts: names that differ only in marks'],
    },
    {
      before: `firstPoints(word, WORD_CODE_POINTS_MAX)`,
      after: `word`,
      breaks: 'PostgreSQL refuses a pet with a very long word',
      tests: ['src/values/text.test.ts: a word has at most 60'],
    },
    {
      before: `--[\\u3099\\u309a]]`,
      after: `]`,
      breaks: 'a search for か finds が',
      tests: ['src/values/text.test.ts: the words of'],
    },
    {
      before: `\\p{sc=Hebrew}\\p{sc=Arabic}`,
      after: `\\p{sc=Hebrew}\\p{M}`,
      breaks: 'a search ignores the vowels of Hindi',
      tests: ['src/values/text.test.ts: the words of'],
    },
    {
      before: `folded += FOLDED_LETTERS[lower] ?? lower`,
      after: `folded += lower`,
      breaks: 'strass does not find STRASSE with a sharp s',
      tests: ['src/values/text.test.ts: the words of'],
    },
    {
      before: `return folded.normalize('NFC')`,
      after: `return folded`,
      breaks: 'a search finds half of a syllable of Hangul',
      tests: ['src/values/text.test.ts: the words of'],
    },
    {
      before: `&& !(mayBeEmpty && length === 0)`,
      after: ``,
      breaks: 'an empty search is refused, so an importer that sends all examples fails',
      tests: ['test/openapi/document-order.test.ts'],
    },
  ],
  'src/values/time-zone.ts': [
    {
      before: `isShownAt(before) || !isShownAt(after) ? before : after`,
      after: `isShownAt(before) ? before : after`,
      breaks: 'the last hour of a day before its clocks skip midnight is counted in the next day',
      tests: ['src/values/time-zone.test.ts'],
    },
    {
      before: `  if (!/^[A-Za-z]/.test(text)) return undefined
`,
      after: ``,
      breaks: 'a shop whose zone is an offset has the wrong days in summer',
      tests: ['src/values/time-zone.test.ts'],
    },
  ],
}
