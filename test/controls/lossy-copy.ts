import type { Statement } from '../../src/database/statement.ts'
import type { CopyTarget } from '../../src/transfer/copy.ts'

/** What a broken copy does to the rows of one table. */
export type Loss = 'drops a row' | 'changes a text' | 'changes an integer'

/** Broken on purpose: returns a target that loses or changes something in one table. */
export function lossyTarget(target: CopyTarget, table: string, loss: Loss): CopyTarget {
  const isOfTable = ({ text }: Statement<never>): boolean => text.startsWith(`INSERT INTO "${table}"`)
  return {
    ...target,
    write: statement => target.write(isOfTable(statement) ? damaged(statement, loss) : statement),
  }
}

function damaged(statement: Statement<never>, loss: Loss): Statement<never> {
  const { text, values = [] } = statement
  if (loss === 'drops a row') {
    const columns = text.slice(0, text.indexOf(')')).split(',').length
    return { ...statement, text: text.slice(0, text.lastIndexOf(', ($')), values: values.slice(0, -columns) }
  }
  const type = loss === 'changes a text' ? 'string' : 'bigint'
  const changed = values.findLastIndex(value => typeof value === type)
  const changedValue = (value: string | bigint | null): string | bigint | null =>
    typeof value === 'bigint' ? value + 1n : `${value} `
  return { ...statement, values: values.map((value, at) => (at === changed ? changedValue(value) : value)) }
}
