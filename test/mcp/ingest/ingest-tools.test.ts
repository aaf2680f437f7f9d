import { describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { connectRaw, openMcpHome, type RawClient } from '../../support/mcp.ts'
import { privateAddresses, privateLookup } from '../../support/private-addresses.ts'
import { writeFiles } from '../../support/repository.ts'
import { html, openSite, redirect, sitemapOf, urlset } from '../../support/servers/site.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const self = [process.execPath, join(import.meta.dir, '../../..', 'src', 'main.ts')]

const noJob = ['sh', '-c', 'echo "error: a job began" >&2; exit 3']

const home = disposeAfterAll(await openMcpHome())
const project = join(home.path, 'project')
writeFiles(home.path, { 'project/docs/a.md': '# A\n\nzither\n', 'private/b.md': '# B\n\nsecret\n' })
symlinkSync(join(home.path, 'private'), join(project, 'out'))

type Asking = { allowedHosts?: string[]; cwd?: string; isInProject?: boolean; starts?: boolean }

/** A client of a server that runs in the project. Jobs really start only if `starts` is set. */
async function connect(asking: Asking = {}): Promise<RawClient> {
  const { allowedHosts = [], cwd = project, isInProject = true, starts = false } = asking
  const places = { ...home.inProject, cwd, home: join(home.path, 'user') }
  const env = { PATH: process.env.PATH, ...home.env }
  const face = { allowIngest: true, allowedHosts, isInProject, places, env, lookup: privateLookup }
  return connectRaw(home.face({ ...face, ...(starts ? { self } : { self: noJob }) }))
}

async function added(client: RawClient, source: string): Promise<string> {
  const { content } = await client.call('add_library_tool', { library_name: 'kit', source })
  return content[0].text
}

test('rejects private addresses in every notation (W-63)', async () => {
  expect(new Set(privateAddresses).size).toBeGreaterThan(130)
  const client = await connect()
  const taken: string[] = []
  for (const source of privateAddresses) {
    const said = await added(client, source)
    const isRefused = /^Cannot (fetch|read|use) .*\n?.*$/.test(said)
    if (!isRefused) taken.push(`${source}: ${said}`)
  }
  expect(taken).toEqual([])
  await client.end()
})

test('lists the fields that select the pages of a source', async () => {
  const client = await connect()
  const { tools } = (await client.request('tools/list')).result
  const { properties } = tools.find(({ name }: any) => name === 'add_library_tool').inputSchema
  expect(Object.keys(properties)).toEqual([
    'library_name',
    'source',
    'version',
    'docs_path',
    'api',
    'language',
    'filter_keyword',
    'exclude',
    'below',
    'follow_links',
    'only_page',
    'wait_seconds',
  ])
  const given = { library_name: 'kit', source: 'docs', docs_path: 'guide', only_page: true }
  expect((await client.call('add_library_tool', given)).content[0].text).toBe('a job began')
  await client.end()
})

test('refuses an address with the reason and a remedy', async () => {
  const client = await connect()
  expect(await added(client, 'http://169.254.169.254/latest/sitemap.xml')).toBe(
    'Cannot fetch "http://169.254.169.254/latest/sitemap.xml": the address is link-local\n' +
      'hint: an agent may name public hosts; who starts the server can allow this one: ' +
      '--allow-host 169.254.169.254 (og serve: --allow-source-host)',
  )
  // The source is accepted; only the stub keeps the job from starting.
  expect(await added(client, 'https://docs.example.org/sitemap.xml')).toBe('a job began')
  await client.end()
})

describe('local sources', () => {
  const check = async (source: string, expected: RegExp, asking: Asking = {}) => {
    const client = await connect(asking)
    expect(await added(client, source)).toMatch(expected)
    await client.end()
  }

  test('accepts local sources only inside the project', async () => {
    await check('docs', /a job began/)
    const only = /an agent may name only what lies in .*project\n/
    for (const source of ['..', '/', '/etc/passwd', '/nowhere', '~', '~/x', 'out', '../private']) {
      await check(source, only)
    }
    await check('//10.0.0.1/share', only)
    await check('docs/none', /no such file/)
  })

  test('rejects local sources that are repositories', async () => {
    for (const source of ['file:///etc', `file://${home.path}`, 'FILE:///nowhere']) {
      await check(source, /an agent may name only remote repositories\n/)
    }
    mkdirSync(join(project, 'bare.git/objects'), { recursive: true })
    writeFiles(project, { 'bare.git/HEAD': 'x', 'bare.git/refs/x': '' })
    await check('bare.git', /an agent may name only remote repositories\n/)
  })

  test('rejects local sources if the server runs in the home folder or over HTTP', async () => {
    const none = /an agent may name no folder or file here\n/
    await check('project', none, { cwd: home.path })
    await check(project, none, { cwd: '/' })
    await check('docs', none, { isInProject: false })
  })
})

describe('a job in its own process', () => {
  const page = (title: string, ...to: string[]) =>
    html(title, { body: to.map((url) => `<a href="${url}">${title}</a>`).join('') })

  test('reads from an allowed host and follows no link to another host', async () => {
    using inner = openSite({ '/c': html('C'), '/robots.txt': '', '/c.md': '# C' })
    using site = openSite({
      '/sitemap.xml': urlset('/a', '/b', '/c', `${inner.url}/c`),
      '/a': page('A', `${inner.url}/c`),
      '/b': redirect(`${inner.url}/c`),
      '/c': redirect('http://169.254.169.254/c'),
      '/moved.xml': redirect(`${inner.url}/sitemap.xml`),
    })
    const client = await connect({ allowedHosts: [new URL(site.url).host], starts: true })
    expect(await added(client, `${site.url}/sitemap.xml`)).toMatch(/^kit latest: added\. 1 page,/)
    expect(await added(client, `${site.url}/moved.xml`)).toContain('the address is of this machine')
    expect(inner.requests).toEqual([])
    await client.end()
  })

  test("applies the same rule to stored sources and the project's sources", async () => {
    using site = openSite({ '/sitemap.xml': urlset('/a'), '/a': page('A') })
    const source = sitemapOf(`${site.url}/sitemap.xml`)
    await home.og.add({ library: 'mine', version: null, source, lockTimeoutMs: 10_000 })
    const before = site.requests.length
    const client = await connect({ starts: true })
    const { content } = await client.call('update_library_tool', { library_name: 'mine' })
    expect(content[0].text).toContain('the address is of this machine\nhint: an agent may name')
    writeFiles(home.path, {
      '.openground/sources.json': JSON.stringify({
        listed: { type: 'sitemap', sitemap_url: `${site.url}/sitemap.xml` },
      }),
    })
    const listed = await client.call('add_library_tool', { library_name: 'listed' })
    expect(listed.content[0].text).toContain('the address is of this machine\nhint: an agent may')
    expect(site.requests.length).toBe(before)
    await client.end()
  })
})
