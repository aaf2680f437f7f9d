import { describe, expect, test } from 'bun:test'
import { toListedSource, sourceEntryOf } from '../../../src/library/sources/listed-entry.ts'
import { parseSourceEntry } from '../../../src/library/sources/source-entry.ts'

const place = { what: '"x" in /p/sources.json', folder: '/p', home: '/h' }

const git = (url: string, docsPaths: string[] = []) => ({ kind: 'git_repo', url, docsPaths })
const local = (path: string) => ({ kind: 'local_path', path })
const sitemap = {
  kind: 'sitemap',
  url: 'https://a.example/sitemap.xml',
  filterKeywords: [],
  exclude: [],
  languages: [],
  trimQueryParams: false,
}

describe('an entry', () => {
  function check(entry: object, expected: object) {
    expect<unknown>(parseSourceEntry(entry, place)).toEqual(expected)
  }

  test('describes a git repository', () => {
    const type = 'git_repo'
    check({ type, repo_url: 'https://a.example/b.git' }, git('https://a.example/b.git'))
    check({ type, repo_url: 'https://a.example/b' }, git('https://a.example/b'))
    check({ type, repo_url: 'github.com/o/r' }, git('https://github.com/o/r'))
    check({ type, repo_url: 'git@a.example:b.git' }, git('git@a.example:b.git'))
    check({ type, repo_url: '/r.bundle' }, git('/r.bundle'))
    check({ type, repo_url: 'r.bundle' }, git('/p/r.bundle'))
    check({ type, repo_url: '~/r' }, git('/h/r'))
    check(
      { type, repo_url: 'https://a.example/b.git', docs_paths: ['/docs/', 'x/*.md'] },
      git('https://a.example/b.git', ['docs', 'x/*.md']),
    )
    check(
      { type, repo_url: 'https://a.example/b.git', docs_paths: ['/'] },
      git('https://a.example/b.git'),
    )
    check(
      { type, repo_url: 'https://github.com/o/r/tree/v1/docs' },
      { ...git('https://github.com/o/r.git'), refPath: 'v1/docs' },
    )
  })

  test('describes a folder relative to the file instead of the current folder (W-13)', () => {
    check({ type: 'local_path', local_path: 'docs' }, local('/p/docs'))
    check({ type: 'local_path', local_path: '/docs' }, local('/docs'))
    check({ type: 'local_path', local_path: '~/docs' }, local('/h/docs'))
    check(
      { type: 'local_path', local_path: 'd', base_url: 'https://a.example' },
      { ...local('/p/d'), baseUrl: 'https://a.example' },
    )
  })

  test('describes an archive, an llms.txt or one page, which openground does not support', () => {
    const at = (url: string) => ({ kind: 'archive', url, docsPaths: [] })
    check({ type: 'archive', archive: 'docs.zip' }, at('/p/docs.zip'))
    check(
      { type: 'archive', archive: 'https://a.example/d.tgz', docs_paths: ['x/'] },
      { ...at('https://a.example/d.tgz'), docsPaths: ['x'] },
    )
    check(
      { type: 'web_page', page_url: 'https://a.example/b' },
      { kind: 'web_page', url: 'https://a.example/b' },
    )
    check(
      { type: 'llms_txt', llms_txt_url: 'https://a.example/llms.txt', exclude: ['x'] },
      { ...sitemap, kind: 'llms_txt', url: 'https://a.example/llms.txt', exclude: ['x'] },
    )
  })

  test("keeps human languages, and ignores the programming languages in openground's list", () => {
    const type = 'git_repo'
    const repo_url = 'https://a.example/b.git'
    const plain = git(repo_url)
    check({ type, repo_url, languages: ['python', 'js', 'go'] }, plain)
    check({ type, repo_url, languages: ['de', 'python'] }, { ...plain, languages: ['de'] })
    check({ type, repo_url, languages: ['*'] }, { ...plain, languages: ['*'] })
    check(
      { type: 'local_path', local_path: 'd', languages: ['pt-BR'] },
      { ...local('/p/d'), languages: ['pt-BR'] },
    )
    check({ type: 'sitemap', sitemap_url: sitemap.url, languages: ['python'] }, sitemap)
  })

  test('describes a sitemap', () => {
    check({ type: 'sitemap', sitemap_url: sitemap.url }, sitemap)
    const more = { filter_keywords: ['docs'], languages: ['en'], trim_query_params: true }
    check(
      { type: 'sitemap', sitemap_url: sitemap.url, ...more },
      { ...sitemap, filterKeywords: ['docs'], languages: ['en'], trimQueryParams: true },
    )
  })
})

