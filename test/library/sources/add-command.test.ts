import { expect, test } from 'bun:test'
import {
  addCommand,
  otherVersionCommand,
  replaceCommand,
  sourceCommand,
  checkMayAdd,
  checkVisible,
  parseNameToAdd,
} from '../../../src/library/sources/add-command.ts'
import type { Source } from '../../../src/store/source.ts'

const entry = (source: Source, version = 'latest') => ({
  library: 'lib',
  version,
  live: { source },
})
const filter = { filterKeywords: [], exclude: [], languages: [], trimQueryParams: false }

function check(source: Source, expected: string, version?: string): void {
  expect(addCommand(entry(source, version))).toBe(expected)
}

test('returns the command that builds a library again', () => {
  const git: Source = {
    kind: 'git_repo',
    url: 'https://x.org/a.git',
    docsPaths: ['docs', 'my docs'],
  }
  check(git, "og add lib -s https://x.org/a.git -d docs -d 'my docs'")
  check(
    { ...git, docsPaths: [], languages: ['de'] },
    'og add lib -s https://x.org/a.git -v v1 -d / --language de',
    'v1',
  )
  check({ ...git, url: 'file:///a.git', docsPaths: [] }, 'og add lib -s file:///a.git')
  check(
    { kind: 'local_path', path: "/it's", baseUrl: 'https://x.org' },
    `og add lib -s '/it'\\''s' --base-url https://x.org`,
    'local-2026-03-20',
  )
  check(
    {
      kind: 'sitemap',
      url: 'https://x.org/s.xml',
      ...filter,
      filterKeywords: ['a'],
      exclude: ['b'],
      languages: ['en'],
      trimQueryParams: true,
    },
    'og add lib -s https://x.org/s.xml -f a --exclude b --language en --trim-query-params',
  )
  check(
    { kind: 'site', url: 'https://x.org/a/', ...filter, below: '/a/' },
    'og add lib -s https://x.org/a/ --follow-links --below /a/',
  )
  check({ kind: 'web_page', url: 'https://x.org/a.html' }, 'og add lib -s https://x.org/a.html')
  check({ kind: 'raw_pages', path: '/raw' }, 'og embed lib -v 1', '1')
})

test('returns a command that first removes the version to be replaced', () => {
  expect(replaceCommand(entry({ kind: 'web_page', url: 'https://x.org/a' }, 'v1'))).toBe(
    'og remove lib -v v1 -y && og add lib -s https://x.org/a -v v1 --only-page',
  )
})

test('refers to a package by its name, not by the archive of one version', () => {
  const source: Source = {
    kind: 'archive',
    url: 'https://r.org/lib-1.0.0.tgz',
    docsPaths: ['docs'],
    package: 'npm:lib',
  }
  check(source, 'og add npm:lib@1.0.0', '1.0.0')
  check(source, 'og add npm:lib')
  check({ ...source, package: 'npm:@x/lib' }, 'og add npm:@x/lib@1.0.0 --as lib', '1.0.0')
  check({ ...source, package: 'go:r.org/x/lib/v2' }, 'og add go:r.org/x/lib/v2@v2.1.0', 'v2.1.0')
  expect(sourceCommand(entry(source, '1.0.0'))).toBe(
    'og add lib -s https://r.org/lib-1.0.0.tgz -v 1.0.0 -d docs',
  )
})

test('returns a command for another version only if the source can have several versions', () => {
  const other = (source: Source) => otherVersionCommand(entry(source, '2.0.0'))
  const archive: Source = { kind: 'archive', url: 'https://r.org/lib-1.0.0.tgz', docsPaths: [] }
  expect(other({ ...archive, package: 'npm:lib' })).toBe('og add npm:lib@2.0.0')
  expect(other({ kind: 'git_repo', url: 'https://x.org/a.git', docsPaths: ['docs'] })).toBe(
    'og add lib -s https://x.org/a.git -v 2.0.0 -d docs',
  )
  expect(other(archive)).toBeNull()
  expect(other({ kind: 'local_path', path: '/lib' })).toBeNull()
  expect(other({ kind: 'sitemap', url: 'https://x.org/s.xml', ...filter })).toBeNull()
})

test('splits a version off a name, but not off an address', () => {
  const check = (
    library: string,
    source: string | undefined,
    expected: [string, string | null],
  ) => {
    const named = parseNameToAdd({ library, source, version: null })
    expect([named.library, named.version]).toEqual(expected)
  }
  check('kettle@2.0', undefined, ['kettle', '2.0'])
  check('@pots/kettle', '', ['@pots/kettle', null])
  check('git@a.example:pots/kettle.git', '', ['git@a.example:pots/kettle.git', null])
  check('npm:kettle@2.0', undefined, ['npm:kettle@2.0', null])
  check('kettle@2.0', 'https://a.example/', ['kettle', '2.0'])
})

test('lets a key add permitted libraries from a given or listed source', async () => {
  const canSee = (library: string) => library.startsWith('open-')
  const view = { canSee, knownSources: async () => ['open-kit'] }
  const check = async (library: string, source: string | undefined, expected: string | null) => {
    const said = await checkMayAdd(view, { library, source }).then(
      () => null,
      (error: Error) => error.message,
    )
    expect(said).toBe(expected)
  }
  await check('Open-Kit', undefined, 'Cannot add "Open-Kit": this key may not have it')
  await check('open-KIT', undefined, null)
  await check('open-lid', '', 'Cannot add "open-lid": og knows no source with that name')
  await check('open-lid', 'https://a.example/', null)
  const refusal = 'Cannot add "vault@open-1": this key may not have it'
  await check('vault@open-1', 'https://a.example/', refusal)
  expect(() => checkVisible(canSee, { library: 'vault', command: 'update' })).toThrow(
    'Cannot update "vault"',
  )
})
