import { describe, expect, test } from 'bun:test'
import { pageExtensions } from '../../../src/page/formats.ts'
import { selectPaths, tooLarge } from '../../../src/source/select/select.ts'

/** What is read; a leading `-` stands before what a rule leaves out, `?` before what is missing. */
function check(name: string, paths: string[], expected: string[], docsPaths: string[] = []) {
  test(name, () => {
    const { chosen, skipped, missing } = selectPaths(paths, docsPaths)
    const left = skipped.map(({ path }) => `-${path}`)
    expect([...chosen, ...left, ...missing.map((path) => `?${path}`)]).toEqual(expected)
  })
}

test('what is selected is what can be parsed', () => {
  const paths = pageExtensions.map((extension) => `a${extension}`)
  expect(selectPaths([...paths, 'a.png', 'a'], []).chosen).toEqual(paths.toSorted())
})

describe('files', () => {
  check(
    'by extension, in any case, in order',
    ['b.MD', 'a.rst', 'c.png', 'd.HTM', 'e'],
    ['a.rst', 'b.MD', 'd.HTM'],
  )
  check(
    'every kind',
    ['a.md', 'a.mdx', 'a.rst', 'a.txt', 'a.ipynb', 'a.html', 'a.htm'],
    ['a.htm', 'a.html', 'a.ipynb', 'a.md', 'a.mdx', 'a.rst', 'a.txt'],
  )
  check(
    'W-25 licences, change logs and build files are left out by name',
    [
      'LICENSE.txt',
      'CHANGELOG.md',
      'AUTHORS.rst',
      'LICENSE-MIT.txt',
      'requirements-dev.txt',
      'CMakeLists.txt',
      'robots.txt',
      'README.md',
      'license-checker.md',
      'changelogs.md',
    ],
    [
      'README.md',
      'changelogs.md',
      'license-checker.md',
      '-AUTHORS.rst',
      '-CHANGELOG.md',
      '-CMakeLists.txt',
      '-LICENSE-MIT.txt',
      '-LICENSE.txt',
      '-requirements-dev.txt',
      '-robots.txt',
    ],
  )
  check(
    'hidden ones are left out',
    ['.a.md', '.github/b.md', 'c/.d/e.md', 'f.md'],
    ['f.md', '-.a.md', '-.github/', '-c/.d/'],
  )
})

describe('W-22 languages', () => {
  const paths = ['docs/de/a.md', 'docs/en/a.md', 'docs/fr/a.md']
  check('one of each page, unless others are asked for', paths, [
    'docs/en/a.md',
    '-docs/de/a.md',
    '-docs/fr/a.md',
  ])
  check('those of a folder that is named', paths, ['docs/de/a.md'], ['docs/de'])
  test('those that are asked for', () => {
    const { chosen, skipped } = selectPaths(paths, [], { languages: ['de', 'fr'] })
    expect(chosen).toEqual(['docs/de/a.md', 'docs/fr/a.md'])
    expect(skipped).toEqual([{ path: 'docs/en/a.md', reason: 'in another language (en)' }])
  })
})

describe('folders', () => {
  check(
    'W-25 build, static, assets and dist are read where they hold documentation',
    [
      'build/guide.md',
      'build/out.html',
      'static/deep/er/a.rst',
      'assets/x.txt',
      'dist/x.html',
      'img/b.mdx',
      'images/licence.md',
      'images/i.txt',
    ],
    [
      'build/guide.md',
      'build/out.html',
      'img/b.mdx',
      'static/deep/er/a.rst',
      '-assets/',
      '-dist/',
      '-images/',
    ],
  )
  check(
    'one inside another is judged by itself',
    ['build/dist/a.html', 'build/b.md'],
    ['build/b.md', '-build/dist/'],
  )
  check(
    'packages of others never open a folder',
    ['dist/node_modules/x/readme.md', 'dist/a.txt'],
    ['-dist/'],
  )
  check(
    'node_modules and caches are never read',
    ['node_modules/a/readme.md', '__pycache__/b.md', '.venv/c.md', 'vendor/d.md'],
    ['vendor/d.md', '-.venv/', '-__pycache__/', '-node_modules/'],
  )
})

describe('docs paths', () => {
  const paths = [
    'docs/a.md',
    'docs/en/b.md',
    'docs/[id]/c.md',
    'docs2/d.md',
    'src/e.md',
    'packages/x/docs/f.md',
    'packages/y/docs/g.md',
    'packages/y/h.md',
  ]
  check('a folder', paths, ['docs/[id]/c.md', 'docs/a.md', 'docs/en/b.md'], ['docs'])
  check('slashes at its ends', paths, ['docs/en/b.md'], ['/docs/./en/'])
  check('a file', paths, ['src/e.md'], ['src/e.md'])
  check('a glob of files', paths, ['docs/a.md'], ['docs/*.md'])
  check(
    'a glob of folders',
    paths,
    ['packages/x/docs/f.md', 'packages/y/docs/g.md'],
    ['packages/*/docs'],
  )
  check('a folder whose name looks like a glob', paths, ['docs/[id]/c.md'], ['docs/[id]'])
  check(
    'several, each file once',
    paths,
    ['docs/a.md', 'docs/en/b.md'],
    ['docs/en', 'docs/{a,en}*', 'docs/en/b.md'],
  )
  check('everything', ['a.md', 'b/c.md'], ['a.md', 'b/c.md'], ['.'])
  check('what is not there', paths, ['src/e.md', '?nope', '?*.rst'], ['nope', 'src', '*.rst'])
  check('what looks like an option', ['-x/a.md', 'b.md'], ['-x/a.md'], ['-x'])
  check(
    'what is named is read against the rules',
    ['static/a.html', 'CHANGELOG.md', '.x/b.md'],
    ['.x/b.md', 'CHANGELOG.md', 'static/a.html'],
    ['static', 'CHANGELOG.md', '.x'],
  )

  test('one that leaves the repository is refused', () =>
    expect(() => selectPaths([], ['docs/../..'])).toThrow('leaves the repository'))
})

test('a file over the limit says both sizes', () => {
  expect(tooLarge(8 * 2 ** 20)).toBeNull()
  expect(tooLarge(8 * 2 ** 20 + 1)).toBe('file is 8.1 MB, limit is 8 MB')
  expect(tooLarge(200 * 2 ** 20)).toBe('file is 200 MB, limit is 8 MB')
})
