import { expect, test } from 'bun:test'

/** Runs a process that stops at SIGTERM with `stop`, a JavaScript function. Returns its exit code and its messages. */
async function stopped(stop: string): Promise<{ exitCode: number; messages: string }> {
  const module = new URL('process.ts', import.meta.url).href
  const code = `
    import { stopOnSignals } from ${JSON.stringify(module)}
    setInterval(() => {}, 1000)
    stopOnSignals(0, ${stop}, 200)
    process.kill(process.pid, 'SIGTERM')`
  const child = Bun.spawn([process.execPath, '-e', code], {
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: 30_000,
  })
  const messages = await new Response(child.stderr).text()
  return { exitCode: await child.exited, messages }
}

test('a store that does not stop in time says so, and ends', async () => {
  expect(await stopped('() => new Promise(() => {})')).toEqual({
    exitCode: 1,
    messages: 'The store did not finish its work in time, and ends now.\n',
  })
})

test('a store whose stop fails reports the reason, and ends', async () => {
  expect(await stopped("() => Promise.reject(new Error('the disk is gone.'))")).toEqual({
    exitCode: 1,
    messages: 'The store did not stop gracefully: the disk is gone.\n',
  })
})

test('a store that stops in time ends without a message', async () => {
  expect(await stopped('async () => {}')).toEqual({ exitCode: 0, messages: '' })
})
