/** A tool of another project, and how it is used with a new demo store: shell commands in a scratch directory. */
export interface Tool {
  readonly name: string
  readonly version: string
  /** The programs that must be installed on this machine. */
  readonly needs: readonly string[]
  /** Installs the tool, in exactly this version; empty if `needs` names the tool itself. */
  readonly install: string
  /**
   * Uses the tool. The directory has `openapi.yaml` and `arazzo.yaml`. The variables
   * are `BASE`, `KEY`, `PETSTORE` (its command), `TOOLS` (this folder), `PORT` (a free port), and `FINDINGS`, the file
   * that a tool with `tests` writes its report to.
   */
  readonly run: string
  /** A whole line that the command prints. `…` matches any text. */
  readonly expected: string
  /** Where its tests come from, if `npm run bench:tools` scores it. */
  readonly tests?: 'makes tests' | 'sends the examples' | 'runs files of ours'
  /** Whether the tool tests an API; docs/for-tool-makers.md names each tester and its version. */
  readonly isTester: boolean
}

/** Returns whether an output contains a line of which `…` matches any text. */
export function prints(output: string, expected: string): boolean {
  const parts = expected.split('…').map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^\\s*${parts.join('.*')}\\s*$`, 'm').test(output)
}
