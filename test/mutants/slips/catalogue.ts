import type { Slips } from '../slip.ts'

const SPREADSHEETS = 'test/catalogue/spreadsheet-files.test.ts'
const FILES = 'test/catalogue/catalogue-file.test.ts'
const IMPORT = 'test/cli/import.test.ts'
const SLICES = 'test/cli/import-slices.test.ts'
const EXISTING = 'test/cli/import-existing.test.ts'

export const catalogueSlips: Slips = {
  'src/catalogue/catalogue-file.ts': [
    {
      before: `const { length } = [...value]`,
      after: `const { length } = value`,
      breaks: 'a name of 120 emojis is refused as too long',
      tests: [`${SPREADSHEETS}: the length of a name is counted in characters`],
    },
    {
      before: `length <= max && !value.includes('\\0')) return undefined`,
      after: `length <= max) return undefined`,
      breaks: 'a name with U+0000 makes the whole import fail with an error of the database',
      tests: [`${SPREADSHEETS}: the length of a name is counted in characters`],
    },
    {
      before: `if (repeated >= 0)
    throw`,
      after: `if (repeated > 0 && repeated < 0)
    throw`,
      breaks: 'a file with two columns "quantity" is loaded with one of them',
      tests: [FILES, IMPORT],
    },
    {
      before: `const isShort = required.some(name => columns.indexOf(name) >= values.length)`,
      after: `const isShort = values.length < columns.length`,
      breaks: 'the rows of a file from Excel without trailing delimiters are refused',
      tests: [`${SPREADSHEETS}: optional cells that Excel leaves out at the end of a row are empty`],
    },
    {
      before: `if (isText || lines.some(`,
      after: `if (isText && lines.some(`,
      breaks: 'a description of several lines is refused',
      tests: [`${SPREADSHEETS}: a description of several lines is read`],
    },
    {
      before: `hold: hold ? yesOrNo(hold) === true : false,`,
      after: `hold: hold ? yesOrNo(hold) !== undefined : false,`,
      breaks: 'a pet whose cell says no is on hold',
      tests: [`${SPREADSHEETS}: the words of spreadsheets for yes and no`],
    },
  ],
  'src/catalogue/cell.ts': [
    {
      before: `const word = value.normalize('NFC').toLowerCase()`,
      after: `const word = value.toLowerCase()`,
      breaks: 'a "sí" from a Mac is refused',
      tests: [`${SPREADSHEETS}: words for yes are read in both Unicode forms`],
    },
    {
      before: `return units <= STOCK_MAX ? units : undefined`,
      after: `return units <= 10n * STOCK_MAX ? units : undefined`,
      breaks: 'a quantity above the maximum makes the whole import fail',
      tests: [`${SPREADSHEETS}: a quantity has at most ten digits`],
    },
    {
      before: `([ \\u00a0\\u2009\\u202f'’])\\d{3}(?:\\1\\d{3})*|`,
      after: `([ \\u00a0\\u2009\\u202f'’.,])\\d{3}(?:\\1\\d{3})*|`,
      breaks: 'a quantity "1,000" that may mean one is a thousand',
      tests: [`${SPREADSHEETS}: quantities are read in every form that has only one meaning`],
    },
    {
      before: `const TEXT_MARK = /^'(?='*[=+\\-@\\t\\r])/`,
      after: `const TEXT_MARK = /^'/`,
      breaks: 'a name that begins with an apostrophe loses it',
      tests: [`${SPREADSHEETS}: an apostrophe before a formula is removed`],
    },
  ],
  'src/catalogue/file-records.ts': [
    {
      before: `return [...this.#records(lines, true), ...this.#released()]`,
      after: `return [...this.#records(lines, true)]`,
      breaks: 'the last row of a file with tabs is lost if its last cell begins with a quote',
      tests: [`${SPREADSHEETS}: a quote at the start of the last cell of a file with tabs`],
    },
    {
      before: `if (!joined || joined.cells.length > this.#width || areRows)`,
      after: `if (!joined || joined.cells.length > this.#width || (areRows && lines.length > 2))`,
      breaks: 'rows of a file with tabs become one row, because a name begins with a quote',
      tests: [`${SPREADSHEETS}: quotes at the start and the end of names`],
      equivalent:
        'If all lines have the width of the header, which is at least two, the joined row has more cells than the header.',
    },
    {
      before: `used = info.lines - countedTwice`,
      after: `used = info.lines`,
      breaks: 'a problem names the wrong line after a cell with a CRLF',
      tests: [`${FILES}: lines are counted correctly`, FILES],
    },
    {
      before: `return lines.length < TAB_LINES_MAX ? [] : this.#released()`,
      after: `return record.line < TAB_LINES_MAX ? [] : this.#released()`,
      breaks: 'a cell of several lines after line 100 of a file with tabs becomes several rows',
      tests: [`${SPREADSHEETS}: a cell of several lines is one cell after the first hundred`],
    },
  ],
  'src/catalogue/file-text.ts': [
    {
      before: `throw this.#notUtf8(joined(new TextEncoder().encode(this.#unended), bytes))`,
      after: `throw this.#notUtf8(bytes)`,
      breaks: 'the message about the encoding names a part of a line, far into a large file',
      tests: [`${SPREADSHEETS}: a line far into a file that is not in UTF-8`],
    },
    {
      before: `\${this.#linesEnded + index + 1}: the file is not in UTF-8`,
      after: `\${index + 1}: the file is not in UTF-8`,
      breaks: 'the message about the encoding names a wrong line of a large file',
      tests: [`${SPREADSHEETS}: a line far into a file that is not in UTF-8`],
    },
    {
      before: `if (first === 0 && second && third === 0 && fourth) return 'utf-16be'`,
      after: ``,
      breaks: 'a file in UTF-16 with the high byte first is refused',
      tests: [`${SPREADSHEETS}: UTF-16 without a mark and with the high byte first is read`],
    },
    {
      before: `const complete = isEnd || !all.endsWith('\\r') ? all : all.slice(0, -1)`,
      after: `const complete = all`,
      breaks: 'a CRLF between two parts of a file is counted as two lines',
      tests: [`${FILES}: a CRLF that is divided between two parts of a file`],
    },
  ],
  'src/catalogue/importer.ts': [
    {
      before: `await target.discard().catch(() => {})
    throw error`,
      after: `throw error`,
      breaks: 'the rows of a failed import stay staged for a day',
      tests: [`${SLICES}: the next sweep deletes the rows of an import`],
    },
    {
      before: `if (isRefused) await target.discard()
    else progress.onStaged(rows)`,
      after: `if (!isRefused) progress.onStaged(rows)`,
      breaks: 'the rows of a refused import stay staged for a day',
      tests: [`${SLICES}: the next sweep deletes the rows of an import`],
    },
    {
      before: `begins: begins && isFirst, skipExisting`,
      after: `begins, skipExisting`,
      breaks: 'an import that another process has completed starts again',
      tests: [SLICES, EXISTING],
    },
    {
      before: `const checked = await stageFiles(target, files, plan, progress)
  if (checked.isRefused) return { ...checked, outcome: undefined }
  const { outcome, problems, problemCount, isTakenOver } = await loadSlices(target, plan, true, progress)
  return {
    outcome: { ...outcome, petsSkipped: outcome.petsSkipped + checked.counts.petsSkipped },`,
      after: `const checked = await stageFiles(target, files, plan, progress)
  if (checked.isRefused) return { ...checked, outcome: undefined }
  const { outcome, problems, problemCount, isTakenOver } = await loadSlices(target, plan, true, progress)
  return {
    outcome,`,
      breaks: 'the report of an import in slices says that no pet was left out',
      tests: [`${EXISTING}: that skips existing pets loads each name once per category`],
    },
    {
      before: `return rows.map(({ line, name }) => ({ line: line + CREATED_LINES_FROM, name }))`,
      after: `return rows.map(({ line, name }) => ({ line, name }))`,
      breaks: 'a created category replaces a category of the file that has the same line',
      tests: [`${SPREADSHEETS}: missing categories are reported with a similar name`],
    },
    {
      before: `chars += String(value).length`,
      after: `chars = String(value).length`,
      breaks: 'a file of long descriptions is refused by a running store as too large',
      tests: [`${SLICES}: categories with the longest descriptions are staged`],
    },
    {
      before: `const staged = skipExisting ? found.fresh : rows.filter(row => !found.refused.has(row))`,
      after: `const staged = found.fresh`,
      breaks: 'an import leaves out pets that exist without being told to',
      tests: [`${EXISTING}: reports the pets whose names exist`],
    },
    {
      before: `problemCount: checked.problemCount + problems.length,`,
      after: `problemCount: checked.problemCount,`,
      breaks: 'an import that could not load a row ends as a success',
      tests: [`${SLICES}: rows whose category was deleted after their check`],
    },
    {
      before: 'this.#missing.add(caselessForm(String(entry.row.category))).size',
      after: 'this.#missing.add(String(entry.row.category)).size',
      breaks: 'an import counts a missing category in two cases as two, although it would create one',
      tests: ['src/catalogue/importer.test.ts: a missing category counts once'],
    },
  ],
  'src/catalogue/row-check.ts': [
    {
      before: `const text = \`\${nameForm(category)}\\0\${nameForm(name)}\``,
      after: 'const text = nameForm(name)',
      breaks: 'a pet is left out because another category has its name',
      tests: [`${EXISTING}: that skips existing pets loads each name once per category`],
    },
    {
      before: `matchName(name, this.#known(name), { withCase: true })`,
      after: `matchName(name, this.#known(name), { withCase: false })`,
      breaks: 'a file cannot have two categories that differ in case',
      tests: [`${SLICES}: a file can have two categories that differ in case`],
    },
    {
      before: `return found.item.isNew ? { problem: occursTwice(name) } : 'existing'`,
      after: `return found.item.isNew ? 'existing' : { problem: occursTwice(name) }`,
      breaks: 'a category on two lines of a file is not reported, but one that exists is',
      tests: [`${SLICES}: an import in slices with an invalid line loads nothing`],
    },
    {
      before: `if (exists) return 'existing'
    if (!this.#options.noticesRepeats) return 'new'`,
      after: `if (!this.#options.noticesRepeats) return 'new'
    if (exists) return 'existing'`,
      breaks: 'an import does not warn that the store has its pets already',
      tests: [`${EXISTING}: reports the pets whose names exist`],
    },
  ],
  'src/catalogue/slice-size.ts': [
    {
      before: `Math.min(Math.floor((rows * SLICE_MS) / tookMs), 2 * rows)`,
      after: `Math.floor((rows * SLICE_MS) / tookMs)`,
      breaks: 'the slice after a fast one stops the store for long',
      tests: ['src/catalogue/slice-size.test.ts'],
    },
  ],
}
