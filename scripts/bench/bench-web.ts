/**
 * Measures how fast dist/og reads websites on loopback; JSON on stdout: `node_modules/.bin/bun
 * scripts/bench/bench-web.ts`. The websites are 1,000 pages of about 60 KB, a sitemap of 50 MB with
 * 50,000 URLs, and 150 pages whose answer is 304.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')
const og = join(root, 'dist', 'og')
const home = join(root, 'build', 'bench-web')

async function main(): Promise<void> {
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  const server = startServer()
  const origin = await server.origin
  await timed(['version']) // Unpacks the native libraries.
  const version = await timed(['version'])
  const extract = (path: string, ...more: string[]) =>
    timed(['extract-sitemap', '-s', `${origin}${path}`, '-l', 'bench', ...more])
  const figures = {
    version,
    'extract 1,000 pages': await extract('/1000/sitemap.xml'),
    'read a 50 MB sitemap': await extract('/big.xml', '-f', 'nothing-has-this'),
    'update 150 pages, all 304': await updated(`${origin}/150/sitemap.xml`),
  }
  server.stop()
  rmSync(home, { recursive: true })
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
}

async function timed(args: string[]) {
  const started = performance.now()
  const child = Bun.spawn([og, ...args], {
    env: { HOME: home, PATH: process.env.PATH, OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none' },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const exitCode = await child.exited
  const seconds = (performance.now() - started) / 1000
  const used = child.resourceUsage()!
  return {
    exitCode,
    seconds: Number(seconds.toFixed(2)),
    cpuSeconds: Number((Number(used.cpuTime.total) / 1e6).toFixed(2)),
    peakMegabytes: Math.round(used.maxRSS / 2 ** 20),
  }
}

async function updated(url: string) {
  await timed(['add', 'bench', '-s', url])
  return await timed(['update', 'bench'])
}

/** Runs the server in a separate process, so that it uses no time of the measured one. */
function startServer() {
  const child = Bun.spawn([process.execPath, import.meta.path, 'serve'], { stdout: 'pipe' })
  const reader = child.stdout.getReader()
  const origin = reader.read().then(({ value }) => new TextDecoder().decode(value).trim())
  return { origin, stop: () => child.kill() }
}

function serve(): void {
  const page = samplePage()
  const big = bigSitemap()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/big.xml') return new Response(big)
      const count = Number(/^\/(\d+)\/sitemap\.xml$/.exec(pathname)?.[1] ?? 0)
      if (count > 0) return new Response(sitemap(count))
      if (/\.(md|txt)$/.test(pathname)) return new Response('', { status: 404 })
      const etag = `"${pathname}"`
      if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304 })
      const headers = { 'content-type': 'text/html', etag }
      return new Response(page.replaceAll('PAGE', pathname), { headers })
    },
  })
  process.stdout.write(`${server.url.origin}\n`)
}

function sitemap(count: number): string {
  const locs = Array.from({ length: count }, (_, i) => `<url><loc>p${i}/</loc></url>`)
  return `<urlset>${locs.join('')}</urlset>`
}

function bigSitemap(): Buffer {
  const links = (i: number) =>
    Array.from(
      { length: 9 },
      (_, j) =>
        `<xhtml:link rel="alternate" hreflang="l${j}" ` +
        `href="https://example.org/l${j}/page-${i}/"/>`,
    )
  const urls = Array.from(
    { length: 50_000 },
    (_, i) =>
      `<url><loc>/en/page-${i}/</loc><lastmod>2024-01-01</lastmod>${links(i).join('\n')}` +
      `<changefreq>weekly</changefreq><priority>0.5</priority>${' '.repeat(128)}</url>`,
  )
  return Buffer.from(`<?xml version="1.0"?><urlset>${urls.join('\n')}</urlset>`)
}

/**
 * Writes a page as documentation themes do: a lot of navigation, highlighted code, lists and
 * tables.
 */
function samplePage(): string {
  const repeat = (count: number, text: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => text(i)).join('\n')
  const nav = `<nav><ul>${repeat(
    200,
    (i) =>
      `<li class="md-nav__item"><a href="/docs/p${i}/" class="md-nav__link">` +
      `<span class="md-ellipsis">Page ${i} title</span></a></li>`,
  )}</ul></nav>`
  const section = (i: number) =>
    `<h2 id="s${i}">Section ${i}<a class="headerlink" href="#s${i}">#</a></h2>` +
    `<p>Some <b>text</b> about <code>foo${i}</code> and <a href="/x/${i}">links</a> of PAGE.</p>` +
    `<div class="highlight"><pre><code>${repeat(
      15,
      (j) => `<span class="kn">import</span> <span class="nn">foo${j}</span>`,
    )}</code></pre></div>` +
    `<ul>${repeat(6, (j) => `<li>item <em>${j}</em></li>`)}</ul>` +
    `<table>${repeat(5, (j) => `<tr><td>${i}</td><td>${j}</td></tr>`)}</table>`
  return (
    `<!doctype html><html lang="en"><head><title>PAGE</title></head><body>${nav}<main>` +
    `<article class="md-content__inner"><h1>Title of PAGE</h1>${repeat(15, section)}</article>` +
    `</main><footer>Made with care</footer></body></html>`
  )
}

if (process.argv[2] === 'serve') serve()
else await main()