describe('an invalid entry', () => {
  function check(entry: unknown, why: string) {
    expect(() => parseSourceEntry(entry, place)).toThrow(why)
  }

  test('rejects an entry without a kind, or without a field that its kind requires', () => {
    const start = 'Cannot use "x" in /p/sources.json: '
    check('https://a.example', `${start}it is not a JSON object`)
    check([], `${start}it is not a JSON object`)
    check({}, `${start}its "type" is undefined`)
    check({ type: 'constructor' }, `${start}its "type" is "constructor", and not git_repo, local_`)
    check({ type: 'ftp' }, `${start}its "type" is "ftp"`)
    check({ type: 'git_repo' }, `${start}its "repo_url" is no text`)
    check({ type: 'local_path', local_path: '' }, `${start}its "local_path" is empty`)
    check({ type: 'sitemap', sitemap_url: 'file:///etc/passwd' }, 'which is no http address')
    check({ type: 'git_repo', repo_url: 'https://a.example/b', docs_paths: 'docs' }, 'is no list')
    check({ type: 'git_repo', repo_url: 'https://a.example/b', docs_paths: [1] }, 'holds no texts')
  })

  test('rejects an entry with an option or a command in a value (W-60)', () => {
    const type = 'git_repo'
    check({ type, repo_url: '--upload-pack=touch touched;' }, 'looks like an option')
    check({ type, repo_url: 'ext::sh -c id' }, 'remote helpers')
    check({ type, repo_url: 'https://a.example/b', docs_paths: ['-x'] }, 'looks like an option')
    check({ type, repo_url: 'https://a.example/b', docs_paths: ['../x'] }, 'leaves the repository')
    check({ type, repo_url: 'ssh://-oProxyCommand=id/x' }, 'looks like an option')
    check({ type: 'local_path', local_path: '-x' }, 'looks like an option')
    check({ type: 'local_path', local_path: 'a\nb' }, 'cannot be used')
  })
})

test('writes an entry that is read as the same source', () => {
  const sources = [
    git('https://a.example/b.git', ['docs']),
    local('/docs'),
    sitemap,
    { ...sitemap, exclude: ['/old/'], languages: ['en'], trimQueryParams: true },
    { ...local('/docs'), baseUrl: 'https://a.example', languages: ['en', 'de'] },
    { ...git('https://a.example/b.git', ['docs']), languages: ['*'] },
    { kind: 'archive', url: '/d.zip', docsPaths: ['x'], baseUrl: 'https://a.example' },
    { kind: 'archive', url: 'https://a.example/d.zip', docsPaths: [], languages: ['fr'] },
    { kind: 'web_page', url: 'https://a.example/page' },
    { kind: 'package', url: 'pypi:httpx' },
    { ...sitemap, kind: 'site', url: 'https://a.example/docs/', below: '/docs/' },
    { ...sitemap, kind: 'llms_txt', url: 'https://a.example/llms.txt', filterKeywords: ['guide'] },
  ] as Parameters<typeof sourceEntryOf>[0][]
  for (const source of sources) {
    expect(parseSourceEntry(sourceEntryOf(source), place)).toEqual(source)
  }
})

test('returns no entry for an imported folder of raw pages', () => {
  const folder = { kind: 'local_path', path: '/docs' } as const
  expect(toListedSource(folder)).toEqual(folder)
  expect(toListedSource({ kind: 'raw_pages', path: '/raw' })).toBe(null)
})
