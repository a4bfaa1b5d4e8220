import { serve } from '../../src/database/sqlite/worker-queue.ts'

// A worker for the tests of WorkerQueue: it returns each message with the size of its batch, and obeys `hold`, `ask`,
// `fail` and `exit`.

serve<{ readonly flag: Int32Array }, string, string>(({ flag }) => {
  let isClosed = false
  return {
    runBatch: async (batch, askForNext) => {
      if (isClosed) throw new Error('the worker is closed')
      if (batch.includes('exit')) process.exit(1)
      if (batch.includes('fail')) throw new Error('the file cannot be trusted')
      if (batch.includes('ask')) askForNext()
      if (batch.includes('hold')) Atomics.wait(flag, 0, 0)
      return {
        outcomes: batch.map(message => ({ reply: `${message} of ${batch.length}` })),
        changes: new Map(),
      }
    },
    close: () => {
      isClosed = true
    },
  }
})
