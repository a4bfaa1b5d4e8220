import { expect, test } from 'bun:test'
import { typingFolder } from './typed-paths.ts'

const ours = {
  INIT_CWD: '/home/ada',
  npm_package_json: '/srv/petstore/package.json',
  npm_package_name: 'petstore',
}

test.each([
  ['a script of this package that was started in another folder', ours, '/srv/petstore', '/home/ada'],
  [
    'a script that was started in the folder of the package',
    { ...ours, INIT_CWD: '/srv/petstore' },
    '/srv/petstore',
    undefined,
  ],
  ['a program that a script starts in a third folder', ours, '/tmp/test', undefined],
  [
    'a script of another package, whose paths are in that script',
    { ...ours, npm_package_name: 'shop' },
    '/srv/petstore',
    undefined,
  ],
  ['a command without npm', {}, '/srv/petstore', undefined],
] as const)('typed paths are resolved as expected for %s', (_, env, cwd, folder) => {
  expect(typingFolder(env, cwd)).toBe(folder)
})
