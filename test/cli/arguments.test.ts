import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { childEnvironment, run, runToEnd } from '../support/process.ts'
import { ROOT } from '../support/root.ts'

test('an unknown argument is refused with a hint that npm needs -- before options', async () => {
  for (const word of ['9000', 'bogus']) {
    const main = join(ROOT, 'src', 'main.ts')
    const ended = await runToEnd([process.execPath, main, word], childEnvironment({}))
    expect([ended.exitCode, ended.errors.trim()]).toEqual([
      2,
      `There is no command or argument "${word}". See --help. With npm, options go after --: npm start -- --port 9000`,
    ])
  }
})

test('the help of serve and of sandboxes shows the default host, port and data directory', async () => {
  for (const [name, port, data] of [
    ['serve', '8080', './data'],
    ['sandboxes', '8081', './sandboxes'],
  ] as const) {
    const { output } = await run([name, '--help'])
    const help = output.replaceAll(/\s+/g, ' ')
    for (const value of ['127.0.0.1', port, data]) expect(help).toContain(`(default: ${value})`)
  }
})
