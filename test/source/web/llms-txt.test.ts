import { describe, expect, test } from 'bun:test'
import type { SitemapFilter } from '../../../src/store/source.ts'
import {
  html,
  knownBy,
  llmsOf,
  openSite,
  readSource,
  shownEvents,
  status,
  type Replies,
} from '../../support/servers/site.ts'

type Expected = string[] | { filter: Partial<SitemapFilter>; is: string[] }

async function check(name: string, replies: Replies, expected: Expected) {
  using site = openSite(replies)
  const { filter, is } = Array.isArray(expected) ? { filter: {}, is: expected } : expected
  const events = await readSource(llmsOf(`${site.url}/${name}`, filter))
  expect(shownEvents(events, site)).toEqual(is)
  return { site, events }
}

describe('llms.txt', () => {
  const index = `# Kettle\n\n> All of it\n\n- [A](/a.md): first\n- [B [x]](b): second
* <https://example.org/c>
- [Full](/llms-full.txt)\n\n\`\`\`md\n- [Code](/code.md)\n\`\`\`\n\n## Optional\n\n- [A again](/a.md#x)\n`
  const pages = { '/a.md': '# A\n', '/b': html('B'), '/llms.txt': index }

  test('yields the listed pages', async () => {
    using site = openSite(pages)
    const host = new URL(site.url).host
    expect(shownEvents(await readSource(llmsOf(`${site.url}/llms.txt`)), site)).toEqual([
      `-https://example.org/c: not on ${host}`,
      '-/llms-full.txt: all pages in one file',
      '/a.md: A',
      '/b: B',
    ])
  })

  test('filters by keyword and robots.txt', async () => {
    const { site } = await check(
      'llms.txt',
      {
        ...pages,
        '/llms.txt': '- [A](/a.md)\n- [B](/b)\n- [C](/c)\n',
        '/robots.txt': 'User-agent: og\nDisallow: /b',
      },
      {
        filter: { exclude: ['c'] },
        is: ['-/c: excluded by "c"', '/a.md: A', '-/b: its robots.txt disallows it'],
      },
    )
    expect(site.requests).not.toContain('GET /b')
  })

  test('keeps the pages of another llms.txt that cannot be read now', async () => {
    const replies: Replies = {
      '/llms.txt': '- [Docs](/docs/llms.txt)\n- [A](/a.md)\n',
      '/a.md': '# A\n',
      '/docs/llms.txt': '- [B](b.md)\n',
      '/docs/b.md': '# B\n',
    }
    using site = openSite(replies)
    const source = llmsOf(`${site.url}/llms.txt`)
    const known = knownBy(await readSource(source))
    replies['/docs/llms.txt'] = status(500)
    expect(shownEvents(await readSource(source, { before: known }), site)).toEqual([
      '!/docs/llms.txt: server answered 500',
      '=/a.md',
      '!/docs/b.md: the list /docs/llms.txt could not be read',
    ])
  })

  test('follows other llms.txt files, even in a cycle', async () => {
    await check(
      'llms.txt',
      {
        '/llms.txt': '- [Docs](/docs/llms.txt)\n- [A](/a.md)\n',
        '/a.md': '# A\n',
        '/docs/llms.txt': '- [B](b.md)\n- [Up](/llms.txt)\n- [Gone](/gone/llms.txt)\n',
        '/docs/b.md': '# B\n',
      },
      ['!/gone/llms.txt: server answered 404', '/a.md: A', '/docs/b.md: B'],
    )
  })
})

const operation = (path: string) =>
  `  ${path}:\n    get:\n      summary: Get ${path}\n      responses: {}\n`

test('keeps all operations of a linked OpenAPI description that is unchanged or fails', async () => {
  const described = `openapi: 3.0.0\ninfo: {title: Tea, version: '1'}\npaths:\n${operation('/a')}`
  const answer = () => new Response(described, { headers: { 'content-type': 'text/yaml' } })
  const replies: Replies = { '/llms.txt': '- [API](/openapi.yaml)\n', '/openapi.yaml': answer }
  using site = openSite(replies)
  const source = llmsOf(`${site.url}/llms.txt`)
  const pages = await readSource(source)
  const urls = pages.flatMap((event) => (event.type === 'page' ? [event.page.url] : []))
  expect(urls).toHaveLength(2)
  const [file, part] = urls.map((url) => url.slice(site.url.length))
  const again = () => readSource(source, { before: knownBy(pages) })
  expect(shownEvents(await again(), site)).toEqual([`=${file}`, `=${part}`])
  replies['/openapi.yaml'] = status(500)
  expect(shownEvents(await again(), site)).toEqual([`!${file}: server answered 500`, `=${part}`])
})

