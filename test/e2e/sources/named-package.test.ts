/**
 * Adds a package by its name in a registry with dist/og. The hosts in its metadata are reachable
 * only through a proxy.
 */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { createWorld, type World } from '../../support/e2e.ts'
import { commit, git, type Files } from '../../support/repository.ts'
import { serveRepositories } from '../../support/servers/git-server.ts'
import { openRegistries, type Published } from '../../support/servers/registries.ts'
import { html, urlset } from '../../support/servers/site.ts'
import { serveLocal } from '../../support/servers/serve-local.ts'

type Pages = Record<string, string | Uint8Array>

/** Serves hosts that only the proxy knows; repositories are at `git.heron.example`. */
function openProxy(pages: Pages, repositories: string) {
  const server = serveLocal(async (request) => {
    const { hostname, pathname, search } = new URL(request.url)
    if (hostname === 'git.heron.example') {
      const { method, headers } = request
      const body = method === 'GET' ? null : await request.arrayBuffer()
      return fetch(repositories + pathname + search, { method, headers, body, decompress: false })
    }
    const page = pages[hostname + pathname]
    if (page === undefined) return new Response('nothing here', { status: 404 })
    const isText = typeof page === 'string'
    const type = !isText ? 'application/zip' : pathname.endsWith('.xml') ? 'text/xml' : 'text/html'
    return new Response(isText ? page : new Uint8Array(page), { headers: { 'content-type': type } })
  })
  return {
    env: { http_proxy: `http://127.0.0.1:${server.port}`, no_proxy: '127.0.0.1' },
    [Symbol.dispose]: () => void server.stop(true),
  }
}

const code = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((it) => [`src/${it}.py`, 'pass\n']))
const documented: Files = { ...code, 'README.md': '# Heron\n', 'docs/a.md': '# A\n\nBlue valve.\n' }

function publish(world: World, files: Files): void {
  const work = join(world.folder, 'work')
  commit(work, files)
  git(work, 'tag', 'v1.2.0')
  commit(work, { 'docs/later.md': '# Later\n' })
  git(world.folder, 'clone', '--quiet', '--bare', work, join(world.folder, 'team', 'heron.git'))
}

const said = {
  repository: 'http://git.heron.example/team/heron.git',
  documentation: 'http://heron.readthedocs.io/en/stable/',
  homepage: 'http://heron.github.io/heron/',
}
const packed = {
  'heron.readthedocs.io/_/downloads/en/1.2.0/htmlzip/': zipSync({
    'heron-1.2.0/index.html': Buffer.from(html('Packed')),
  }),
}
const site = {
  'heron.github.io/heron/': html('Home'),
  'heron.github.io/heron/a': html('A'),
  'heron.github.io/heron/sitemap.xml': urlset(
    'http://heron.github.io/heron/',
    'http://heron.github.io/heron/a',
  ),
}

type Around = { published?: Published; pages?: Pages; files?: Files }

async function around(
  { published = said, pages = {}, files = documented }: Around,
  use: (world: World, asking: { env: Record<string, string> }) => Promise<void>,
): Promise<void> {
  await using world = await createWorld()
  publish(world, files)
  await using repositories = serveRepositories(world.folder)
  using proxy = openProxy(pages, repositories.url)
  using registries = await openRegistries({
    files: { 'README.md': '# In the archive\n' },
    ...published,
  })
  await use(world, { env: { ...registries.env, ...proxy.env } })
}

test('reads a version from Read the Docs, from the tag of the repository, or from the site', async () => {
  await around({ pages: { ...packed, ...site } }, async (world, asking) => {
    const added = await world.og(['add', 'pypi:heron@1.2', '--json'], asking)
    expect(added.stderr).toContain(
      'heron: http://heron.readthedocs.io/_/downloads/en/1.2.0/htmlzip/: ' +
        'all pages of this version\n',
    )
    expect(JSON.parse(added.stdout)).toMatchObject({ library: 'heron', version: '1.2.0', pages: 1 })
  })
  await around({ pages: site }, async (world, asking) => {
    const dry = await world.json(['add', 'pypi:heron', '--dry-run', '--json'], asking)
    expect(dry).toMatchObject({
      version: 'v1.2.0',
      found: `${said.repository} at v1.2.0: docs (1 page) and README.md`,
      source: { kind: 'git_repo', docsPaths: ['docs', 'README.md'], package: 'pypi:heron' },
      passed: [{ reason: 'server answered 404' }, { reason: 'server answered 404' }],
    })
    expect((await world.og(['add', 'pypi:heron'], asking)).stdout).toContain('pages    2 (2 added')
  })
  await around(
    { pages: site, files: { ...code, 'README.md': '# Heron\n' } },
    async (world, asking) => {
      const dry = await world.json(['add', 'npm:heron', '--dry-run', '--json'], asking)
      expect(dry).toMatchObject({
        version: '1.2.0',
        source: { kind: 'sitemap' },
        found:
          'sitemap ' + 'http://heron.github.io/heron/sitemap.xml (2 pages), of its newest version',
      })
    },
  )
})

