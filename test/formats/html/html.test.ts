import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { parseHtml } from '../../../src/formats/html/html.ts'
import type { HtmlPage } from '../../../src/formats/html/html.ts'
import { OgError } from '../../../src/platform/error.ts'

const check = (source: string, text: string) => expect(parseHtml(source, 'x.html').text).toBe(text)

async function checkFixture(name: string, expected: Omit<HtmlPage, 'language'>): Promise<void> {
  const source = await Bun.file(join(import.meta.dir, '../../fixtures/page', name)).text()
  expect(parseHtml(source, name)).toMatchObject(expected)
}

const mkdocs = `# Boiling

A \`Kettle\` heats **water** until it *boils*, see [Pouring](../pouring/#cups).[1](#fn:1)

> **Warning**
>
> Never boil an empty kettle.
>
> - It ends the heater.

## Levels

| Option | Default |
| --- | --- |
| \`"low" \\| "high"\` | low |
| a \\| b<br>or c |  |

heat.py

\`\`\`python
def heat(cups):
    if cups < 1:
        raise Empty
\`\`\`

npm:

\`\`\`
npm i kettle
\`\`\`

pip:

\`\`\`
pip install kettle
\`\`\`

**Why three?**

Two were too few.

3. Fill it.
4. Switch it on:
   - [x] plug
   - [ ] lid

---

1. At sea level.
`

const sphinx = `# \`kettle.heat\` — heating

**Source code:** [heat.py](https://example.org/heat.py)

Added in version 2.0.

> **Note**
>
> Uses [\`Cup\`](cup.html#kettle.Cup).

## Functions

\`kettle.heat.boil(cup, degrees=100)\`

Heats what is in *cup*.

**Parameters:**

- **cup** – the \`Cup\`
- **degrees** (*int*) – how hot

\`\`\`pycon3
>>> boil(Cup())
100

>>> boil(None)
\`\`\`

**limescale**

What hard water leaves.

Degrees

| Tea | Degrees |
| --- | --- |
| green | 80 |

As measured [1]:

\`\`\`
t  = 80
\`\`\`

[1]

By hand.
`

const vitepress = `# Cups beta

A cup is made by [\`defineCup()\`](/api/cup.html), drawn here: ![a cup](/cup.svg)

> **TIP**
>
> Warm it first.
>
> \`\`\`js
> cup.warm()
> \`\`\`

## Lids

\`\`\`ts
export default {
  lid: \`\\\`\\\`\\\`\`

}
\`\`\`

npm:

\`\`\`sh
npm i kettle
\`\`\`

config.yml:

\`\`\`yaml
lid: true
\`\`\`

**More**

Lids close.

> One cup, ~~no~~ lid.
>
> A proverb

| Key | Type |
| --- | --- |
| \`lid\` | \`true \\| false\` |

- black
  - strong
  - weak
- green
`

test('reads the language of the document', () => {
  const language = (head: string) => parseHtml(`${head}<p>Tea`, 'x.html').language
  expect(language('<html lang="pt-BR">')).toBe('pt-BR')
  expect(language('')).toBe(null)
})

test('parses a page of MkDocs Material', () =>
  checkFixture('mkdocs.html', {
    title: 'Boiling',
    description: 'How long water is heated, and when it is not.',
    text: mkdocs,
  }))

test('parses a page of Sphinx', () =>
  checkFixture('sphinx.html', { title: 'kettle.heat — heating', description: null, text: sphinx }))

test('parses a page of VitePress', () =>
  checkFixture('vitepress.html', {
    title: 'Cups beta',
    description: 'Cups and their lids.',
    text: vitepress,
  }))

test('keeps lines and language of code in any markup', () => {
  check('<pre>\n  a\n\n  b\n</pre>', '```\n  a\n\n  b\n```\n')
  check('<pre><code class="language-js">a<br>  b</code></pre>', '```js\na\n  b\n```\n')
  check(
    '<pre data-lang="C++"><div class="line">a</div><div class="line">b</div></pre>',
    '```c++\na\nb\n```\n',
  )
  check('<div class="highlight-source-sh"><pre>a &lt; b</pre></div>', '```sh\na < b\n```\n')
  check('<pre>```\na\n```</pre>', '````\n```\na\n```\n````\n')
  check('a<pre> \n </pre>b', 'a\n\nb\n')
})

