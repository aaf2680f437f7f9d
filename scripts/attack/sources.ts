import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { tarOf } from '../../test/support/pages/tar.ts'
import { packed, page } from './archives.ts'
import type { Arena, Concern } from './arena.ts'

const html = '<html><body><main><h1>Guide</h1><p>A pelican stands here.</p></main></body></html>'

/** Malicious archives and websites, served on loopback. */
export const hostileSources: Concern = {
  what: 'hostile archives and sitemaps',
  async attack(arena) {
    let nAsked = 0
    // This host is on the same machine but the user did not name it: `og` must not send it any
    // request.
    using secret = Bun.serve({
      port: 0,
      hostname: '127.0.0.2',
      fetch: () => {
        nAsked++
        return new Response(html)
      },
    })
    const cases = { ...(await archives()), ...sites(String(secret.url)) }
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        const [, name, ...rest] = new URL(request.url).pathname.split('/')
        return (
          cases[decodeURIComponent(name!)]?.(rest.join('/'), request) ??
          new Response('no', { status: 404 })
        )
      },
    })
    const named = Object.keys(cases)
    while (arena.hasTime()) {
      const name =
        arena.found.rounds < named.length ? named[arena.found.rounds]! : arena.random.one(named)
      if (arena.found.rounds >= named.length) changeArchives(arena, cases)
      const file = /\.(zip|gz|tar|xml)$/.exec(name) ? name : `${name}/sitemap.xml`
      const source = `${server.url}${encodeURIComponent(file).replaceAll('%2F', '/')}`
      const limitMs = name === 'many.tar' ? 600_000 : undefined
      await arena.og(name, ['add', 'hostile', '-s', source, '-v', '1', '--force'], { limitMs })
      arena.round()
      if (nAsked > 0) arena.fail(name, 'an address of a private host that a page named was asked')
      nAsked = 0
      for (const path of ['escaped.md', 'cwd/escaped.md', 'home/escaped.md', '../escaped.md']) {
        if (existsSync(join(arena.folder, path))) arena.fail(name, `${path} was written`)
      }
      const list = await arena.og(name, ['list', '--json'])
      if (list.exitCode !== 0) arena.fail(name, `afterwards og list: ${list.stderr}`)
    }
  },
}

type Reply = (path: string, request: Request) => Response
type Cases = Record<string, Reply>

const whole =
  (bytes: Uint8Array): Reply =>
  () =>
    new Response(bytes as Uint8Array<ArrayBuffer>)

/** Makes a large archive for its first request. */
function whenRequested(make: () => Uint8Array): Reply {
  let reply: Reply | null = null
  return (...request) => (reply ??= whole(make()))(...request)
}

async function archives(): Promise<Cases> {
  const good = zipSync({ 'docs/a.md': page, 'docs/b.md': page })
  const names = [
    '../escaped.md',
    '/escaped.md',
    '../../home/escaped.md',
    'a\0b.md',
    'c:\\escaped.md',
  ]
  const many = () =>
    Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`d/${at}.md`, page]))
  const bomb = () => ({ 'a.md': page, 'bomb.md': new Uint8Array(400 * 2 ** 20) })
  return {
    'names.zip': whole(zipSync(Object.fromEntries(names.map((name) => [name, page])))),
    'many.zip': whenRequested(() => zipSync(many(), { level: 1 })),
    'many.tar': () =>
      new Response(
        tarOf(
          Array.from(
            { length: 200_000 },
            (_, at) => [`d/${at}.md`, `# Page ${at}\n\nA pelican stands at ${at * 31}.\n`] as const,
          ),
        ),
      ),
    'lines.zip': whenRequested(() => zipSync({ 'a.mdx': Buffer.from('a\n'.repeat(4_000_000)) })),
    'tags.zip': whenRequested(() =>
      zipSync({ 'a.html': Buffer.from('<p>Some words. </p>\n'.repeat(145_000)) }),
    ),
    'bomb.zip': whenRequested(() => zipSync(bomb(), { level: 6 })),
    'cut.zip': whole(good.subarray(0, good.length - 30)),
    'empty.zip': whole(new Uint8Array(0)),
    'good.zip': whole(good),
    'names.tar.gz': whole(gzipSync(await packed(names.map((name) => ({ name }))))),
    'links.tar.gz': whole(
      gzipSync(
        await packed([
          { name: 'a.md', type: 'symlink', linkname: '/etc/passwd' },
          { name: 'b.md', type: 'link', linkname: '../../escaped.md' },
          { name: 'c', type: 'character-device' },
          { name: 'd.md' },
        ]),
      ),
    ),
    'bomb.tar.gz': whenRequested(() => gzipSync(Buffer.alloc(300 * 2 ** 20))),
    'twice.tar.gz': whole(gzipSync(gzipSync(await packed([{ name: 'a.md' }])))),
    'good.tar.gz': whole(gzipSync(await packed([{ name: 'a.md' }, { name: 'b.md' }]))),
  }
}

