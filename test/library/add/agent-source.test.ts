import { describe, expect, test } from 'bun:test'
import {
  checkHost,
  checkAgentSource,
  parseAgentSource,
} from '../../../src/library/add/agent-source.ts'
import type { Reach } from '../../../src/platform/reach.ts'
import type { Source } from '../../../src/store/source.ts'
import { privateLookup as lookup } from '../../support/private-addresses.ts'
import {
  html,
  llmsOf,
  openSite,
  readSource,
  redirect,
  shownEvents,
  sitemapOf,
  urlset,
} from '../../support/servers/site.ts'

const reachOf = (hosts: string[] = [], folder: string | null = null): Reach => ({ hosts, folder })
const nothing = { docsPaths: [], cwd: '/project', home: '/home/user', lookup }

/** Checks the kind of a source that an agent requests, or why it is rejected. */
async function check(typed: string, reach: Reach, expected: string) {
  const found = await parseAgentSource(typed, { ...nothing, reach }).then(
    ({ kind }) => kind,
    (error: Error) => error.message,
  )
  expect(found).toContain(expected)
}

test('allows public hosts, and repositories only over https', async () => {
  await check('https://docs.example.org/sitemap.xml', reachOf(), 'sitemap')
  await check('github.com/o/r', reachOf(), 'git_repo')
  await check('http://93.184.216.34/', reachOf(), 'site')
  await check('npm:zod', reachOf(), 'package')
  await check('git@github.com:o/r', reachOf(), 'by https only')
  await check('git@github.com:o/r', reachOf(['github.com']), 'git_repo')
})

test('allows a host in the settings, but only on its port', async () => {
  await check('http://10.0.0.7:8080/', reachOf(['10.0.0.7:8080']), 'site')
  await check('http://10.0.0.7:8081/', reachOf(['10.0.0.7:8080']), 'of a private network')
  await check('http://wiki/sitemap.xml', reachOf(['wiki']), 'sitemap')
  await check('http://inner.example.org/', reachOf(['wiki']), '(10.1.2.3) is of a private network')
  await check('http://10.1.2.3/', reachOf(['inner.example.org']), 'of a private network')
})

test('rejects a local path without looking for it on disk', async () => {
  for (const typed of ['/nowhere', 'github.com/../../nowhere', '~/nowhere', '../nowhere']) {
    await check(typed, reachOf([], '/project'), 'only what lies in /project')
  }
})

describe('a source from a list or the store', () => {
  const local: Source = { kind: 'local_path', path: '/elsewhere' }
  const bundle: Source = { kind: 'git_repo', url: '/project/r.bundle', docsPaths: [] }
  const raw: Source = { kind: 'raw_pages', path: '/project/raw' }

  test('an agent may read a local source in the store again, but not request it', async () => {
    for (const source of [local, bundle, raw]) {
      await checkHost(source, reachOf())
      await expect(checkAgentSource(source, reachOf([], '/project'))).rejects.toThrow(
        'an agent may name',
      )
    }
  })

  test('a remote source in the store must be public or allowed', async () => {
    const url = 'ssh://git@inner.example.org/r.git'
    const source: Source = { kind: 'git_repo', url, docsPaths: [] }
    await expect(checkHost(source, reachOf(), lookup)).rejects.toThrow('by https only')
    await checkHost(source, reachOf(['inner.example.org:22']), lookup)
  })
})

describe('host names that change their address (W-63)', () => {
  /** Returns a lookup that resolves a public address at first, and then one of this machine. */
  function rebinding(): (name: string) => Promise<string[]> {
    const asked = new Map<string, number>()
    return async (name) => {
      const turn = asked.get(name) ?? 0
      asked.set(name, turn + 1)
      return [turn === 0 && name === 'first.example.org' ? '93.184.216.34' : '127.0.0.1']
    }
  }

  test('connects only to the address that was checked', async () => {
    using inner = openSite({ '/a': html('A') })
    const port = new URL(inner.url).port
    const source = sitemapOf(`http://second.example.org:${port}/sitemap.xml`)
    const rebound = rebinding()
    await checkHost(sitemapOf('http://first.example.org/sitemap.xml'), reachOf(), rebound)
    await expect(
      checkHost(sitemapOf('http://first.example.org/sitemap.xml'), reachOf(), rebound),
    ).rejects.toThrow('(127.0.0.1) is of this machine')
    await expect(readSource(source, { reach: reachOf(), lookup: rebound })).rejects.toThrow(
      'the address (127.0.0.1) is of this machine',
    )
    expect(inner.requests).toEqual([])
  })

  test('rejects a rebound host in robots.txt, sitemaps, pages and redirects', async () => {
    using inner = openSite({ '/robots.txt': '', '/x': html('X'), '/x.md': '# X' })
    const port = new URL(inner.url).port
    const away = `http://rebound.example.org:${port}/x`
    using site = openSite({
      '/sitemap.xml': urlset('/a', '/b'),
      '/a': html('A', {
        head:
          `<link rel="alternate" type="text/markdown" href="${away}.md">` +
          `<link rel="alternate" hreflang="de" href="${away}"><link rel="canonical" href="${away}">`,
      }),
      '/b': redirect(away),
      '/llms.txt': `# Kit\n\n- [X](${away})\n- [A](/a)\n`,
    })
    const reach = reachOf([new URL(site.url).host])
    const options = { reach, lookup: async () => ['127.0.0.1'] }
    const events = await readSource(sitemapOf(`${site.url}/sitemap.xml`), options)
    expect(shownEvents(events, site)).toContain('/a: A')
    const more = await readSource(llmsOf(`${site.url}/llms.txt`), options)
    expect(shownEvents(more, site)).toContain('/a: A')
    expect(inner.requests).toEqual([])
  })
})
