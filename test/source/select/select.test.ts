import { describe, expect, test } from 'bun:test'
import { languages } from '../../../src/api/language.ts'
import { pageExtensions } from '../../../src/formats/formats.ts'
import { selectPaths, tooLargeReason } from '../../../src/source/select/select.ts'

/** Expects the selected paths, then skipped paths with `-` and missing docs paths with `?`. */
function check(name: string, paths: string[], expected: string[], docsPaths: string[] = []) {
  test(name, () => {
    const { chosen, skipped, missing } = selectPaths(paths, docsPaths)
    const left = skipped.map(({ path }) => `-${path}`)
    expect([...chosen, ...left, ...missing.map((path) => `?${path}`)]).toEqual(expected)
  })
}

test('selects the files that can be parsed', () => {
  const paths = pageExtensions.map((extension) => `openapi${extension}`)
  expect(selectPaths(paths, []).chosen).toEqual(
    paths.filter((path) => path !== 'openapi.xml').toSorted(),
  )
})

test('selects XML if a file with entities is in its folder or above it', () => {
  const paths = ['pom.xml', 'book/all.ent', 'book/a.xml', 'book/b/c.XML', 'bookshop/a.xml']
  expect(selectPaths(paths, []).chosen).toEqual(['book/a.xml', 'book/b/c.XML'])
  expect(selectPaths(['a.xml'], ['a.xml']).chosen).toEqual(['a.xml'])
})

test('selects JSON and YAML files by known names, or if a docs path is the file itself', () => {
  const paths = ['api/swagger.json', 'package.json', 'pets.yaml']
  expect(selectPaths(paths, []).chosen).toEqual(['api/swagger.json'])
  expect(selectPaths(paths, ['pets.yaml']).chosen).toEqual(['pets.yaml'])
})

describe('selecting files', () => {
  check(
    'selects files by extension, in any case, and sorts them',
    ['b.MD', 'a.rst', 'c.png', 'd.HTM', 'e'],
    ['a.rst', 'b.MD', 'd.HTM'],
  )
  check(
    'selects files of every format',
    ['a.md', 'a.mdx', 'a.rst', 'a.txt', 'a.ipynb', 'a.html', 'a.htm'],
    ['a.htm', 'a.html', 'a.ipynb', 'a.md', 'a.mdx', 'a.rst', 'a.txt'],
  )
  check(
    'W-25 leaves out licences, change logs and build files by name',
    [
      'LICENSE.txt',
      'CHANGELOG.md',
      'AUTHORS.rst',
      'LICENSE-MIT.txt',
      'requirements-dev.txt',
      'CMakeLists.txt',
      'robots.txt',
      'sha256sum.txt',
      'checksums.txt',
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
      '-checksums.txt',
      '-requirements-dev.txt',
      '-robots.txt',
      '-sha256sum.txt',
    ],
  )
  check(
    'leaves out hidden files and folders',
    ['.a.md', '.github/b.md', 'c/.d/e.md', 'f.md'],
    ['f.md', '-.a.md', '-.github/', '-c/.d/'],
  )
})

describe('W-22 selecting languages', () => {
  const paths = ['docs/de/a.md', 'docs/en/a.md', 'docs/fr/a.md']
  check('selects one language of each page', paths, [
    'docs/en/a.md',
    '-docs/de/a.md',
    '-docs/fr/a.md',
  ])
  check('selects the language of a requested folder', paths, ['docs/de/a.md'], ['docs/de'])
  test('selects the requested languages', () => {
    const { chosen, skipped } = selectPaths(paths, [], { languages: ['de', 'fr'] })
    expect(chosen).toEqual(['docs/de/a.md', 'docs/fr/a.md'])
    expect(skipped).toEqual([{ path: 'docs/en/a.md', reason: 'in another language (en)' }])
  })
})

describe('selecting folders', () => {
  check(
    'W-25 reads build, static, assets and dist if they contain documentation',
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
    'judges nested folders separately',
    ['build/dist/a.html', 'build/b.md'],
    ['build/b.md', '-build/dist/'],
  )
  check(
    'ignores node_modules when it looks for documentation',
    ['dist/node_modules/x/readme.md', 'dist/a.txt'],
    ['-dist/'],
  )
  check(
    'never reads node_modules, caches and hidden folders',
    ['node_modules/a/readme.md', '__pycache__/b.md', '.venv/c.md', 'vendor/d.md'],
    ['vendor/d.md', '-.venv/', '-__pycache__/', '-node_modules/'],
  )
})