test('converts inline markup', () => {
  check(
    'a <b> bold </b><i>it</i> <s>no</s> <a href="x y">li<em>nk</em></a>',
    'a **bold** *it* ~~no~~ [li*nk*](x%20y)\n',
  )
  check(
    '<code>a ` b</code> <kbd>Ctrl</kbd> <code> </code>snake_case*',
    '`` a ` b `` `Ctrl` snake_case*\n',
  )
  check('a <code>```</code>', 'a ```` ``` ````\n')
  check('<a href="javascript:x()">a</a> <a>b</a> <img alt="c" src="data:x">', 'a b c\n')
  check('one<br>two<br><br>three', 'one\ntwo\n\nthree\n')
  check('<a href="x"><h3>Card</h3><p>text</p></a>', '### Card\n\ntext\n')
})

test('escapes text that would open a block', () => {
  check('<p># a</p><p>```</p><p>~~~ b</p>', '\\# a\n\n\\```\n\n\\~~~ b\n')
  check('<p>a<br>===</p><p>b<br>---</p><p>&lt;pre&gt; c</p>', 'a\n\\===\n\nb\n\\---\n\n\\<pre> c\n')
  check('<p>a # b, #tag, a - b</p>', 'a # b, #tag, a - b\n')
})

test('converts layout tables to blocks', () => {
  check('<table><tr><td><h2>A</h2><p>b</p></td><td>c</td></tr></table>', '## A\n\nb\n\nc\n')
  check(
    '<table><tr><td><table><tr><th>a</th></tr><tr><td>b</td></tr></table></td></tr></table>',
    '| a |\n| --- |\n| b |\n',
  )
})

test('removes navigation, buttons and edit links', () => {
  check(
    '<nav>n</nav><main><p>a</p><button>Copy</button><a href="#x">#</a></main><footer>f</footer>',
    'a\n',
  )
  check('<p>a</p><a href="e">Edit this page</a> <a href="e">View on GitHub</a>', 'a\n')
  check('<header>site</header><header><h1>A</h1></header><aside>ad</aside>b', '# A\n\nb\n')
  check('<p>a</p><aside class="callout">b</aside>', 'a\n\n> b\n')
  check('<p hidden>no</p><script>no()</script><style>no{}</style><p>a</p>', 'a\n')
})

test('reads the title from h1, or else og:title, or else the page title without the site name', () => {
  const title = (source: string) => parseHtml(`${source}<p>text</p>`, 'x.html').title
  const head = '<title>Boiling | Kettle</title>'
  const og = '<meta property="og:title" content="From og">'
  expect(title(`${head}${og}<h1> A  <code>b</code> </h1>`)).toBe('A b')
  expect(title(`${head}${og}`)).toBe('From og')
  expect(title(head)).toBe('Boiling')
  expect(title('<title>kettle-heat - a - Kettle</title>')).toBe('kettle-heat - a')
  expect(title('<title>kettle-heat</title>')).toBe('kettle-heat')
  expect(title('')).toBeNull()
})

test('reads the description from the head', () => {
  const { description } = parseHtml(
    '<meta property="og:description" content="a\n b"><p>x',
    'x.html',
  )
  expect(description).toBe('a b')
})

test('rejects pages without content', () => {
  const refused = new OgError('Cannot read page "x.html": HTML without content')
  for (const source of [
    '',
    ' ',
    '<nav>a</nav>',
    '<p>--</p>',
    '<!--a-->',
    '<script>a</script>',
    '<',
  ]) {
    expect(() => parseHtml(source, 'x.html')).toThrow(refused)
  }
})

test('rejects a page with more tags than real pages have before parsing it', () => {
  expect(() => parseHtml('<div>a'.repeat(300_001), 'x.html')).toThrow(
    new OgError('Cannot read page "x.html": HTML of 300001 tags, limit is 300000'),
  )
})

test('reads fragments and documents with content around html', () => {
  check('<p>a</p><p>b</p>', 'a\n\nb\n')
  check('<!-- <html> --><p>a</p><p>b</p>', 'a\n\nb\n')
  check('<p>a</p><html><body><p>b</p></body></html>', 'a\n\nb\n')
})

test('replaces NUL and lone surrogates', () => {
  check('<p>a\0b &#xD800; c</p>', 'a\ufffdb \ufffd c\n')
})
