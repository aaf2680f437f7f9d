import { describe, expect, test } from 'bun:test'
import { listable, parseSourceEntry, sourceEntryOf } from '../../src/library/source-entry.ts'

const place = { what: '"x" in /p/sources.json', folder: '/p', home: '/h' }

const git = (url: string, docsPaths: string[] = []) => ({ kind: 'git_repo', url, docsPaths })
const local = (path: string) => ({ kind: 'local_path', path })
const sitemap = {
  kind: 'sitemap', url: 'https://a.example/sitemap.xml', filterKeywords: [], exclude: [],
  languages: [], trimQueryParams: false,
}

describe('an entry means', () => {
  function check(entry: object, expected: object) {
    expect<unknown>(parseSourceEntry(entry, place)).toEqual(expected)
  }

  test('a git repository', () => {
    const type = 'git_repo'
    check({ type, repo_url: 'https://a.example/b.git' }, git('https://a.example/b.git'))
    check({ type, repo_url: 'https://a.example/b' }, git('https://a.example/b'))
    check({ type, repo_url: 'github.com/o/r' }, git('https://github.com/o/r'))
    check({ type, repo_url: 'git@a.example:b.git' }, git('git@a.example:b.git'))
    check({ type, repo_url: '/r.bundle' }, git('/r.bundle'))
    check({ type, repo_url: 'r.bundle' }, git('/p/r.bundle'))
    check({ type, repo_url: '~/r' }, git('/h/r'))
    check({ type, repo_url: 'https://a.example/b.git', docs_paths: ['/docs/', 'x/*.md'] },
      git('https://a.example/b.git', ['docs', 'x/*.md']))
    check({ type, repo_url: 'https://a.example/b.git', docs_paths: ['/'] },
      git('https://a.example/b.git'))
    check({ type, repo_url: 'https://github.com/o/r/tree/v1/docs' },
      { ...git('https://github.com/o/r.git'), refPath: 'v1/docs' })
  })

  test('a folder, relative to the file and not to the current folder (W-13)', () => {
    check({ type: 'local_path', local_path: 'docs' }, local('/p/docs'))
    check({ type: 'local_path', local_path: '/docs' }, local('/docs'))
    check({ type: 'local_path', local_path: '~/docs' }, local('/h/docs'))
    check({ type: 'local_path', local_path: 'd', base_url: 'https://a.example' },
      { ...local('/p/d'), baseUrl: 'https://a.example' })
  })

  test('a sitemap', () => {
    check({ type: 'sitemap', sitemap_url: sitemap.url }, sitemap)
    const more = { filter_keywords: ['docs'], languages: ['en'], trim_query_params: true }
    check({ type: 'sitemap', sitemap_url: sitemap.url, ...more },
      { ...sitemap, filterKeywords: ['docs'], languages: ['en'], trimQueryParams: true })
  })
})

describe('an entry is refused', () => {
  function check(entry: unknown, why: string) {
    expect(() => parseSourceEntry(entry, place)).toThrow(why)
  }

  test('that is of no kind, or lacks what its kind needs', () => {
    const start = 'Cannot use "x" in /p/sources.json: '
    check('https://a.example', `${start}it is no JSON object`)
    check([], `${start}it is no JSON object`)
    check({}, `${start}its "type" is undefined`)
    check({ type: 'ftp' }, `${start}its "type" is "ftp"`)
    check({ type: 'git_repo' }, `${start}its "repo_url" is no text`)
    check({ type: 'local_path', local_path: '' }, `${start}its "local_path" is empty`)
    check({ type: 'sitemap', sitemap_url: 'file:///etc/passwd' }, 'which is no http address')
    check({ type: 'git_repo', repo_url: 'https://a.example/b', docs_paths: 'docs' }, 'is no list')
    check({ type: 'git_repo', repo_url: 'https://a.example/b', docs_paths: [1] }, 'holds no texts')
  })

  test('that holds an option or a command (W-60)', () => {
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

test('a source and its entry are the same both ways', () => {
  const sources = [
    git('https://a.example/b.git', ['docs']), local('/docs'), sitemap,
    { ...sitemap, exclude: ['/old/'], languages: ['en'], trimQueryParams: true },
    { ...local('/docs'), baseUrl: 'https://a.example' },
  ] as Parameters<typeof sourceEntryOf>[0][]
  for (const source of sources) {
    expect(parseSourceEntry(sourceEntryOf(source), place)).toEqual(source)
  }
})

test('other kinds have no form in the file', () => {
  expect(listable(local('/docs'))).toEqual(local('/docs') as ReturnType<typeof listable>)
  expect(listable({ kind: 'raw_pages' })).toBe(null)
})