test('prefers a site to a README, and a README to the archive', () =>
  around({ files: { ...code, 'README.md': '# Heron\n' } }, async (world, asking) => {
    const dry = await world.json(['add', 'npm:heron', '--dry-run', '--json'], asking)
    expect(dry.source).toMatchObject({ kind: 'git_repo', docsPaths: ['README.md'] })
  }))

test('remembers a package, and finds another version by library name', () =>
  around({ published: { versions: ['1.1.0', '1.2.0'] } }, async (world, { env }) => {
    const saving = { env: { ...env, OG_SOURCES__AUTO_ADD_LOCAL: 'true' } }
    const added = await world.og(['add', 'npm:heron'], saving)
    expect(added.stdout).toStartWith('heron 1.2.0: added\n')
    expect((await world.json(['sources', 'heron', '--json'])).entry).toEqual({
      type: 'package',
      package: 'npm:heron',
    })
    expect((await world.og(['add', 'heron', '-v', '1.1'], saving)).stdout).toStartWith(
      'heron 1.1.0: added\n',
    )
    expect((await world.og(['update', 'heron', '-v', '1.1.0'], saving)).stdout).toBe(
      'heron 1.1.0: unchanged (1 page)\n',
    )
    expect((await world.og(['list'], saving)).stdout).toMatch(/heron +1\.2\.0 .* npm:heron\n/)
  }))

test('distinguishes two packages with the same name', () =>
  around({ published: {} }, async (world, asking) => {
    await world.og(['add', 'npm:heron'], asking)
    await world.check(
      ['add', 'crates:heron'],
      {
        exitCode: 2,
        stderr:
          /^error: The name "heron" is taken: 1.2.0 .* from http.*\nhint: og add crates:heron --as/,
      },
      asking,
    )
    expect((await world.og(['add', 'crates:heron', '--as', 'other'], asking)).stdout).toStartWith(
      'other 1.2.0: added\n',
    )
    // The package of the named registry replaces the previous one, with a warning.
    expect((await world.og(['add', 'heron', '-s', 'pypi:heron'], asking)).stderr).toContain(
      'warning: heron 1.2.0 is replaced: it came from ',
    )
  }))

test('reports a missing or forbidden package in one line', () =>
  around(
    { published: { repository: 'http://127.0.0.1:1/r.git', homepage: 'http://169.254.169.254/' } },
    async (world, asking) => {
      await world.check(
        ['add', 'npm:egret'],
        {
          exitCode: 2,
          stderr: /^error: Cannot find npm:egret: .* has no such package\nhint: check the spelling/,
        },
        asking,
      )
      await world.check(
        ['add', 'npm:heron@9'],
        {
          exitCode: 2,
          stderr:
            /^error: Cannot find version "9" of npm:heron in its registry\nhint: the newest: 1.2.0/,
        },
        asking,
      )
      const { passed } = await world.json(['add', 'npm:heron', '--dry-run', '--json'], asking)
      expect(passed.map(({ reason }: { reason: string }) => reason)).toEqual([
        'the address is of this machine',
        'the address is link-local',
      ])
    },
  ))

test('a package stays incomplete until its repository can be reached', () =>
  around({ published: { repository: said.repository } }, async (world, asking) => {
    const offline = { env: { ...asking.env, http_proxy: '', OG_SOURCES__AUTO_ADD_LOCAL: 'true' } }
    const gap = 'incomplete: cannot reach git.heron.example'
    await world.check(
      ['add', 'npm:heron'],
      {
        stdout: /^heron 1\.2\.0: added\n[^]*\nnote: cannot reach git\.heron\.example, so only /,
        stderr: /README\.md/,
      },
      offline,
    )
    expect((await world.json(['sources', 'heron', '--json'])).entry).toEqual({
      type: 'package',
      package: 'npm:heron',
    })
    const [listed] = await world.json(['list', '--json'], offline)
    expect(listed).toMatchObject({ incomplete: 'cannot reach git.heron.example' })
    expect((await world.og(['list'], offline)).stdout).toContain(gap)
    await world.check(
      ['update', '--all'],
      { exitCode: 1, stdout: /^heron 1\.2\.0: unchanged\n[^]*\nnote: cannot reach/ },
      offline,
    )
    await world.check(
      ['update', '--all'],
      { stdout: /^heron 1\.2\.0: updated\n  pages    2 / },
      asking,
    )
    const [whole, ...others] = await world.json(['list', '--json'], asking)
    expect(whole).toMatchObject({ version: '1.2.0', ref: 'v1.2.0', incomplete: null, stale: [] })
    expect(others).toEqual([])
    // Updates now read the tag of the repository, under the same label.
    await world.check(['update', '--all'], { stdout: 'heron 1.2.0: unchanged (2 pages)\n' }, asking)
    const again = await world.og(['add', 'npm:heron'], asking)
    expect(again.exitCode).toBe(0)
    expect(again.stdout).toStartWith('heron 1.2.0: unchanged\n')
  }))
