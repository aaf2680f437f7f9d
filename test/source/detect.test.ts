import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OgError } from '../../src/platform/error.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import type { Source } from '../../src/store/source.ts'
import { detectSource } from '../../src/source/detect.ts'
import { folderAddress } from '../../src/source/page-address.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const file = (path: string, content = '') => {
  mkdirSync(join(temp.path, path, '..'), { recursive: true })
  writeFileSync(join(temp.path, path), content)
}

const temp = disposeAfterAll(await createTempFolder('og-test'))
file('docs/a.md')
file('my sitemap/a.md')
file('src/github.com/o/r/docs/a.md')
file('bare.git/HEAD')
file('bare.git/objects/x')
file('bare.git/refs/x')
file('tree/.git/HEAD')
file('fast.bundle', '# v2 git bundle\n0000 refs/heads/main\n')
file('not.bundle', '# v9')
file('one.md')
file('docs.zip')
file('host:x.git/a.md')
file('ö "q"\n/a.md')

function detect(typed: string, more: { docsPaths?: string[]; baseUrl?: string } = {}) {
  return detectSource(typed, { docsPaths: [], cwd: temp.path, home: temp.path, ...more })
}

describe('detects a repository URL', () => {
  const check = (typed: string, url: string, refPath: string | null = null) =>
    test(typed, () => {
      const source = { kind: 'git_repo' as const, url, docsPaths: [] }
      expect(detect(typed)).toEqual({
        source: refPath === null ? source : { ...source, refPath },
        ref: refPath,
      })
    })

  check('https://github.com/o/r', 'https://github.com/o/r')
  check('https://github.com/o/r/', 'https://github.com/o/r')
  check('https://www.github.com/o/r.git', 'https://github.com/o/r.git')
  check('github.com/o/r', 'https://github.com/o/r')
  check('http://github.com/o/r?tab=readme#top', 'http://github.com/o/r')
  check('https://me:token@github.com/o/r', 'https://me:token@github.com/o/r')
  check('https://gitlab.com/group/sub/r', 'https://gitlab.com/group/sub/r')
  check('https://git.kernel.org/pub/scm/git/git', 'https://git.kernel.org/pub/scm/git/git')
  test('detects a package that git would read as a host', () => {
    expect(detect('pypi:httpx@0.27').source).toEqual({
      kind: 'package',
      url: 'pypi:httpx',
      version: '0.27',
    })
    expect(() => detect('npm:../x')).toThrow(/as a package/)
  })
  check('git@github.com:o/r.git', 'git@github.com:o/r.git')
  check('work:o/r', 'work:o/r')
  check('ssh://git@host:22/o/r', 'ssh://git@host:22/o/r')
  check('git://host/r', 'git://host/r')
  check('https://dev.azure.com/o/p/_git/r', 'https://dev.azure.com/o/p/_git/r')

  describe('W-07 keeps the ref of a pasted web URL', () => {
    check('https://github.com/o/r/tree/v1.0/docs', 'https://github.com/o/r.git', 'v1.0/docs')
    check(
      'https://github.com/o/r/blob/feature/x/a%20b.md',
      'https://github.com/o/r.git',
      'feature/x/a b.md',
    )
    check('https://github.com/o/r.git/tree/main', 'https://github.com/o/r.git', 'main')
    check('https://github.com/o/r/releases/tag/v1', 'https://github.com/o/r.git', 'v1')
    check('https://gitlab.com/g/s/r/-/tree/v1/doc', 'https://gitlab.com/g/s/r.git', 'v1/doc')
    check(
      'https://code.example.org/g/r/-/blob/v1/a.md',
      'https://code.example.org/g/r.git',
      'v1/a.md',
    )
    check('https://bitbucket.org/o/r/src/v1/docs/', 'https://bitbucket.org/o/r.git', 'v1/docs')
    check(
      'https://codeberg.org/o/r/src/branch/main/docs',
      'https://codeberg.org/o/r.git',
      'main/docs',
    )
    check(
      'https://gitea.example.org:8443/o/r/src/tag/v1',
      'https://gitea.example.org:8443/o/r.git',
      'v1',
    )
  })

  describe('W-23 recognises a forge by its host', () => {
    check('https://codeberg.org/o/r', 'https://codeberg.org/o/r')
    check('https://bitbucket.org/o/r', 'https://bitbucket.org/o/r')
    check('https://gitlab.example.org/o/r', 'https://gitlab.example.org/o/r')
    check('https://example.org/x.git', 'https://example.org/x.git')
    check('https://github.com/o/sitemap-tool', 'https://github.com/o/sitemap-tool')
  })

  test('normalises docs paths', () =>
    expect(
      detect('github.com/o/r', { docsPaths: ['/docs/', './a//b.md', '-x'] }).source,
    ).toMatchObject({ docsPaths: ['docs', 'a/b.md', '-x'] }))
})

