import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import type { Reach } from '../../../src/platform/reach.ts'
import { openGitGuide, type RouteOptions } from '../../../src/source/git/git-route.ts'
import { resolveSource, sourcePages } from '../../../src/source/pages.ts'
import type { Source } from '../../../src/store/source.ts'
import { serveRepositories } from '../../support/servers/git-server.ts'
import { commit, git } from '../../support/repository.ts'
import { openSite, redirect } from '../../support/servers/site.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-route'))
commit(join(temp.path, 'work'), { 'a.md': '# A\n\nzither\n' })
git(temp.path, 'clone', '--quiet', '--bare', 'work', 'kit.git')
git(join(temp.path, 'kit.git'), 'config', 'uploadpack.allowFilter', 'true')
const forge = disposeAfterAll(serveRepositories(temp.path))
const port = new URL(forge.url).port

const agent = (...hosts: string[]): Reach => ({ hosts, folder: null })
const here = async () => ['127.0.0.1']
const suffix = '/info/refs?service=git-upload-pack'
const movedTo = (url: string) => ({ '/old.git/info/refs': redirect(`${url}${suffix}`) })

/** Returns the page paths of a repository, or the error message. */
async function read(url: string, options: RouteOptions = {}): Promise<string[] | string> {
  const source: Source = { kind: 'git_repo', url, docsPaths: [] }
  const reading = async () => {
    const resolved = await resolveSource(source, { version: null, today: new Date(), ...options })
    const events = await Array.fromAsync(sourcePages(resolved, options))
    return events.flatMap((event) => (event.type === 'page' ? [event.page.path] : []))
  }
  return reading().catch((error: Error) => error.message)
}

describe('a repository entered by a person', () => {
  test('reads a repository in any network, and follows redirects within that network', async () => {
    expect(await read(`${forge.url}/kit.git`)).toEqual(['a.md'])
    using site = openSite(movedTo(`${forge.url}/kit.git`))
    expect(await read(`${site.url}/old.git`)).toEqual(['a.md'])
  })

  test('W-63 rejects a redirect to another kind of network', async () => {
    for (const to of ['http://10.255.255.1/r.git', 'http://169.254.169.254/latest']) {
      using site = openSite(movedTo(to))
      const why = `it redirects to ${to}, and the address is `
      expect(await read(`${site.url}/old.git`)).toStartWith(
        `Cannot read ${site.url}/old.git: ${why}`,
      )
    }
  })

  test('rejects redirects to non-repositories and redirect loops', async () => {
    using site = openSite({
      '/old.git/info/refs': redirect('http://127.0.0.1:1/login'),
      '/ftp.git/info/refs': redirect(`ftp://127.0.0.1:1/x${suffix}`),
      '/a.git/info/refs': redirect(`/b.git${suffix}`),
      '/b.git/info/refs': redirect(`/a.git${suffix}`),
    })
    expect(await read(`${site.url}/old.git`)).toEndWith('http://127.0.0.1:1/login, no repository')
    expect(await read(`${site.url}/ftp.git`)).toEndWith('no repository')
    expect(await read(`${site.url}/a.git`)).toEndWith('more than 10 redirects')
  })

  test('follows a redirect of a URL that git rewrites', async () => {
    using site = openSite(movedTo(`${forge.url}/kit.git`))
    writeFileSync(join(temp.path, 'gitconfig'), `[url "${site.url}/"]\n\tinsteadOf = forge:\n`)
    process.env.GIT_CONFIG_GLOBAL = join(temp.path, 'gitconfig')
    expect(await read('forge:old.git')).toEqual(['a.md'])
    delete process.env.GIT_CONFIG_GLOBAL
  })
})

