import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ROOT } from '../support/root.ts'

// `npm run third-party` writes THIRD-PARTY.md: installed packages, those in the files for browsers, and the libraries
// of the runtime.

const LINE_CHARS_MAX = 120

const Lockfile = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      devOptional: z.boolean().optional(),
    }),
  ),
})

/** The libraries that are part of the runtime: SQLite, and those that the LICENSE.md of the runtime lists. */
const runtimeLibraries: readonly (readonly [library: string, license: string])[] = [
  ['JavaScriptCore, and parts of WebCore (WebKit)', 'LGPL-2.0-or-later, and BSD-2-Clause'],
  ['TinyCC', 'LGPL-2.1'],
  ['BoringSSL', 'several, such as Apache-2.0'],
  ['SQLite', 'public domain'],
  ['brotli, ls-hpack, ls-qpack, mimalloc, c-ares, libdeflate, uucode; libuv on Windows', 'MIT'],
  ['lsquic', 'MIT, and BSD-3-Clause'],
  ['picohttpparser', 'MIT or Perl'],
  ['zstd', 'BSD-3-Clause or GPL-2.0'],
  ['libarchive', 'several, such as BSD-2-Clause'],
  ['lol-html, libwebp', 'BSD-3-Clause'],
  ['libbase64, libspng', 'BSD-2-Clause'],
  ['libjpeg-turbo', 'BSD-3-Clause, IJG and zlib'],
  ['simdutf, highway, uSockets, uWebSockets, parts of TigerBeetle', 'Apache-2.0'],
  ['parts of LLVM libc++abi', 'Apache-2.0 WITH LLVM-exception'],
  ['zlib-ng', 'Zlib'],
  ['ICU', 'Unicode-3.0'],
  [
    'acorn, browserify-zlib, buffer, crypto-browserify, and other packages that replace modules of Node',
    'MIT',
  ],
]

/** Returns the text that THIRD-PARTY.md must have for the lockfile, the built files and the runtime. */
export function thirdPartyPage(): string {
  const { packages } = Lockfile.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')))
  const rows = Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, { version, license }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return `| ${name} | ${version ?? 'unknown'} | ${license ?? 'see the package'} |`
    })
  return [
    '# Third-party packages',
    '',
    '`npm run third-party` writes this page. `petstore licenses` prints this page and the installed license texts.',
    '',
    '## Installed packages',
    '',
    'Packages that `npm ci --omit=dev` installs, from the lockfile. Of the packages `@oven/bun-*`, npm installs those for',
    'your platform. Most packages contain the text of their license.',
    '',
    '| Package | Version | License |',
    '| --- | --- | --- |',
    ...new Set(rows.sort()),
    '',
    '## Files for browsers',
    '',
    'The installed package and the single file also contain these packages, bundled. The file `licenses.txt` in each',
    'folder has the texts of their licenses.',
    '',
    ...inBundle('The console, `dist/console`', 'dist/console/licenses.txt'),
    ...inBundle('The script of the docs page, `dist/docs`', 'dist/docs/licenses.txt'),
    ...runtimeSection(),
  ].join('\n')
}

/** Returns the lines that list the packages of a bundle, whose licenses are in a file, grouped by license. */
function inBundle(title: string, file: string): string[] {
  const texts = `${'-'.repeat(80)}\n\n${readFileSync(join(ROOT, file), 'utf8')}`
  const found = [...texts.matchAll(/^-{80}\n\n((?:\S+\n)+)\nLicense: (.+)$/gm)].flatMap(
    ([, names = '', license = '']) =>
      names
        .trim()
        .split('\n')
        .map(name => ({ name, license })),
  )
  const byLicense = Map.groupBy(found, ({ license }) => license)
  const items = [...byLicense].sort(([a], [b]) => (a < b ? -1 : 1))
  const namesOf = (group: typeof found): string =>
    group
      .map(({ name }) => name)
      .sort()
      .join(', ')
  return [
    `${title}:`,
    '',
    ...items.flatMap(([license, group]) => wrapped(`- ${license}: ${namesOf(group)}`)),
    '',
  ]
}

function runtimeSection(): string[] {
  const { bun, webkit, tinycc } = process.versions
  const release = `https://github.com/oven-sh/bun/tree/bun-v${bun}`
  return [
    '## The runtime, and the single file',
    '',
    `The single file (\`npm run build\`) contains the runtime, [Bun ${bun}](${release}) (MIT).`,
    'In a clone, and with an installed package, npm installs the runtime. It contains these libraries; its',
    `[LICENSE.md](https://github.com/oven-sh/bun/blob/bun-v${bun}/LICENSE.md) links to the texts of their licenses.`,
    '',
    '| Library | License |',
    '| --- | --- |',
    ...runtimeLibraries.map(([library, license]) => `| ${library} | ${license} |`),
    '',
    'Two of these libraries are under the GNU Lesser General Public License, and the runtime links them statically. If',
    'you give the single file to somebody else, the license asks for three things:',
    '',
    '- **Say so, and include the license.** This page and `licenses/LGPL-2.1.txt` are in the file.',
    '- **Offer the source of the two libraries**, at the versions that are in the file:',
    `  [WebKit](https://github.com/oven-sh/WebKit/tree/${webkit}) and`,
    `  [TinyCC](https://github.com/oven-sh/tinycc/tree/${tinycc}).`,
    '- **Let the recipient replace them** and link the program again. To do so, change a library, and build the',
    '  runtime as its LICENSE.md describes. Then run `path/to/your/bun build/single-file.ts` in the source of petstore,',
    '  because the single file contains the runtime that builds it. So give the recipient the source of petstore too,',
    '  or its address. You must not forbid such changes.',
    '',
    'This is a summary. The text of the license applies.',
    '',
  ]
}

/** Returns a list item as lines of a limited length. */
function wrapped(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= LINE_CHARS_MAX) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(`  ${word}`)
  }
  return lines
}

if (import.meta.main) process.stdout.write(thirdPartyPage())