/** Changes random bytes of valid archives; used in all rounds of a case except the first. */
function changeArchives(arena: Arena, cases: Cases): void {
  const sound = zipSync({ 'docs/a.md': page, 'docs/b.md': page })
  for (let n = 1 + arena.random.below(6); n > 0; n--) {
    sound[arena.random.below(sound.length)] = arena.random.below(256)
  }
  cases['good.zip'] = whole(sound)
  const tarred = readFileSync(import.meta.path)
  tarred[arena.random.below(tarred.length)] = 0
  cases['good.tar.gz'] = whole(gzipSync(tarred))
}

const xml =
  (body: string): Reply =>
  () =>
    new Response(`<?xml version="1.0"?>${body}`, { headers: { 'content-type': 'application/xml' } })
const urlset = (...locs: string[]) =>
  `<urlset>${locs.map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`

/** Websites by name: each returns the answer to `/NAME/PATH`. */
function sites(secret: string): Cases {
  const pages =
    (map: Reply, other: Reply = () => answered(html)): Reply =>
    (path, request) =>
      path === 'sitemap.xml'
        ? map(path, request)
        : path === 'robots.txt'
          ? new Response('no', { status: 404 })
          : other(path, request)
  const at = (request: Request, path: string) => new URL(path, request.url).href
  const entities = Array.from(
    { length: 9 },
    (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`,
  ).join('')
  const growing: Reply = (path, request) => {
    const next = at(request, `${path}x.xml`)
    return xml(`<sitemapindex><sitemap><loc>${next}</loc></sitemap></sitemapindex>`)(path, request)
  }
  return {
    laughs: pages(xml(`<!DOCTYPE a [<!ENTITY a0 "ha">${entities}]><urlset>&a9;</urlset>`)),
    outside: pages(
      xml('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset>&x;</urlset>'),
    ),
    index: growing,
    deep: pages(xml('<urlset>'.repeat(100_000))),
    long: pages(xml(`<urlset><url><loc>${'a'.repeat(20_000_000)}</loc></url></urlset>`)),
    bomb: pages(() => new Response(gzipSync(`<urlset>${' '.repeat(300 * 2 ** 20)}`))),
    endless: pages(() => new Response(endless('<url><loc>/a</loc></url>'.repeat(2000)))),
    places: pages(
      xml(
        urlset(
          'file:///etc/passwd',
          'javascript:alert(1)',
          `${secret}a`,
          'http://169.254.169.254/',
          'http://[::1]/',
          'http://0x7f000002/',
          'http://127.1/',
          'ftp://x/y',
          'http://user:pw@127.0.0.2/',
          '\u202e',
        ),
      ),
    ),
    redirects: pages(
      (path, request) => xml(urlset(at(request, 'go')))(path, request),
      () => Response.redirect(`${secret}b`),
    ),
    pages: pages(
      (path, request) =>
        xml(urlset(...['endless', 'bomb', 'good'].map((name) => at(request, name))))(path, request),
      (path) =>
        path === 'endless'
          ? new Response(endless('<p>word '.repeat(5000)), asHtml)
          : path === 'bomb'
            ? new Response(gzipSync(Buffer.alloc(200 * 2 ** 20, '<b>')), {
                headers: { ...asHtml.headers, 'content-encoding': 'gzip' },
              })
            : answered(html),
    ),
    lies: pages(
      () => new Response(deflateRawSync('no'), { headers: { 'content-encoding': 'gzip' } }),
    ),
  }
}

const asHtml = { headers: { 'content-type': 'text/html' } }
const answered = (text: string) => new Response(text, asHtml)

/** A body that never ends, produced as fast as the client reads it. */
function endless(piece: string): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.from(piece)) })
}
