import { expect, test, describe } from 'bun:test'
import { join } from 'node:path'
import {
  findSource,
  readSourcesFiles,
  toSource,
  bundledSources,
  parseSourceEntry,
} from '../../../src/library/sources/source-list.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { writeFiles } from '../../support/repository.ts'
import { openEach } from '../../support/run/dispose.ts'
import { libraryKey } from '../../../src/library/name.ts'
import { reasonToConfirm } from '../../../src/library/sources/source-trust.ts'
import { toListedSource, sourceEntryOf } from '../../../src/library/sources/save-source.ts'

const temp = openEach(() => createTempFolder('og-list'))

const of = (path: string) => ({ type: 'local_path', local_path: path })
const file = (entries: object) => JSON.stringify(entries)

/** Checks the file and address of the source that was found, and the problems. */
async function check(
  files: Record<string, string>,
  library: string,
  expected: { found: [string, string] | null; problems?: string[]; named?: string; cwd?: string },
) {
  writeFiles(temp().path, { 'home/.keep': '', 'project/.keep': '', ...files })
  const { found: wanted, problems = [], named = null, cwd = 'project' } = expected
  const home = join(temp().path, 'home')
  const lists = join(home, '.config/og')
  const places = {
    file: named && join(temp().path, named),
    cwd: join(temp().path, cwd),
    home,
    lists,
  }
  const listing = await readSourcesFiles(places)
  const found = findSource(listing.files, library)
  const source = found && toSource(found, home)
  const place =
    source && ('path' in source ? source.path.slice(temp().path.length + 1) : source.url)
  expect<unknown>(found && [found.file.origin, place]).toEqual(wanted)
  const said = listing.problems.map(({ message }) => message.replaceAll(temp().path, ''))
  expect(said.map((text, at) => text.slice(0, (problems[at] ?? text).length))).toEqual(problems)
}

const project = 'project/.openground/sources.json'
const user = 'home/.config/og/sources.json'

test('uses the first file that contains the name, and does not merge entries', async () => {
  const all = {
    'named.json': file({ a: of('1') }),
    [project]: file({ a: of('2'), b: of('2') }),
    [user]: file({ a: of('3'), b: of('3'), c: of('3'), fastapi: of('3') }),
  }
  await check(all, 'a', { found: ['named', '1'], named: 'named.json' })
  await check(all, 'b', { found: ['project', 'project/2'], named: 'named.json' })
  await check(all, 'c', { found: ['user', 'home/3'] })
  await check(all, 'fastapi', { found: ['user', 'home/3'] })
  await check(all, 'vite', { found: ['bundled', 'https://github.com/vitejs/vite.git'] })
  await check(all, 'nothing-of-this-name', { found: null })
  await check(all, '__proto__', { found: null })
})

test('ignores the case and separators of a name', async () => {
  const all = { [user]: file({ My_Lib: of('1'), 'my-lib': of('2') }) }
  await check(all, 'my-lib', { found: ['user', 'home/2'] })
  await check(all, 'my.LIB', { found: ['user', 'home/1'] })
  await check(all, 'Drizzle_ORM', {
    found: ['bundled', 'https://github.com/drizzle-team/drizzle-orm-docs.git'],
  })
})

test('skips and reports an unreadable file', async () => {
  await check({ [project]: '{"a": ', [user]: file({ a: of('3') }) }, 'a', {
    found: ['user', 'home/3'],
    problems: [`Cannot read sources file "/${project}": it is not valid JSON (`],
  })
  await check({ [project]: '[]', [user]: '' }, 'a', {
    found: null,
    problems: [`Cannot read sources file "/${project}": it is not a JSON object`],
  })
  await check({ [project]: '{}' }, 'a', {
    found: null,
    named: 'none.json',
    problems: ['Cannot read sources file "/none.json": no such file'],
  })
})

test('rejects an unreadable file that the user gave as an option', () => {
  const [named, home] = [join(temp().path, 'none.json'), temp().path]
  expect(
    readSourcesFiles({ file: named, cwd: home, home, lists: home, isTyped: true }),
  ).rejects.toThrow('no such file')
})

test("trusts the file in the home folder as the user's own", async () => {
  await check({ [user]: file({ a: of('/x') }) }, 'a', { found: ['user', ''], cwd: 'home' })
})

const sources = [...bundledSources()]

test('lists only public repositories with folders and a valid name', () => {
  for (const [library, entry] of sources) {
    const source = parseSourceEntry(entry, { what: library, folder: '/none', home: '/none' })
    if (source.kind !== 'git_repo') throw new Error(`${library} is no git repository`)
    expect(source.url).toMatch(/^https:\/\/(github|gitlab)\.com\/[\w.-]+\/[\w.-]+\.git$/)
    const paths = entry.docs_paths as string[]
    // An entry with the path `/` selects the whole repository.
    expect(source.docsPaths).toEqual(paths[0] === '/' ? [] : paths)
    expect(paths.every((path) => path === '/' || /^[\w][\w./*-]*$/.test(path))).toBe(true)
    expect(paths).not.toHaveLength(0)
    expect(libraryKey(library)).toBe(library)
  }
})

test('contains distinct names in alphabetical order', () => {
  const names = sources.map(([library]) => library)
  expect(names).toEqual([...names].sort())
  const plain = names.map((name) => name.replace(/[-_.]+/g, '-'))
  expect(new Set(plain).size).toBe(names.length)
})

test('contains every name of openground, with a source that has documentation (W-21)', () => {
  const names =
    'lancedb typer fastapi pydantic langchain tanstack-start inkscape tailwindcss ' +
    'shadcn-ui tanstack-query drizzle-orm fastembed webcontainer opencode cloudflare bun'
  const known = new Map(sources)
  expect(names.split(' ').filter((name) => !known.has(name))).toEqual([])
  expect(known.get('fastapi')!.docs_paths).toEqual(['docs/en/docs'])
})

test('contains only sources that og reads without asking', async () => {
  for (const [library, entry] of sources) {
    const source = parseSourceEntry(entry, { what: library, folder: '/none', home: '/none' })
    expect(await reasonToConfirm(source, '/none', async () => ['140.82.121.3'])).toBe(null)
  }
})

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
    check({ type: 'git_repo' }, `${start}its "repo_url" is not a string`)
    check({ type: 'local_path', local_path: '' }, `${start}its "local_path" is empty`)
    check({ type: 'sitemap', sitemap_url: 'file:///etc/passwd' }, 'which is not an http address')
    check(
      { type: 'git_repo', repo_url: 'https://a.example/b', docs_paths: 'docs' },
      'is not a list',
    )
    check(
      { type: 'git_repo', repo_url: 'https://a.example/b', docs_paths: [1] },
      'is not a list of strings',
    )
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
