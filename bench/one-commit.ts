import { plugin } from 'bun'

// Loaded before the program (`bun --preload`): the same program, but that its writer takes one command into
// each transaction. One number of one file is changed as that file is loaded; all else is as it stands.

const NUMBER = /(?<=^const COMMANDS_A_BATCH_MAX = )\d+$/m

plugin({
  name: 'one commit a command',
  setup(build) {
    build.onLoad({ filter: /\/src\/engine\/sqlite\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      if (!NUMBER.test(text)) throw new Error(`${path} does not say COMMANDS_A_BATCH_MAX`)
      return { contents: text.replace(NUMBER, '1'), loader: 'ts' }
    })
  },
})
