import { join } from 'node:path'
import { plugin } from 'bun'

// A plugin for `bun --preload`, with which the writer of the program runs one command per transaction. It changes one
// number in one file when the file is loaded, and refuses to start without it. Everything else is unchanged.

const FILE = join(import.meta.dir, '../src/database/sqlite/engine.ts')
const NUMBER = /(?<=^const COMMANDS_PER_BATCH_MAX = )\d+$/m

const text = await Bun.file(FILE).text()
if (!NUMBER.test(text)) throw new Error(`${FILE} does not contain COMMANDS_PER_BATCH_MAX`)

plugin({
  name: 'one commit per command',
  setup(build) {
    build.onLoad({ filter: /\/src\/database\/sqlite\/engine\.ts$/ }, () => ({
      contents: text.replace(NUMBER, '1'),
      loader: 'ts',
    }))
  },
})
