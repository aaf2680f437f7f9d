import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWeb, type WebOptions, type WebRequest } from '../../../src/platform/web/web.ts'
import { serveLocal } from '../../support/servers/serve-local.ts'

const limits = { sizeBytes: 1000, timeoutMs: 60_000 }
/** Key and certificate of docs.test, valid for a hundred years, trusted by nobody. */
const pem = readFileSync(join(import.meta.dir, '../..', 'fixtures', 'docs-test.pem'), 'utf8')

type Reply = (request: Request) => Response

/**
 * Fetches `path` from a host name that resolves to this machine; SERVER is its address with the
 * port.
 */
async function check(
  { path, reply, tls }: { path: string; reply: Reply; tls?: boolean },
  expected: string,
  more: Partial<WebOptions> & { request?: WebRequest } = {},
): Promise<void> {
  const { request = {}, ...options } = more
  const secure = tls ? { tls: { key: pem, cert: pem } } : {}
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', ...secure, fetch: reply })
  const origin = `${tls ? 'https' : 'http'}://docs.test:${server.port}`
  const web = openWeb({ userAgent: 'test', lookup: async () => ['127.0.0.1'], env: {}, ...options })
  await web.trust(origin)
  const text = await web
    .fetch(origin + path, { attempts: 1, ...request }, async (answer) => {
      const body = Buffer.from(await answer.bytes(limits)).toString()
      return `${answer.status} ${answer.url} ${answer.location ?? body}`
    })
    .catch(String)
  expect(text.replaceAll(origin, 'SERVER').replace(/^\w*Error: /, '')).toBe(expected)
}

const host: Reply = (request) => new Response(`host ${request.headers.get('host')!.split(':')[0]}`)
const to =
  (location: string): Reply =>
  (request) =>
    new URL(request.url).pathname === '/a'
      ? new Response(null, { status: 307, headers: { location } })
      : host(request)

describe('connects to the checked address', () => {
  test('sends the requested host name', () =>
    check({ path: '/', reply: host }, '200 SERVER/ host docs.test'))

  test('checks the TLS certificate against the requested host name', async () => {
    await check({ path: '/', reply: host, tls: true }, '200 SERVER/ host docs.test', { ca: pem })
    await check(
      { path: '/', reply: host, tls: true },
      'Cannot fetch "SERVER/": self signed certificate',
    )
  })

  test('tries the next address if one does not answer', () =>
    check({ path: '/', reply: host }, '200 SERVER/ host docs.test', {
      lookup: async () => ['::1', '127.0.0.1'],
    }))

  test('looks up a name only once', async () => {
    let count = 0
    const lookup = async () => (count++, ['127.0.0.1'])
    await check({ path: '/a', reply: to('/b') }, '200 SERVER/b host docs.test', { lookup })
    expect(count).toBe(1)
  })
})

describe('redirects', () => {
  const refused = 'the address is'
  test('follows redirects with a relative URL', () =>
    check({ path: '/a', reply: to('b#top') }, '200 SERVER/b host docs.test'))
  test('W-63: follows no redirect to a link-local address', () =>
    check(
      { path: '/a', reply: to('http://169.254.169.254/latest') },
      `Cannot fetch "http://169.254.169.254/latest": ${refused} link-local`,
    ))
  test('W-63: follows no redirect to a name with a link-local address', () =>
    check(
      { path: '/a', reply: to('http://rebound.test/x') },
      'Cannot fetch "http://rebound.test/x": the address (10.0.0.1) is of a private network',
      { lookup: async (name) => [name === 'docs.test' ? '127.0.0.1' : '10.0.0.1'] },
    ))
  test('rejects redirects in a circle, and more than ten in a row', async () => {
    await check(
      { path: '/a', reply: to('/a') },
      'Cannot fetch "SERVER/a": it redirects in a circle',
    )
    let n = 0
    await check(
      { path: '/x', reply: () => Response.redirect(`/${n++}`) },
      'Cannot fetch "SERVER/x": more than 10 redirects',
    )
  })
  test('follows no redirect to another scheme', () =>
    check({ path: '/a', reply: to('ftp://x/') }, 'Cannot fetch "SERVER/a": it redirects to ftp:'))
  test('follows a redirect only if the caller agrees', () =>
    check({ path: '/a', reply: to('/b') }, '307 SERVER/a SERVER/b', {
      request: { mayFollow: async () => false },
    }))
  test('sends secrets only to their own host after a redirect', async () => {
    const reply: Reply = (request) =>
      new URL(request.url).pathname === '/a'
        ? Response.redirect(`http://other.test:${new URL(request.url).port}/b`)
        : new Response(String(request.headers.get('authorization')))
    const headers = (url: URL): Record<string, string> =>
      url.hostname === 'docs.test' ? { authorization: 'secret' } : {}
    using server = serveLocal(reply)
    const web = openWeb({ userAgent: 'test', lookup: async () => ['127.0.0.1'], env: {} })
    await web.trust('http://docs.test')
    const text = await web.fetch(`http://docs.test:${server.port}/a`, { headers }, async (answer) =>
      Buffer.from(await answer.bytes(limits)).toString(),
    )
    expect(text).toBe('null')
  })
})

test('W-26: reads proxies from the environment, and lets the proxies look up names', async () => {
  using proxy = serveLocal((request) => new Response(`proxied ${request.url}`))
  const module = new URL('../../../src/platform/web/web.ts', import.meta.url).href
  const script = `import { openWeb } from ${JSON.stringify(module)}
    const web = openWeb({ userAgent: 'test' })
    const limits = ${JSON.stringify(limits)}
    const read = async (answer) => Buffer.from(await answer.bytes(limits)).toString()
    console.log(await web.fetch('http://docs.invalid/a', {}, read))
    console.log(await web.fetch('http://10.0.0.1/', {}, read).catch((error) => error.message))`
  const child = Bun.spawn([process.execPath, '-e', script], {
    env: { PATH: process.env.PATH, HTTP_PROXY: proxy.url.origin },
  })
  expect(await new Response(child.stdout).text()).toBe(
    'proxied http://docs.invalid/a\n' +
      'Cannot fetch "http://10.0.0.1/": the address is of a private network\n',
  )
})
