import { expect, test } from 'bun:test'
import { chooseForPackage } from '../../../src/source/choice/package-choice.ts'
import type { SourceGap } from '../../../src/store/source.ts'
import { openRegistries, type Published } from '../../support/servers/registries.ts'

type Expected = {
  kind: string
  version?: string
  found: string
  passed?: string[]
  docsPaths?: string[]
  release?: string
  incomplete?: SourceGap | null
}

async function check(
  typed: string,
  { onlyApi = false, ...published }: Published & { onlyApi?: boolean },
  expected: Expected,
): Promise<void> {
  using registries = await openRegistries(published)
  const options = {
    version: null,
    onlyApi,
    surroundings: { env: registries.env, home: '/nowhere', cwd: '/nowhere' },
    docsRs: `${registries.url}/docs/`,
    lookup: async () => {
      throw new Error('no network')
    },
  }
  const {
    source,
    how: found,
    rejected: passed,
    ...rest
  } = await chooseForPackage({ kind: 'package', url: typed }, options)
  const plain = (text: string) => text.replaceAll(registries.url, '')
  expect({
    ...source,
    incomplete: null,
    ...rest,
    found: plain(found!),
    passed: passed.map(({ place, reason }) => plain(`${place}: ${reason}`)),
  }).toMatchObject({ package: typed, version: '1.2.0', ...expected })
}

const files = { 'README.md': '# Heron\n', 'docs/a.md': '# A\n', 'src/a.c': '', 'src/b.c': '' }

test('prefers docs.rs for a crate', () =>
  check(
    'crates:heron',
    { hasDocsRs: true, files },
    { kind: 'site', found: '/docs/heron/1.2.0/heron/: its pages, by their links', passed: [] },
  ))

test("asks only the registry's archive for an API reference without guides", () =>
  check(
    'crates:heron',
    { hasDocsRs: true, files, onlyApi: true },
    { kind: 'archive', found: '/crates/dl/heron/1.2.0/download: docs (1 page) and README.md' },
  ))

test("uses the registry's archive only as a last resort", async () => {
  const passed = ['/docs/heron/1.2.0/heron/: server answered 404']
  await check(
    'crates:heron',
    { files },
    {
      kind: 'archive',
      docsPaths: ['docs', 'README.md'],
      passed,
      found: '/crates/dl/heron/1.2.0/download: docs (1 page) and README.md',
    },
  )
  await check(
    'npm:heron',
    { files },
    {
      kind: 'archive',
      found: '/npm/heron/-/heron-1.2.0.tgz: docs (1 page) and README.md',
      passed: [],
    },
  )
  await check(
    'pypi:heron',
    { files: { 'README.md': '# Heron\n', 'src/a.c': '' } },
    {
      kind: 'archive',
      docsPaths: ['README.md'],
      found: '/files/heron-1.2.0.tar.gz: README.md, because there is no documentation folder',
    },
  )
  await check(
    'go:go.heron.example/heron',
    { files, repository: 'http://git.example/r' },
    {
      kind: 'archive',
      version: 'v1.2.0',
      docsPaths: ['heron@v1.2.0/docs', 'heron@v1.2.0/README.md'],
      found: '/go/go.heron.example/heron/@v/v1.2.0.zip: docs (1 page) and README.md',
    },
  )
})

test('W-63 ignores metadata that points into a private network', () =>
  check(
    'npm:heron',
    { files, repository: 'http://127.0.0.1:1/team/heron.git', homepage: 'http://10.0.0.1/' },
    {
      kind: 'archive',
      found: '/npm/heron/-/heron-1.2.0.tgz: docs (1 page) and README.md',
      passed: [
        'http://127.0.0.1:1/team/heron.git at 1.2.0: the address is of this machine',
        'http://10.0.0.1/: the address is of a private network',
      ],
    },
  ))

test('W-60 ignores a repository URL that could run a command', () =>
  check(
    'npm:heron',
    { files, repository: 'ext::sh -c touch% owned' },
    {
      kind: 'archive',
      found: '/npm/heron/-/heron-1.2.0.tgz: docs (1 page) and README.md',
      passed: ['ext::sh -c touch% owned: not the web address of a git repository'],
    },
  ))

test('lists all attempts in the error if no source can be read', async () => {
  using registries = await openRegistries({
    homepage: 'http://10.0.0.1/',
    authorization: 'Bearer x',
  })
  const key = `npm_config_${registries.url.slice('http:'.length)}/:_authToken`
  const surroundings = { env: { ...registries.env, [key]: 'x' }, home: '/no', cwd: '/no' }
  const error = await chooseForPackage(
    { kind: 'package', url: 'npm:heron' },
    { version: null, surroundings },
  ).catch((it) => it)
  expect(error.message).toBe('Cannot find documentation of npm:heron 1.2.0')
  expect(error.hint).toBe(
    'name a source with --source; what was tried: ' +
      'http://10.0.0.1/: the address is of a private network; ' +
      'its registry: no archive of its source files',
  )
})

test('marks the choice as incomplete if a better host does not answer', async () => {
  const intended = { kind: 'package', url: 'npm:heron', version: '1.2.0' } as const
  const incomplete = { reason: 'cannot reach git.example', host: 'git.example', intended }
  const repository = 'https://git.example/team/heron'
  const found = '/npm/heron/-/heron-1.2.0.tgz: docs (1 page) and README.md'
  const homepage = 'https://heron.example/'
  await check(
    'npm:heron',
    { files, repository, homepage },
    { kind: 'archive', found, release: '1.2.0', incomplete },
  )
  await check(
    'npm:heron',
    { files, repository: 'http://127.0.0.1:1/r.git' },
    { kind: 'archive', found, incomplete: null },
  )
})
