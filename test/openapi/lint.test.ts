import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/root.ts'
import { runTool, scratch, type ToolRun } from '../support/tool.ts'

const description = join(ROOT, 'openapi.yaml')
/** The descriptions of a store, and of a host of sandboxes. */
const DESCRIPTIONS = ['openapi.yaml', 'openapi-sandboxes.yaml']
const LINT_MS_MAX = 120_000

function lintStrictly(file: string): Promise<ToolRun> {
  return runTool('redocly', [
    'lint',
    '--config',
    join(import.meta.dir, 'redocly.yaml'),
    '--max-problems',
    '10',
    file,
  ])
}

function lintForSecurity(file: string): Promise<ToolRun> {
  const ruleset = join(import.meta.dir, 'spectral.yaml')
  return runTool('spectral', ['lint', '--ruleset', ruleset, '--fail-severity', 'hint', '--quiet', file])
}

/** Lints a copy of the description in which one text is replaced. Throws if the description lacks this text. */
async function lintChanged(
  lint: (file: string) => Promise<ToolRun>,
  from: string,
  to: string,
): Promise<ToolRun> {
  using directory = scratch()
  const text = readFileSync(description, 'utf8')
  const changed = text.replace(from, to)
  if (changed === text) throw new Error(`openapi.yaml does not contain ${from}`)
  const file = join(directory.path, 'openapi.yaml')
  writeFileSync(file, changed)
  return await lint(file)
}

describe('Redocly', () => {
  test.each(DESCRIPTIONS)(
    'Redocly with the rules recommended-strict finds nothing in %s',
    async file => {
      const { exitCode, printed } = await lintStrictly(join(ROOT, file))
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
      const withoutSummary = await lintChanged(lintStrictly, '      summary: List pets\n', '')
      expect([withoutSummary.exitCode, withoutSummary.printed.includes('operation-summary')]).toEqual([
        1,
        true,
      ])
      const withoutParameter = await lintChanged(
        lintStrictly,
        '/categories/{categoryId}:',
        '/categories/{id}:',
      )
      expect([
        withoutParameter.exitCode,
        withoutParameter.printed.includes('path-parameters-defined'),
      ]).toEqual([1, true])
    },
    LINT_MS_MAX,
  )
})

describe('OWASP API rules', () => {
  test.each(DESCRIPTIONS)(
    'the OWASP API rules find nothing in %s (spectral.yaml disables some of them, each with a reason)',
    async file => {
      expect(await lintForSecurity(join(ROOT, file))).toEqual({ exitCode: 0, printed: '' })
    },
    LINT_MS_MAX,
  )

  test(
    'control: a credential in a URL and a string without a limit are detected',
    async () => {
      const leaking = await lintChanged(
        lintForSecurity,
        '        - name: name\n',
        '        - name: api-key\n',
      )
      expect([leaking.exitCode, leaking.printed.includes('no-credentials-in-url')]).toEqual([1, true])
      const withoutLimit = await lintChanged(lintForSecurity, '            maxLength: 200\n', '')
      expect([withoutLimit.exitCode, withoutLimit.printed.includes('string-limit')]).toEqual([1, true])
    },
    LINT_MS_MAX,
  )
})
