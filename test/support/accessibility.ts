import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** Returns the serious and critical violations of accessibility rules on a page, as one text each. */
export async function seriousViolations(page: Page): Promise<string[]> {
  // The debugger of the browser evaluates the script, so the content security policy of the page does not apply.
  await page.evaluate(axeScript)
  const violations = await page.evaluate<readonly Violation[]>(
    `axe.run().then(({ violations }) => violations)`,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary = '' }) => `${html.slice(0, 120)} ${failureSummary}`).join(' | ')}`,
    )
}
