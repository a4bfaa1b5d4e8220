import type { Slips } from '../slip.ts'

export const fileSlips: Slips = {
  'src/files/private-file.ts': [
    {
      before: `openSync(temporary, 'wx', 0o600)`,
      after: `openSync(temporary, 'wx')`,
      breaks: 'everybody on the machine can read the admin key',
      tests: ['src/files/private-file.test.ts'],
    },
    {
      before: `closeSync(openSync(file, 'a', 0o600))`,
      after: `closeSync(openSync(file, 'a'))`,
      breaks: 'everybody on the machine can read the database',
      tests: ['src/files/private-file.test.ts'],
    },
    {
      before: 'if (replace) renameSync(temporary, file)',
      after: 'if (replace || file !== temporary) renameSync(temporary, file)',
      breaks: 'of two first starts at once, one loses its admin key',
      tests: ['src/files/private-file.test.ts'],
    },
  ],
}
