/** Adds a site by its address alone with dist/og. */
import { expect, test } from 'bun:test'
import { formats, pageExtensions } from '../../../src/formats/formats.ts'
import { createWorld } from '../../support/e2e.ts'
import { runInProcess } from '../../support/run-og.ts'
import { html, openSite, urlset, type Replies } from '../../support/servers/site.ts'

const page = (title: string, ...links: string[]) =>
  html(title, {
    body: `<p>The valve of ${title} is blue.</p>${links.map((it) => `<a href="${it}">${it}</a>`).join('')}`,
  })
const pages: Replies = {
  '/': page('Home', '/guide/', '/blog/'),
  '/guide/': page('Guide', '/guide/a'),
  '/guide/a': page('Part A'),
  '/blog/': page('Blog'),
}

const saving = { env: { OG_SOURCES__AUTO_ADD_LOCAL: 'true' } }

test('finds the sitemap of a site, reports it, remembers it and reads it again', async () => {
  using site = openSite({ ...pages, '/sitemap.xml': urlset('/', '/guide/', '/guide/a', '/blog/') })
  await using world = await createWorld()
  const added = await world.og(['add', 'heron', '-s', `${site.url}/`, '--json'], saving)
  expect(added.stderr).toMatch(`heron: sitemap ${site.url}/sitemap.xml (4 pages)\n`)
  expect(JSON.parse(added.stdout)).toMatchObject({ pages: 4, version: 'latest' })
  expect((await world.json(['sources', 'heron', '--json'])).entry).toMatchObject({
    type: 'sitemap',
    sitemap_url: `${site.url}/sitemap.xml`,
  })
  // The same address and the same name both refer to the same source.
  for (const again of [
    ['add', 'heron', '-s', site.url],
    ['add', 'heron'],
    ['update', 'heron'],
  ]) {
    const { stdout, stderr, exitCode } = await world.og(again, saving)
    expect(stdout).toMatch(/^heron latest: unchanged/)
    expect(stderr).not.toMatch(/warning/)
    expect(exitCode).toBe(0)
  }
})

test('reads a section of a site without a sitemap by following its links', async () => {
  using site = openSite(pages)
  await using world = await createWorld()
  const args = ['add', 'heron', '-s', `${site.url}/guide/`]
  const { stdout, stderr } = await world.og(args, saving)
  expect(stderr).toContain(
    `heron: links from ${site.url}/guide/ on, at most 2000 pages below it; ` +
      'the site has no sitemap, llms-full.txt or llms.txt that could be used\n',
  )
  expect(stdout).toContain('pages    2 (2 added')
  expect((await world.json(['sources', 'heron', '--json'])).entry).toMatchObject({
    type: 'site',
    site_url: `${site.url}/guide/`,
    below: '/guide/',
  })
  expect((await world.og(['update', 'heron'])).stdout).toBe('heron latest: unchanged (2 pages)\n')
  expect((await world.og([...args, '--only-page'])).stdout).toContain('pages    1 (')
})

test('reports that it has read only one page', async () => {
  using site = openSite({ '/': page('Home') })
  await using world = await createWorld()
  const { stderr, stdout } = await world.og(['add', 'heron', '-s', site.url])
  expect(stderr).toContain(
    'warning: heron is one page: no list of its pages was found, and no ' +
      `links below ${site.url}/\n`,
  )
  expect(stdout).toContain('pages    1 (1 added')
})

test('a dry run reports the source, and indexes nothing', async () => {
  using site = openSite({ ...pages, '/llms.txt': '# H\n\n- [G](/guide/)\n- [A](/guide/a)\n' })
  await using world = await createWorld()
  const args = ['add', `${site.url}/`, '--as', 'heron', '--dry-run']
  await world.check(args, {
    stdout:
      'heron latest: nothing is indexed, this is a dry run\n' +
      `  source   llms.txt ${site.url}/llms.txt (2 pages)\n` +
      ['sitemap.xml', 'sitemap_index.xml', 'llms-full.txt']
        .map((it) => `  passed   ${site.url}/${it}: server answered 404\n`)
        .join('') +
      `  command  og add heron -s ${site.url}/llms.txt\n`,
  })
  expect(await world.json([...args, '--json'])).toMatchObject({
    library: 'heron',
    version: 'latest',
    found: `llms.txt ${site.url}/llms.txt (2 pages)`,
    source: { kind: 'llms_txt' },
    replaces: null,
    passed: { length: 3 },
  })
  await world.check(['list'], { stderr: /No libraries/ })
})