describe('a repository named by an agent', () => {
  test('reads a repository only from public and allowed hosts', async () => {
    const before = forge.requests.length
    expect(await read(`${forge.url}/kit.git`, { reach: agent() })).toBe(
      `Cannot fetch "${forge.url}/kit.git": the address is of this machine`,
    )
    expect(await read(`${forge.url}/kit.git`, { reach: agent('127.0.0.1:1') })).toContain('machine')
    expect(forge.requests.length).toBe(before)
    expect(await read(`${forge.url}/kit.git`, { reach: agent(`127.0.0.1:${port}`) })).toEqual([
      'a.md',
    ])
  })

  test('W-63 rejects a redirect to a host that is not allowed', async () => {
    using inner = openSite({})
    using site = openSite(movedTo(`${inner.url}/kit.git`))
    const reach = agent(new URL(site.url).host)
    expect(await read(`${site.url}/old.git`, { reach })).toBe(
      `Cannot read ${site.url}/old.git: it redirects to ${inner.url}/kit.git, ` +
        'and the address is of this machine',
    )
    expect(site.requests).toContain(`GET /old.git${suffix}`)
    expect(inner.requests).toEqual([])
  })

  test('follows a redirect to an allowed host', async () => {
    using site = openSite(movedTo(`${forge.url}/kit.git`))
    const reach = agent(new URL(site.url).host, `127.0.0.1:${port}`)
    expect(await read(`${site.url}/old.git`, { reach })).toEqual(['a.md'])
  })

  test('makes git connect to the checked address, even if the name resolves to another later', async () => {
    const reach = agent('docs.example.org')
    const options = { reach, lookup: here }
    expect(await read(`http://docs.example.org:${port}/kit.git`, options)).toEqual(['a.md'])
    expect(await read(`http://DOCS.example.org.:${port}/kit.git`, options)).toEqual(['a.md'])
    let turn = 0
    const rebinding = async () => [turn++ === 0 ? '93.184.216.34' : '127.0.0.1']
    const guide = openGitGuide(
      'https://forge.example.org/r.git',
      { reach: agent(), lookup: rebinding },
      async () => null,
    )
    const { settings } = await guide.first()
    expect(settings).toContain('http.curloptResolve=forge.example.org:443:93.184.216.34')
    expect(settings).toContain('http.followRedirects=false')
  })

  test('rejects a name if one of its addresses is private', async () => {
    const lookup = async () => ['93.184.216.34', 'fd00::1']
    expect(await read('https://forge.example.org/r.git', { reach: agent(), lookup })).toBe(
      'Cannot fetch "https://forge.example.org/r.git": the address (fd00::1) is of a private network',
    )
  })

  test('pins IPv6 in brackets, and needs permission for transports that git resolves itself', async () => {
    const lookup = async () => ['93.184.216.34', '2606:2800:220:1::1']
    const route = (url: string, reach: Reach) =>
      openGitGuide(url, { reach, lookup }, async () => null).first()
    const { settings, protocols } = await route('https://forge.example.org:8443/r.git', agent())
    expect(settings).toContain(
      'http.curloptResolve=forge.example.org:8443:93.184.216.34,[2606:2800:220:1::1]',
    )
    expect(protocols).toBe('http:https')
    for (const url of ['git@github.com:o/r', 'ssh://git@github.com/o/r', 'git://github.com/o/r']) {
      await expect(route(url, agent())).rejects.toThrow('an agent may name it by https only')
    }
    expect((await route('git@github.com:o/r', agent('github.com:22'))).protocols).toBe('ssh')
    expect((await route('git://github.com/o/r', agent('github.com'))).protocols).toBe('git')
  })

  test("checks the URL after the user's git configuration has rewritten it", async () => {
    const rewriting =
      (to: string) =>
      async ([name]: string[]) =>
        name === 'ls-remote' ? to : null
    const first = (url: string, to: string, ...hosts: string[]) =>
      openGitGuide(url, { reach: agent(...hosts), lookup: here }, rewriting(to)).first()
    const url = 'https://github.com/o/r'
    await expect(first(url, 'http://10.0.0.9/o/r')).rejects.toThrow('private network')
    await expect(first(url, 'git@github.com:o/r')).rejects.toThrow('https only')
    expect((await first(url, 'http://10.0.0.9/o/r', '10.0.0.9')).url).toBe('http://10.0.0.9/o/r')
  })

  test('lets the proxy resolve a name that only it knows', async () => {
    const lookup = () => Promise.reject({ code: 'ENOTFOUND' })
    const guide = (proxy: string | null) =>
      openGitGuide('https://forge.example.org/r.git', { reach: agent(), lookup }, async ([name]) =>
        name === 'config' ? proxy : null,
      )
    await expect(guide(null).first()).rejects.toThrow('host name not found')
    expect((await guide('http://proxy:3128\n').first()).settings).toEqual([
      'http.followRedirects=false',
    ])
  })
})
