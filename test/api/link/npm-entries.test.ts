import { expect, test } from 'bun:test'
import { npmEntryFiles } from '../../../src/api/link/npm-entries.ts'

/** Checks which file each import path resolves to. */
function checkEntries(manifest: object, files: string[], expected: Record<string, string>) {
  const text = JSON.stringify({ name: 'lamp', ...manifest })
  const entries = npmEntryFiles({ name: 'x', manifest: text, paths: new Set(files) })
  expect(Object.fromEntries(entries)).toEqual(expected)
}

test('reads the declaration file next to the script that a later condition names', () => {
  checkEntries(
    { exports: { '.': { browser: './a.browser.js', default: './a.js' } }, types: './a.d.ts' },
    ['a.browser.js', 'a.js', 'a.d.ts'],
    { lamp: 'a.d.ts' },
  )
})

test('finds type files through exports, types and main', () => {
  checkEntries(
    {
      exports: {
        '.': { import: { types: './d/a.d.mts' }, default: './d/a.mjs' },
        './oil': './d/oil.js',
        './package.json': './package.json',
        './*': './d/*.js',
      },
    },
    ['d/a.d.mts', 'd/a.mjs', 'd/oil.d.ts', 'd/oil.js'],
    { lamp: 'd/a.d.mts', 'lamp/oil': 'd/oil.d.ts', 'lamp/a': 'd/a.d.mts' },
  )
  checkEntries({ types: 'a.d.ts', main: 'b.js' }, ['a.d.ts', 'b.js'], { lamp: 'a.d.ts' })
  checkEntries({ main: 'lib' }, ['lib/index.js'], { lamp: 'lib/index.js' })
  checkEntries({ exports: './a.js' }, ['a.js'], { lamp: 'a.js' })
  checkEntries({}, ['index.js'], { lamp: 'index.js' })
  checkEntries({ main: 'gone.js' }, ['other.js'], {})
})

test('prefers a script that is not minified', () => {
  const exports = { umd: './dist/a.min.js', default: './src/a.js' }
  checkEntries({ exports }, ['dist/a.min.js', 'src/a.js'], { lamp: 'src/a.js' })
})

test('expands patterns of exports, except excluded paths and paths without a new name', () => {
  checkEntries(
    { exports: { './*': './d/*.js', './in/*': null, './d/*': './d/*', './parts/*': './e/*' } },
    ['d/a.d.ts', 'd/in/b.js', 'd/deep/c.js', 'e/f.mjs', 'e/f.d.mts', 'src/g.ts'],
    { 'lamp/a': 'd/a.d.ts', 'lamp/deep/c': 'd/deep/c.js', 'lamp/parts/f.mjs': 'e/f.d.mts' },
  )
  checkEntries({ exports: { './e/*': './e/*.js' } }, ['e/a.js', 'e/a.d.ts', 'b.js'], {
    'lamp/e/a': 'e/a.d.ts',
  })
})

test('expands no pattern of internal files, and none into node_modules', () => {
  checkEntries(
    { exports: { '.': './a.js', './internal/*.js': './*.js', './x/*': './*.js' } },
    ['a.js', 'node_modules/oil/index.js', 'd/node_modules/oil/index.js'],
    { lamp: 'a.js', 'lamp/x/a': 'a.js' },
  )
})

test('reads typesVersions without exports, and types beside exports without types', () => {
  checkEntries(
    { main: 'a.js', typesVersions: { '*': { oil: ['d/oil.d.ts'], 'wick/*': ['d/w/*.d.ts'] } } },
    ['a.js', 'd/oil.d.ts', 'd/w/cut.d.ts'],
    { lamp: 'a.js', 'lamp/oil': 'd/oil.d.ts', 'lamp/wick/cut': 'd/w/cut.d.ts' },
  )
  checkEntries({ exports: './lib/a.js', types: './types/a.d.ts' }, ['lib/a.js', 'types/a.d.ts'], {
    lamp: 'types/a.d.ts',
  })
})

test('uses the source file in the repository if an export points to build output', () => {
  checkEntries(
    { exports: { '.': { types: './dist/types/index.d.ts', import: './dist/index.js' } } },
    ['src/index.ts', 'src/other.ts'],
    { lamp: 'src/index.ts' },
  )
})
