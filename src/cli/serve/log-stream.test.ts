import { expect, test } from 'bun:test'
import { LogStream } from './log-stream.ts'

test('a line of the log of which only the end could not be written is ended before the next one', () => {
  let written = ''
  let calls = 0
  const log = new LogStream({
    descriptor: 1,
    lossLine: lost => `lost ${lost}\n`,
    write: (_, bytes, offset, length) => {
      calls++
      if (calls === 2) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })
      const accepted = calls === 1 ? length - 1 : length
      written += Buffer.from(bytes.subarray(offset, offset + accepted)).toString()
      return accepted
    },
  })
  for (const line of ['one\n', 'two\n']) {
    log.write(line)
    log.flush()
  }
  expect([written, log.end()]).toEqual(['one\ntwo\n', 0])
})
