import { plugin } from 'bun'

// A plugin for `bun --preload`, with which the writer of the program runs one command per transaction. It changes one
// number in one file when the file is loaded. Everything else is unchanged.

const NUMBER = /(?<=^const COMMANDS_PER_BATCH_MAX = )\d+$/m

plugin({
  name: 'one commit per command',
  setup(build) {
    build.onLoad({ filter: /\/src\/engine\/sqlite\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      if (!NUMBER.test(text)) throw new Error(`${path} does not contain COMMANDS_PER_BATCH_MAX`)
      return { contents: text.replace(NUMBER, '1'), loader: 'ts' }
    })
  },
})
