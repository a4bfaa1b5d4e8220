import { expect, test } from 'bun:test'
import { runCommand } from './command-run.ts'

const { signal } = new AbortController()

test('a command that prints without an end is ended in time, and takes no memory for what it prints', async () => {
  const before = process.memoryUsage().rss
  const { isTimedOut, output } = await runCommand('yes 0123456789', {}, 1000, signal)
  expect([isTimedOut, output.length, output.slice(0, 22)]).toEqual([
    true,
    100_000,
    '0123456789\n0123456789\n',
  ])
  expect(process.memoryUsage().rss - before).toBeLessThan(500 * 1024 ** 2)
})

test('what a command leaves running in a session of its own does not hold up the bench', async () => {
  const { exitCode, output, seconds } = await runCommand(
    'setsid sleep 8 & sleep 0.3; echo done',
    {},
    5000,
    signal,
  )
  expect([exitCode, output]).toEqual([0, 'done\n'])
  expect(seconds).toBeLessThan(4)
})