test('counts unread files below the docs paths by extension', () => {
  const paths = ['d/a.md', 'd/b.ps', 'd/x/c.PS', 'd/Makefile', 'd/.git/e.ps', 'f.ps', 'd/g.json']
  expect(selectPaths(paths, ['d']).ignored).toEqual({ '.ps': 2, '.json': 1 })
})

test('counts no source files, which become the API reference', () => {
  const extensions = Object.values(languages).flatMap((it) => [...it.extensions])
  const paths = ['a.md', 'a.css', ...extensions.map((it) => `src/a${it}`)]
  expect(selectPaths(paths, []).ignored).toEqual({ '.css': 1 })
})

describe('selecting docs paths', () => {
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
  check('selects a folder', paths, ['docs/[id]/c.md', 'docs/a.md', 'docs/en/b.md'], ['docs'])
  check('ignores slashes at the ends', paths, ['docs/en/b.md'], ['/docs/./en/'])
  check('selects a file', paths, ['src/e.md'], ['src/e.md'])
  check('selects files by a glob', paths, ['docs/a.md'], ['docs/*.md'])
  check(
    'selects folders by a glob',
    paths,
    ['packages/x/docs/f.md', 'packages/y/docs/g.md'],
    ['packages/*/docs'],
  )
  check('selects a folder whose name resembles a glob', paths, ['docs/[id]/c.md'], ['docs/[id]'])
  check(
    'selects each file once with several docs paths',
    paths,
    ['docs/a.md', 'docs/en/b.md'],
    ['docs/en', 'docs/{a,en}*', 'docs/en/b.md'],
  )
  check('selects everything', ['a.md', 'b/c.md'], ['a.md', 'b/c.md'], ['.'])
  check(
    'reports missing docs paths',
    paths,
    ['src/e.md', '?nope', '?*.rst'],
    ['nope', 'src', '*.rst'],
  )
  check('selects a folder named like an option', ['-x/a.md', 'b.md'], ['-x/a.md'], ['-x'])
  check(
    'reads a requested path even if a rule would leave it out',
    ['static/a.html', 'CHANGELOG.md', '.x/b.md'],
    ['.x/b.md', 'CHANGELOG.md', 'static/a.html'],
    ['static', 'CHANGELOG.md', '.x'],
  )

  test('rejects a docs path that leaves the repository', () =>
    expect(() => selectPaths([], ['docs/../..'])).toThrow('leaves the repository'))
})

test('reports the size of a file over the limit, and the limit', () => {
  expect(tooLargeReason(8 * 2 ** 20)).toBeNull()
  expect(tooLargeReason(8 * 2 ** 20 + 1)).toBe('file is 8.1 MB, limit is 8 MB')
  expect(tooLargeReason(200 * 2 ** 20)).toBe('file is 200 MB, limit is 8 MB')
})

describe('leaves out pages for developers of the project', () => {
  const skipped = (paths: string[], docsPaths: string[] = []) =>
    selectPaths(paths, docsPaths).skipped.map(({ path }) => path)

  test('if other pages document it', () => {
    const paths = ['p/AGENTS.md', 'p/CONTRIBUTING.md', 'p/docs/internals/a.md', 'p/sub/CLAUDE.md']
    expect(skipped([...paths, 'p/README.md'])).toEqual(paths)
    expect(skipped(paths)).toEqual([])
  })

  test('unless the user named their folder', () => {
    expect(skipped(['docs/internals/a.md', 'docs/b.md'], ['docs/internals'])).toEqual([])
    expect(skipped(['docs/internals/a.md', 'docs/b.md'], ['docs'])).toEqual(['docs/internals/a.md'])
  })

  test('but keeps a page about agents or contributions to something else', () => {
    expect(skipped(['docs/agents.md', 'docs/contributing.md', 'README.md'])).toEqual([])
  })
})
