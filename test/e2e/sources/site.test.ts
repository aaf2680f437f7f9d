import { expect, test } from 'bun:test'
import { createWorld } from '../../support/e2e.ts'
import { html, openSite, redirect, status, urlset } from '../../support/servers/site.ts'

test('indexes a site by its sitemap within the limits, and searches it offline', async () => {
  // One thread would not parse this many pages.
  const names = Array.from({ length: 40 }, (_, i) => `/guide/p${i}`)
  const page = (name: string) =>
    html(`Page ${name}`, { body: `<p>The valve of ${name} is blue.</p>` })
  const site = openSite({
    '/sitemap.xml': urlset(...names, '/blog/x', '/secret/y', 'http://10.0.0.1/', '/guide/gone'),
    '/robots.txt': 'User-agent: og\nDisallow: /secret/',
    ...Object.fromEntries(names.map((name) => [name, page(name)])),
    '/guide/away': redirect('http://169.254.169.254/'),
  })
  await using world = await createWorld()
  const args = ['add', 'kettle', '-s', `${site.url}/sitemap.xml`, '--exclude', 'blog', '--json']
  const added = await world.json(args)
  expect(added).toMatchObject({ version: 'latest', status: 'added', pages: 40, failed: [] })
  expect(added.skipped.map(({ reason }: { reason: string }) => reason).sort()).toEqual([
    'excluded by "blog"',
    'its robots.txt disallows it',
    `not on ${new URL(site.url).host}`,
    'server answered 404',
  ])
  expect(site.nAtOnce).toBeLessThanOrEqual(8)
  expect(site.requests.filter((request) => request.includes('secret'))).toEqual([])
  expect(await world.json(['update', 'kettle', '--json'])).toMatchObject({
    results: [{ status: 'unchanged', pages: 40 }],
    failures: [],
  })
  site[Symbol.dispose]()
  const asked = await world.json(['query', 'valve of p17', '-l', 'kettle', '--json'])
  expect(asked.hits[0].url).toBe(`${site.url}/guide/p17`)
  await world.check(['list'], { stdout: /kettle +latest +40 .*sitemap\.xml\n$/ })
})

test('reports failed pages and exits with 1', async () => {
  using site = openSite({ '/sitemap.xml': urlset('/a', '/b'), '/a': html('A'), '/b': status(403) })
  await using world = await createWorld()
  const ran = await world.og(['add', 'kettle', '-s', `${site.url}/sitemap.xml`])
  expect(ran.stdout).toContain(`Failed: ${site.url}/b: server answered 403\n`)
  expect(ran.exitCode).toBe(1)
})

test('reports an unreadable source in one line, and changes nothing', async () => {
  using site = openSite({
    '/html.xml': html('Welcome'),
    '/bomb.xml': '<!DOCTYPE l [<!ENTITY a "a">]><urlset>&a;</urlset>',
    '/away.xml': redirect('http://169.254.169.254/latest/meta-data/'),
    '/docs.zip': 'no archive at all',
  })
  await using world = await createWorld()
  const refused = async (path: string, message: string) =>
    world.check(['add', 'kettle', '-s', site.url + path], {
      exitCode: 2,
      stderr: new RegExp(`^error: ${message}\n(hint: .*\n)?$`),
    })
  await refused('/html.xml', 'Cannot read sitemap ".*": it is a web page')
  await refused('/bomb.xml', 'Cannot read sitemap ".*": it declares a document type.*')
  await refused('/away.xml', 'Cannot fetch "http://169.254.169.254/.*": the address is link-local')
  await refused('/docs.zip', 'Cannot read ".*": it is cut off')
  await world.check(['list'], { stderr: /No libraries/ })
})
