import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/root.ts'
import { runTool, scratch, type ToolRun } from '../support/tool.ts'

/** The descriptions of a store, and of a host of sandboxes. */
const DESCRIPTIONS = ['openapi.yaml', 'openapi-sandboxes.yaml'].map(file => join(ROOT, file))
const LINT_MS_MAX = 120_000

function lintStrictly(...files: string[]): Promise<ToolRun> {
  const config = join(import.meta.dir, 'redocly.yaml')
  return runTool('redocly', ['lint', '--config', config, '--max-problems', '10', ...files])
}

function lintForSecurity(...files: string[]): Promise<ToolRun> {
  const ruleset = join(import.meta.dir, 'spectral.yaml')
  return runTool('spectral', ['lint', '--ruleset', ruleset, '--fail-severity', 'hint', '--quiet', ...files])
}

/**
 * Expects the rules to be named for a copy of the smaller description in which texts are replaced. Throws if the
 * description lacks one of the texts.
 */
async function expectDetected(
  lint: (file: string) => Promise<ToolRun>,
  changes: Readonly<Record<string, string>>,
  rules: readonly string[],
): Promise<void> {
  using directory = scratch()
  let text = readFileSync(DESCRIPTIONS[1] ?? '', 'utf8')
  for (const [from, to] of Object.entries(changes)) {
    if (!text.includes(from)) throw new Error(`the description does not contain ${from}`)
    text = text.replace(from, to)
  }
  const file = join(directory.path, 'openapi-sandboxes.yaml')
  writeFileSync(file, text)
  const { exitCode, printed } = await lint(file)
  expect(exitCode).toBe(1)
  for (const rule of rules) expect(printed).toContain(rule)
}

describe('Redocly', () => {
  test(
    'Redocly with the rules recommended-strict finds nothing in both descriptions',
    async () => {
      const { exitCode, printed } = await lintStrictly(...DESCRIPTIONS)
      expect([exitCode, /warning|error/i.exec(printed.replace(/Deprecation warning/, ''))?.[0]]).toEqual([
        0,
        undefined,
      ])
    },
    LINT_MS_MAX,
  )

  test(
    'control: an operation without a summary, and a parameter that the path does not contain, are detected',
    async () => {
      const changes = {
        '      summary: List the snapshots\n': '',
        '/sandboxes/{sandboxId}/reset:': '/sandboxes/{id}/reset:',
      }
      await expectDetected(lintStrictly, changes, ['operation-summary', 'path-parameters-defined'])
    },
    LINT_MS_MAX,
  )
})

describe('OWASP API rules', () => {
  test(
    'the OWASP API rules find nothing in both descriptions (spectral.yaml disables some of them, each with a reason)',
    async () => {
      expect(await lintForSecurity(...DESCRIPTIONS)).toEqual({ exitCode: 0, printed: '' })
    },
    LINT_MS_MAX,
  )

  test(
    'control: a credential in a URL and a string without a limit are detected',
    async () => {
      const changes = {
        '        - name: limit\n': '        - name: api-key\n',
        '          maxLength: 26\n': '',
      }
      await expectDetected(lintForSecurity, changes, ['no-credentials-in-url', 'string-limit'])
    },
    LINT_MS_MAX,
  )
})