describe('detects a path', () => {
  const check = (typed: string, expected: () => Source) =>
    test(JSON.stringify(typed), () => {
      expect(detect(typed.replace('$TEMP', temp.path))).toEqual({ source: expected(), ref: null })
    })
  const local = (path: string) => (): Source => ({
    kind: 'local_path',
    path: join(temp.path, path),
  })
  const git = (url: () => string) => (): Source => ({ kind: 'git_repo', url: url(), docsPaths: [] })

  check('./docs', local('docs'))
  check('W-13/../docs', local('docs'))
  check('~/docs', local('docs'))
  check('~', local(''))
  check('$TEMP/docs', local('docs'))
  check('one.md', local('one.md'))
  check('tree', local('tree'))
  check('ö "q"\n', local('ö "q"\n'))
  check('my sitemap', local('my sitemap'))
  check('~/src/github.com/o/r/docs', local('src/github.com/o/r/docs'))
  check('host:x.git', local('host:x.git'))
  check(
    'fast.bundle',
    git(() => join(temp.path, 'fast.bundle')),
  )
  check(
    'file://$TEMP/fast.bundle',
    git(() => join(temp.path, 'fast.bundle')),
  )
  check(
    'bare.git',
    git(() => folderAddress(join(temp.path, 'bare.git'))),
  )
  check(
    'file://$TEMP/tree',
    git(() => folderAddress(join(temp.path, 'tree'))),
  )

  test('keeps a base URL', () =>
    expect(detect('docs', { baseUrl: 'https://x.org/d/' }).source).toMatchObject({
      baseUrl: 'https://x.org/d/',
    }))
})

describe('detects a web URL by the end of its path', () => {
  const filter = { filterKeywords: [], exclude: [], languages: [], trimQueryParams: false }
  const check = (url: string, source: object) =>
    test(url, () =>
      expect(detect(url)).toEqual({ source: { ...source, url } as Source, ref: null }),
    )

  check('https://x.org/sitemap_index', { kind: 'sitemap', ...filter })
  check('https://x.org/a.xml', { kind: 'sitemap', ...filter })
  check('https://x.org/a.xml.gz?v=1', { kind: 'sitemap', ...filter })
  check('https://x.org/docs/llms.txt', { kind: 'llms_txt', ...filter })
  check('https://x.org/llms-full.txt', { kind: 'llms_txt', ...filter })
  for (const ending of ['tar.gz', 'gem', 'whl', 'jar', 'crate', 'nupkg']) {
    check(`https://x.org/a.${ending}`, { kind: 'archive', docsPaths: [] })
  }
  check('https://github.com/o/r/archive/refs/tags/v1.zip', { kind: 'archive', docsPaths: [] })
  check('https://x.org/robots.txt', { kind: 'sitemap', ...filter })
  check('https://fastapi.tiangolo.com/', { kind: 'site', ...filter })
  check('https://x.org/guide/index.html', { kind: 'site', ...filter, below: '/guide/' })
  check('https://x.org/guide/install', { kind: 'site', ...filter, below: '/guide/install' })
  check('https://x.org/guide/install.html', { kind: 'web_page' })
  check('https://x.org/read.php?id=1', { kind: 'web_page' })
  describe('W-23 accepts hosts whose name contains a forge', () => {
    check('https://docs.github.com/sitemap.xml', { kind: 'sitemap', ...filter })
    check('https://docs.gitlab.com/ee/api/', { kind: 'site', ...filter, below: '/ee/api/' })
  })

  test('keeps page filters', () =>
    expect(
      detectSource('https://x.org/sitemap.xml', {
        docsPaths: [],
        cwd: '/',
        home: '/',
        filter: { exclude: ['a'] },
      }).source,
    ).toMatchObject({ exclude: ['a'], filterKeywords: [] }))

  test('detects a local archive', () =>
    expect(detect('docs.zip', { docsPaths: ['/a/'], baseUrl: 'https://x.org/d' }).source).toEqual({
      kind: 'archive',
      url: join(temp.path, 'docs.zip'),
      docsPaths: ['a'],
      baseUrl: 'https://x.org/d',
    }))
})

describe('rejects other input in one line', () => {
  const check = (typed: string, expected: string, more = {}) =>
    test(JSON.stringify(typed), () => {
      const refused = () => detect(typed, more)
      expect(refused).toThrow(OgError)
      expect(refused).toThrow(expected)
      expect(refused).not.toThrow(/\n/)
    })

  check('', 'names nothing')
  check('--upload-pack=touch x', 'it looks like an option')
  check('-x', 'it looks like an option')
  check('ext::sh -c x', 'remote helpers')
  check('fd::17', 'remote helpers')
  check('any::https://github.com/o/r', 'remote helpers')
  check('ftp://host/r', 'ftp:// is not supported')
  check('ssh://-oProxyCommand=x/r', 'its host looks like an option')
  check('ssh://-l@host/r', 'its host looks like an option')
  check('-oX@host:r', 'it looks like an option')
  check('https://github.com/o/r\n--x', 'control character')
  check('https://', 'not a valid address')
  check('./nope', 'no such file or folder')
  check('nope\nnope', 'no such file or folder')
  check('/nope', 'no such file or folder')
  check('not.bundle', 'only .md, .markdown, .qmd, .rmd, .livemd')
  check('file:///nope/x.git', 'no such file or folder')
  check('file://host/x.git', 'not the address of a path')
  check('file:///a%zz', 'not the address of a path')
  check('https://github.com/o/r/issues/3', 'names no repository')
  check('https://github.com/o', 'it names no repository')
  check('docs.example.org/guide', 'no such file or folder')
  check('https://x.org/a', '--docs-path is for folders, git repositories and archives', {
    docsPaths: ['x'],
  })
  check('https://x.org/sitemap.xml', '--base-url is for folders', { baseUrl: 'https://x.org' })
  check('docs.zip', 'is not an address', { baseUrl: 'x' })
  check('docs', 'leaves the repository', { docsPaths: ['../x'] })
  check('docs', 'is not an address', { baseUrl: 'x' })
  check('github.com/o/r', '--base-url is for folders', { baseUrl: 'https://x.org' })
  check('github.com/o/r', 'leaves the repository', { docsPaths: ['../x'] })
})
