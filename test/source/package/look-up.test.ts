import { describe, expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { cratesRelease } from '../../../src/source/package/crates.ts'
import { goRelease } from '../../../src/source/package/go.ts'
import { lookUpPackage } from '../../../src/source/package/look-up.ts'
import { npmRelease } from '../../../src/source/package/npm.ts'
import { parsePackage } from '../../../src/version/package-name.ts'
import { pypiRelease } from '../../../src/source/package/pypi.ts'
import { openRegistry } from '../../../src/source/package/registry.ts'
import { openSite } from '../../support/servers/site.ts'
import { writeFiles } from '../../support/repository.ts'
import {
  openRegistries,
  type Published,
  type Registries,
} from '../../support/servers/registries.ts'

const told = ({ env }: Registries) => ({
  surroundings: { env, home: '/nowhere', cwd: '/nowhere' },
  sleep: async () => {},
})

const docs = 'https://docs.heron.example/'
const published: Published = {
  repository: 'https://git.heron.example/team/heron.git',
  documentation: docs,
  homepage: docs,
  versions: ['1.1.0', '1.2.0'],
}

async function check(typed: string, expected: object, more: Published = {}) {
  using registries = await openRegistries({ ...published, ...more })
  const { release } = await lookUpPackage(parsePackage(typed)!, told(registries))
  const archive = release.archive?.replace(registries.url, '') ?? null
  expect({ ...release, archive }).toMatchObject(expected)
  return registries
}

const { repository } = published

describe('reading each kind of registry', () => {
  test("reads npm's registry", async () => {
    const newest = await check('npm:heron', {
      version: '1.2.0',
      repository,
      pages: [{ url: docs, isDocumentation: false }],
      archive: '/npm/heron/-/heron-1.2.0.tgz',
    })
    expect(newest.requests).toEqual(['GET /npm/heron/latest'])
    await check('npm:@team/heron@1.1', {
      version: '1.1.0',
      tags: ['1.1.0', '@team/heron@1.1.0', 'heron@1.1.0'],
    })
  })

  test("reads a Python index: JSON and the wheel's metadata file, or HTML and the site's JSON", async () => {
    const expected = {
      version: '1.2.0',
      repository,
      pages: [{ url: docs, isDocumentation: true }],
      archive: '/files/heron-1.2.0.tar.gz',
    }
    const json = await check('pypi:Heron', expected)
    expect(json.requests).toEqual([
      'GET /simple/heron/',
      'GET /files/heron-1.2.0-py3-none-any.whl.metadata',
    ])
    const html = await check('pypi:heron', expected, { isPlainHtml: true })
    expect(html.requests.at(-1)).toBe('GET /pypi/heron/json')
  })

  test('reads a sparse index of crates, without yanked versions', async () => {
    const { requests } = await check('crates:heron', {
      version: '1.2.0',
      repository,
      pages: [{ url: docs, isDocumentation: true }],
      archive: '/crates/dl/heron/1.2.0/download',
    })
    expect(requests).toEqual([
      'GET /crates/he/ro/heron',
      'GET /crates/config.json',
      'GET /crates/dl/heron/1.2.0/download',
    ])
  })

  test('finds the newest compatible version of a crate whose names another crate passes on', async () => {
    using registries = await openRegistries({ ...published, hasRelative: true })
    const { release } = await lookUpPackage(parsePackage('crates:heron')!, told(registries))
    expect(release.relatives).toEqual([`${registries.url}/crates/dl/heron_core/0.5.6/download`])
  })

  test('looks up a module in a Go module proxy', () =>
    check('go:go.heron.example/heron@1.2', {
      version: 'v1.2.0',
      repository,
      tags: ['v1.2.0'],
      archive: '/go/go.heron.example/heron/@v/v1.2.0.zip',
    }))
})

describe('errors of a registry, in one line', () => {
  const refused = async (typed: string, message: RegExp, more: Published = {}) => {
    using registries = await openRegistries({ ...published, ...more })
    await expect(lookUpPackage(parsePackage(typed)!, told(registries))).rejects.toThrow(message)
  }

  test('reports a missing package or version', async () => {
    await refused('npm:egret', /^Cannot find npm:egret: http:.*\/npm\/ has no such package$/)
    await refused('pypi:egret', /^Cannot find pypi:egret: /)
    await refused('crates:egret', /^Cannot find crates:egret: /)
    await refused('go:go.egret.example/x', /^Cannot find go:go.egret.example\/x: /)
    await refused('npm:heron@7', /^Cannot find version "7" of npm:heron in its registry$/)
    await refused('pypi:heron@7', /^Cannot find version "7" of pypi:heron in its registry$/)
  })

  test('reports a required login', () =>
    refused('npm:heron', /^Cannot read ".*\/npm\/heron\/latest": server answered 401$/, {
      authorization: 'Bearer secret',
    }))
})

test('sends a token to its registry, and marks the registry as closed', async () => {
  using registries = await openRegistries({ ...published, authorization: 'Bearer secret' })
  const key = `npm_config_${registries.url.slice('http:'.length)}/npm/:_authToken`
  const env = { ...registries.env, [key]: 'secret' }
  const found = await lookUpPackage(parsePackage('npm:heron')!, told({ ...registries, env }))
  expect(found.registry.isClosed).toBe(true)
})

test('W-63 rejects a private network that a project names', async () => {
  await using temp = await createTempFolder('og-look-up')
  using registries = await openRegistries(published)
  writeFiles(temp.path, { '.npmrc': `registry=${registries.url}/npm/\n` })
  const { npm_config_registry: _, ...env } = registries.env
  const surroundings = { env, home: '/nowhere', cwd: temp.path }
  await expect(lookUpPackage(parsePackage('npm:heron')!, { surroundings })).rejects.toThrow(
    /^Cannot fetch "http:\/\/127.0.0.1:\d+\/npm\/heron\/latest": the address is of this machine$/,
  )
  expect(registries.requests).toEqual([])
})

describe('opening a registry', () => {
  const asked = (typed: string) => parsePackage(typed)!
  const place = (url: string) => ({ url, authorization: null, isStranger: false })

  test('sends requests in the form that each registry expects', async () => {
    using registries = await openRegistries(published)
    const { url } = registries
    const [npm, pypi, crates] = ['npm/', 'simple/', 'crates/'].map((path) =>
      openRegistry(place(`${url}/${path}`), {}),
    )
    expect((await npmRelease(asked('npm:heron@^1'), npm!))?.version).toBe('1.2.0')
    expect((await pypiRelease(asked('pypi:heron@1.1'), pypi!))?.version).toBe('1.1.0')
    expect((await cratesRelease(asked('crates:heron@1'), crates!, {}))?.version).toBe('1.2.0')
    const proxies = [
      { ...place(`${url}/npm/`), isFallible: true },
      { ...place(`${url}/go/`), isFallible: false },
    ]
    const found = await goRelease(
      asked('go:go.heron.example/heron'),
      { proxies, isDirect: false },
      {},
    )
    expect(found?.release.version).toBe('v1.2.0')
    expect(found?.registry.reach.hosts).toEqual([new URL(url).host])
  })

  test('allows a project no private hosts, and a user only the hosts of the registry and its files', () => {
    const own = openRegistry(place('http://u:p@10.0.0.5/simple/'), {})
    expect(own.isClosed).toBe(true)
    expect(own.file('http://10.0.0.6:8080/a.whl')).toBe('http://10.0.0.6:8080/a.whl')
    expect(own.reach).toEqual({ hosts: ['10.0.0.5', '10.0.0.6:8080'], folder: null })
    const theirs = openRegistry({ ...place('http://10.0.0.5/'), isStranger: true }, {})
    theirs.file('http://10.0.0.6/a.whl')
    expect(theirs.reach.hosts).toEqual([])
  })

  test("sends the name and password in the registry's URL, even with a literal percent sign", async () => {
    using server = openSite({
      '/heron/': '<a href="heron-1.0.tar.gz">a</a><a href="a%zz.txt">b</a>',
    })
    const url = `${server.url.replace('://', '://ann:100%@')}/`
    const release = await pypiRelease(asked('pypi:heron'), openRegistry(place(url), {}))
    expect(release?.archive).toBe(`${server.url}/heron/heron-1.0.tar.gz`)
    expect(server.headers.get('/heron/')!.get('authorization')).toBe(`Basic ${btoa('ann:100%')}`)
  })

  test('reports an answer that is not JSON', async () => {
    using server = openSite({ '/heron/latest': '[]', '/egret/latest': '{', '/egret': '{' })
    const registry = openRegistry(place(`${server.url}/`), {})
    await expect(npmRelease(asked('npm:heron'), registry)).rejects.toThrow(
      /: it is not a JSON object$/,
    )
    await expect(npmRelease(asked('npm:egret'), registry)).rejects.toThrow(/: it is not valid JSON/)
  })
})
