import { createInterface } from 'node:readline/promises'
import { CommandFailed, EXIT_USAGE, say } from './terminal.ts'

/**
 * Asks a person to type a word before something is deleted. `consequence` is a sentence. Throws CommandFailed if the
 * person types anything else, or if there is no terminal: `--yes` is needed then.
 */
export async function confirm(consequence: string, word: string): Promise<void> {
  say(consequence)
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CommandFailed('Nothing was deleted: without a terminal, confirm with --yes.', EXIT_USAGE)
  }
  const input = createInterface({ input: process.stdin, output: process.stderr })
  const controller = new AbortController()
  input.on('SIGINT', () => controller.abort())
  // Ctrl-D ends the input without an answer.
  input.on('close', () => controller.abort())
  try {
    const answer = await input.question(`Type "${word}" to continue: `, { signal: controller.signal })
    if (answer.trim() === word) return
  } catch (error) {
    if (!controller.signal.aborted) throw error
    say('')
  } finally {
    input.close()
  }
  throw new CommandFailed('Nothing was deleted.')
}
