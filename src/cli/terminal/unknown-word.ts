import { isDatabaseAddress } from '../../database/postgres/database-url.ts'
import { similarName } from '../../values/similar-name.ts'
import { CommandFailed, EXIT_USAGE, escapeControls } from './terminal.ts'

/** Returns the error for a word that is no command. It names the command that was probably meant, out of `known`. */
export function unknownWord(word: string, known: readonly string[] = []): CommandFailed {
  const meant = similarName(word, known)
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  // npm parses the options before `--` itself, and passes only their values on. It never starts the single file.
  const hint = Bun.isStandaloneExecutable ? '' : ' With npm, options go after --: npm start -- --port 9000'
  // The address of a database contains its password.
  const shown = isDatabaseAddress(word) ? 'of this form' : `"${escapeControls(word)}"`
  const text = `There is no command or argument ${shown}.${question} See --help.${hint}`
  return new CommandFailed(text, EXIT_USAGE)
}
