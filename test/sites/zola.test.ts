import { expect, test } from 'bun:test'
import { pageSiteOf, partialMatcher, readSite } from '../../src/sites/generators.ts'
import { zola, zolaToMarkdown } from '../../src/sites/zola.ts'
import { parsePage } from '../../src/page/parse.ts'
import { cpuMs } from '../support/pages/cpu-time.ts'

const files: Record<string, string> = {
  'docs/templates/shortcodes/quote.html':
    '{# A quote. #}\n<blockquote>\n\n{{ body | markdown | safe }}\n\n— {{ author }}\n</blockquote>\n',
  'docs/templates/shortcodes/release.md': 'Release {{ number }} of {{name}}',
  'docs/templates/shortcodes/gallery.html': '{% for a in page.assets %}<img>{% endfor %}',
  'docs/templates/shortcodes/pic.html': '<img src="{{ path }}" alt="{{ alt }}">',
  'docs/themes/t/templates/shortcodes/release.md': 'not shown',
  'docs/themes/t/templates/shortcodes/extra.md': 'Extra.',
  'other/templates/shortcodes/foreign.md': 'Foreign.',
}

const read = async (path: string) => files[path] ?? null
const siteOf = (text: string, path = 'docs/config.toml') =>
  readSite(
    { generator: 'zola', path, root: zola.rootOf(path)!, text, paths: Object.keys(files) },
    read,
  )

async function check(source: string, expected: string): Promise<void> {
  const path = 'docs/content/guide/start/page.md'
  const site = pageSiteOf((await siteOf('base_url = "x"'))!, path)
  const page = await parsePage({ bytes: Buffer.from(source), path, url: 'x:/', site })
  const lines = page.text.split('\n').map((line) => line.trimEnd())
  expect(lines.filter((line) => line !== '').join('\n')).toBe(expected)
}

test('recognises the configuration by its base_url', async () => {
  const site = (await siteOf('title = "x"\nbase_url = "https://x"'))!
  expect(site.folders[0]).toBe('docs/content')
  const isPart = partialMatcher(site)
  expect(['docs/templates/page.html', 'docs/themes/t/README.md'].every(isPart)).toBe(true)
  expect(isPart('docs/content/templates/a.md')).toBe(false)
  expect(await siteOf('baseURL = "https://x"')).toBeNull()
  expect(zola.rootOf('zola.toml')).toBe('')
  expect(zola.rootOf('a/other.toml')).toBeNull()
})

test('fills in templates without statements', async () => {
  await check('a {{ release(number=2, name="Lamp") }} b', 'a Release 2 of Lamp b')
  await check('{% quote(author=`Ada`) %}\nSome *text*.\n{% end %}', 'Some *text*.\n— Ada')
  await check('{{ extra() }} {{ foreign() }}', 'Extra. {{ foreign() }}')
})

test('shows the content of other shortcodes', async () => {
  await check('{% tip(title="Do") %}\nx\n{% end %}\nafter', '**Do**\nx\nafter')
  await check('{% wide(class="a") %}\nx {{ extra() }}\n{% end %}', 'x Extra.')
  await check('a {{ youtube(id="abc") }}', 'a [Video](https://www.youtube.com/watch?v=abc)')
  await check('{{ pic(path="a.png", alt="A lamp") }}', 'A lamp')
  await check(
    '{{ admonition(type="tip", text="Mind\\"s") }}{{ gallery() }}',
    'Mind"s{{ gallery() }}',
  )
})

test('keeps template code and malformed calls, and unescapes examples', async () => {
  await check('```\n{{ get_url(path="x") }}\n```', '```\n{{ get_url(path="x") }}\n```')
  await check('`{{ get_url(path="x") }}`', '`{{ get_url(path="x") }}`')
  await check('```\n{{ extra() }}\n```', '```\nExtra.\n```')
  await check('```\n{{/* extra() */}}\n{%/* end */%}\n```', '```\n{{ extra() }}\n{% end %}\n```')
  await check('{{ youtube(id=name) }}', '{{ youtube(id=name) }}')
})

test('makes links to files relative to the page', async () => {
  await check('[a](@/guide/b.md#c)', '[a](../../guide/b.md#c)')
  await check('see [a]\n\n[a]: @/b.md', 'see [a]\n[a]: ../../b.md')
})

test('takes linear time for hostile shortcodes', () => {
  const site = {
    generator: 'zola' as const,
    root: '',
    path: 'a.md',
    bases: [],
    title: null,
    isShared: false,
    variables: new Map([['shortcode:a', 'x {{ body }} y']]),
  }
  const pieces = [
    '{% a() %}',
    '{{ b(',
    '{{ b(x="',
    '{% end %}',
    '{{/* ',
    '`{{ a() }}',
    '{% a() %}{% end %}\n',
    '](@/',
  ]
  const convertAll = () =>
    pieces.forEach((piece) => zolaToMarkdown(piece.repeat(4_000), { path: 'a.md', site }))
  expect(cpuMs(convertAll)).toBeLessThan(3000)
})