test('fails if a site cannot be reached', async () => {
  using site = openSite({})
  await using world = await createWorld()
  await world.check(['add', 'heron', '-s', site.url], {
    exitCode: 2,
    stderr: /^heron: links from .*\nerror: Cannot add library "heron": no documentation/,
  })
  await world.check(['add', 'heron', '-s', 'http://127.0.0.1:9/'], {
    exitCode: 2,
    stderr: /^error: Cannot (?:reach|fetch) .*127.0.0.1/,
  })
})

const valve = '# Valve\n\nThe valve is blue.\n'
const notebook = JSON.stringify({ cells: [{ cell_type: 'markdown', source: valve }] })

const manual = '.TH VALVE 1\n.SH NAME\nvalve \\- the valve is blue\n.SH DESCRIPTION\nIt is blue.\n'
const api = { openapi: '3.0.0', info: { title: 'Valve', description: 'It is blue.' }, paths: {} }

/** One page per extension; og reads EPUB and docx only from folders and archives. */
const byExtension: Record<string, string> = {
  ...Object.fromEntries(['.json', '.yaml', '.yml'].map((it) => [it, JSON.stringify(api)])),
  ...Object.fromEntries(
    pageExtensions.filter((it) => /^\.(?:\d|man)$/.test(it)).map((it) => [it, manual]),
  ),
  '.mdoc': '.Dd May 1, 2026\n.Dt VALVE 1\n.Os\n.Sh NAME\n.Nm valve\n.Nd the valve is blue\n',
  '.org': '* Valve\nThe valve is blue.\n',
  '.md': valve,
  '.mdx': valve,
  '.markdown': valve,
  '.ipynb': notebook,
  '.txt': 'The valve is blue.',
  '.rst': 'Valve\n=====\n\nThe valve is blue.\n',
  '.adoc': '= Valve\n\nThe valve is blue.\n',
  '.asciidoc': '= Valve\n\nThe valve is blue.\n',
  '.html': '<!doctype html><h1>Valve</h1><p>The valve is blue.',
  '.htm': '<html><h1>Valve</h1><p>The valve is blue.',
}

test('reads every format from the web, recognised by extension or media type', async () => {
  const replies: Replies = {}
  const put = (path: string, extension: string, type: string) =>
    void (replies[path] = () =>
      new Response(byExtension[extension], { headers: { 'content-type': type } }))
  for (const extension of pageExtensions.filter((it) => it in byExtension)) {
    const name = /^\.(?:json|ya?ml)$/.test(extension) ? 'openapi' : 'name'
    put(`/${name}${extension}`, extension, 'application/octet-stream')
  }
  for (const [
    name,
    {
      extensions: [extension = ''],
      mediaTypes,
    },
  ] of Object.entries(formats)) {
    if (!(extension in byExtension)) continue
    mediaTypes.forEach((type, i) => put(`/${name}-${i}`, extension, `${type}; charset=utf-8`))
  }
  const paths = Object.keys(replies)
  using site = openSite({ ...replies, '/': page('Home', ...paths) })
  await using world = await createWorld()
  // In this process, because these are many; the executable then reads all of them at once.
  for (const path of paths) {
    const library = `x${path.replace(/\W+/g, '-')}`
    const added = ['add', library, '-s', site.url + path, '--only-page', '--json']
    const { stdout } = await runInProcess(world.env, added)
    expect([path, JSON.parse(stdout).pages]).toEqual([path, 1])
  }
  expect(await world.json(['add', 'linked', '-s', `${site.url}/`, '--json'])).toMatchObject({
    pages: 1 + paths.length,
    failed: [],
    skipped: [],
  })
}, 120_000)
