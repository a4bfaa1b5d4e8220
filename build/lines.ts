import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// `npm run lines` counts the lines that people wrote, in the files that git tracks, or in those of a revision: `npm run
// lines -- v1.0.0`.

const ROOT = join(import.meta.dir, '..')
const NEWLINE = 0x0a

/** A row of the table; a file belongs to the first one that matches its path. */
const rows: readonly { readonly title: string; readonly paths: RegExp; readonly unit: 'lines' | 'words' }[] =
  [
    { title: 'Markdown', paths: /\.md$/, unit: 'words' },
    { title: 'tests', paths: /^test\/(?!.*(lock|timings)\.json$)|^src\/.*\.test\.ts$/, unit: 'lines' },
    { title: 'src without tests', paths: /^src\/.*\.(tsx?|js|css|sql)$/, unit: 'lines' },
    { title: 'bench and build', paths: /^(bench|build)\/.*\.(tsx?|m?js|css)$/, unit: 'lines' },
  ]

/** Returns the output of git, as bytes. */
function git(command: readonly string[], input = ''): Buffer {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', ...command], {
    cwd: ROOT,
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  if (exitCode === 0) return stdout
  process.stderr.write(stderr)
  process.exit(1)
}

/** Returns the text of each tracked file: of a revision, or of the working tree. */
function trackedFiles(revision: string | undefined): Map<string, string> {
  const list = revision === undefined ? ['ls-files', '-z'] : ['ls-tree', '-rz', '--name-only', revision]
  const paths = git(list)
    .toString()
    .split('\0')
    .filter(path => rows.some(row => row.paths.test(path)))
  if (revision === undefined)
    return new Map(paths.map(path => [path, readFileSync(join(ROOT, path), 'utf8')] as const))
  // For each file, git writes a line that ends with the size, the content, and a newline.
  let rest = git(['cat-file', '--batch'], paths.map(path => `${revision}:${path}\n`).join(''))
  return new Map(
    paths.map(path => {
      const start = rest.indexOf(NEWLINE) + 1
      const end = start + Number(rest.toString('utf8', 0, start).split(' ')[2])
      const text = rest.toString('utf8', start, end)
      rest = rest.subarray(end + 1)
      return [path, text] as const
    }),
  )
}

const counts = new Map<string, { files: number; size: number }>()
for (const [path, text] of trackedFiles(process.argv[2])) {
  const row = rows.find(({ paths }) => paths.test(path))
  const title = `${text.startsWith('// Generated ') ? 'generated' : row?.title}`
  const { files, size } = counts.get(title) ?? { files: 0, size: 0 }
  const parts = row?.unit === 'words' ? text.trim().split(/\s+/) : text.match(/\n/g)
  counts.set(title, { files: files + 1, size: size + (parts?.length ?? 0) })
}
for (const [title, { files, size }] of [...counts].sort()) {
  const unit = rows.find(row => row.title === title)?.unit ?? 'lines'
  process.stdout.write(`${title.padEnd(22)} ${`${size}`.padStart(7)} ${unit} in ${files} files\n`)
}