test('does not ask for llms.txt with the validators of a linked page', async () => {
  const dated = (text: string) => (request: Request) =>
    request.headers.has('if-modified-since')
      ? new Response(null, { status: 304 })
      : new Response(text, { headers: { 'last-modified': 'Tue, 24 Nov 2026 00:00:00 GMT' } })
  const replies: Replies = { '/llms.txt': dated('- [A](/a.md)\n'), '/a.md': dated('# A\n') }
  using site = openSite(replies)
  const source = llmsOf(`${site.url}/llms.txt`)
  const known = knownBy(await readSource(source))
  replies['/a.md'] = '# Another\n'
  expect(shownEvents(await readSource(source, { before: known }), site)).toEqual(['/a.md: Another'])
})

describe('llms-full.txt', () => {
  test('splits llms-full.txt at source URLs', () =>
    check(
      'llms-full.txt',
      {
        '/llms-full.txt':
          '# Kettle\nSource: https://example.org/kettle\n\nIt boils.\n\n```\n# no\n```\n' +
          '\n# Pot\nSource: https://example.org/pot\n\nIt brews.\n\n# Inside the pot\n',
      },
      ['https://example.org/kettle: Kettle', 'https://example.org/pot: Pot'],
    ))

  test('splits llms-full.txt at front matter', () =>
    check(
      'llms-full.txt',
      {
        '/llms-full.txt':
          '---\nurl: /kettle.md\n---\n\n# Kettle\n\nA\n\n---\n\nstill\n\n' +
          '---\nurl: "/pot.md"\ntitle: The pot\n---\nB\n',
      },
      ['/kettle.md: Kettle', '/pot.md: The pot'],
    ))

  test('resolves links relative to each page', async () => {
    using site = openSite({
      '/llms-full.txt': '# Pot\nSource: /guide/pot/\n\nA [lid](../lid) fits.\n',
    })
    const [event] = await readSource(llmsOf(`${site.url}/llms-full.txt`))
    expect(event).toMatchObject({ page: { url: `${site.url}/guide/pot/` } })
    expect(event).toMatchObject({
      page: { text: expect.stringContaining(`A [lid](${site.url}/guide/lid) fits.`) },
    })
  })

  test('splits llms-full.txt at headings', () =>
    check('llms-full.txt', { '/llms-full.txt': '# Kettle\n\nA\n\n# Pot!\n\nB\n\n# Pot!\n\nC\n' }, [
      '/llms-full.txt#kettle: Kettle',
      '/llms-full.txt#pot: Pot!',
      '/llms-full.txt#pot-2: Pot!',
    ]))

  test('reports each unchanged page once if text precedes the first heading', async () => {
    using site = openSite({ '/llms-full.txt': 'Tea\n\n# Kettle\n\nA\n\n# Pot\n\nB\n' })
    const source = llmsOf(`${site.url}/llms-full.txt`)
    const known = knownBy(await readSource(source))
    const names = ['', '#kettle', '#pot']
    expect(shownEvents(await readSource(source, { before: known }), site)).toEqual(
      names.map((name) => `=/llms-full.txt${name}`),
    )
  })

  test('reads an llms-full.txt with a single page', () =>
    check('llms-full.txt', { '/llms-full.txt': 'Just text about a kettle.\n' }, [
      '/llms-full.txt: Llms Full',
    ]))

  test('detects an unchanged file by ETag, and unchanged pages by hash', async () => {
    const text = (pot: string) => `# Kettle\n\nA\n\n# Pot\n\n${pot}\n`
    const replies: Replies = {
      '/llms-full.txt': (request) =>
        request.headers.get('if-none-match') === '"1"'
          ? new Response(null, { status: 304 })
          : new Response(text('one'), { headers: { etag: '"1"' } }),
    }
    using site = openSite(replies)
    const source = llmsOf(`${site.url}/llms-full.txt`)
    const known = knownBy(await readSource(source))
    const address = (name: string) => `/llms-full.txt#${name}`
    expect(shownEvents(await readSource(source, { before: known }), site)).toEqual([
      `=${address('kettle')}`,
      `=${address('pot')}`,
    ])
    replies['/llms-full.txt'] = () => new Response(text('two'))
    expect(shownEvents(await readSource(source, { before: known }), site)).toEqual([
      `=${address('kettle')}`,
      `${address('pot')}: Pot`,
    ])
  })
})

describe('rejects other files in one line', () => {
  const bad = (name: string, reply: Replies[string], reason: string) =>
    test(name, async () => {
      using site = openSite({ '/llms.txt': reply })
      await expect(readSource(llmsOf(`${site.url}/llms.txt`))).rejects.toThrow(
        `Cannot read "${site.url}/llms.txt": ${reason}`,
      )
    })

  bad('rejects a web page', html('Not found'), 'it is a web page')
  bad('rejects an empty file', ' \n', 'it is empty')
  bad('rejects a 404', () => new Response('', { status: 404 }), 'server answered 404')
})
