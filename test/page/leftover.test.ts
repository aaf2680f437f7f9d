import { expect, test } from 'bun:test'
import { countPageLeftovers } from '../../src/page/leftover.ts'
import { rstToMarkdown } from '../../src/formats/rst/rst-markdown.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'

type Kind = 'includes' | 'absent' | 'shortcodes' | 'components' | 'empty' | 'fileTitle'

const filler = '\n\nA page with enough words that nobody would call it almost empty.\n'

function counts(text: string, title = 'A title') {
  const page = countPageLeftovers({
    path: 'guide/read-files.md',
    title,
    text: text + filler,
    markup: 'markdown',
  })
  const kinds: Kind[] = ['includes', 'absent', 'shortcodes', 'components', 'empty', 'fileTitle']
  return Object.fromEntries(
    kinds.filter((kind) => page[kind] > 0).map((kind) => [kind, page[kind]]),
  )
}

test('counts includes that were not expanded', () => {
  const includes = [
    '{{#include x.rs}}',
    '  --8<-- "x.py:part"',
    '<<< @/x.js',
    '{* ../x.py *}',
    '[!code-csharp[](x.cs)]',
    '[!include[A](x.md)]',
    'include::x.adoc[]',
    'snippet::a.b.Kettle[tags="x"]',
    '@@snip [x.scala](/x.scala) { #part }',
    '.. literalinclude:: x.py',
    '.. doxygenclass:: Kettle',
    '```\n(The file x.rs lacks the part that the site shows here.)\n```',
  ]
  for (const text of includes) expect(counts(text)).toEqual({ includes: 1 })
})

test('counts missing included files separately', () => {
  const line = '(The source lacks the file a (b)/x.adoc, which the site shows here.)'
  expect(counts(`${line}\n\n${line}`)).toEqual({ absent: 2 })
})

test('counts shortcodes and macros', () => {
  const shortcodes = [
    '{{< note >}}',
    '{{% tab %}}',
    '{% tip %}',
    '{{ code_block("x") }}',
    '::tip',
    ':read-more{to="/x"}',
    '[A](#tab/a)',
    'javadoc:a.B[]',
    '[a](xref:b)',
    '<doc:Page>',
    '{url-docs}',
    '{version-tool}',
    'see @ref a_page',
    '\\ref a::b()',
    '\\code{.c}',
    '@endcode',
    '```{r, echo=FALSE}\nx\n```',
    '```ts\n// @twoslash-cache: {"a"}\nx\n```',
  ]
  for (const text of shortcodes) expect(counts(text)).toEqual({ shortcodes: 1 })
})

test('counts components and imports', () => {
  expect(counts('<Tip>\ntext\n</Tip>')).toEqual({ components: 1 })
  expect(counts('<Badge text="x" />')).toEqual({ components: 1 })
  expect(counts("import X from './include/x.mdx'")).toEqual({ components: 1 })
})

test('does not count examples in code, type parameters, or braces in prose', () => {
  const text =
    '````md\n```{r}\n```\n````\n`@ref a` \\ref{a} a@ref.org @code\\refs [!NOTE]\n' +
    '```\n{{< note >}}\n<Tip></Tip>\n```\n`{{% x %}}` Array<T> {a} {{ x }} std::io C::D\n'
  expect(counts(text)).toEqual({})
})

test('counts pages with almost no text, and titles that come from the file name alone', () => {
  const short = { path: 'a.md', title: 'B', text: '# B\n', markup: 'markdown' as const }
  expect(countPageLeftovers(short)).toMatchObject({ empty: 1, example: 'almost no text' })
  expect(counts('# Opening\n\n## Closing', 'Read Files')).toEqual({ fileTitle: 1 })
  expect(counts('## A section below a title in front matter', 'Read Files')).toEqual({})
  expect(counts('# How to read files\n\n## Closing', 'Read Files')).toEqual({})
  expect(counts('No heading', 'Read Files')).toEqual({})
})

test('takes time proportional to the length of the page', () => {
  for (const piece of [
    '{{',
    '{% a',
    '<A ',
    '::a{',
    'xref:',
    '[!code',
    '`',
    'import a from ',
    '-8<-',
  ]) {
    const started = usedCpuMs()
    countPageLeftovers({ path: 'a.md', title: 'B', text: piece.repeat(30_000), markup: 'markdown' })
    expect(usedCpuMs() - started).toBeLessThan(2000)
  }
})

test('names each leftover by its component, shortcode or directive', () => {
  const names = (text: string) =>
    countPageLeftovers({ path: 'a.md', title: 'A', text: text + filler, markup: 'markdown' }).names
  expect(
    names('{{< note >}}\n{{#include x.rs}}\n--8<-- "x.py"\n<a-b c />\n<Yes/>\n</Row.A>'),
  ).toEqual(['include', '--8<--', 'note', 'Row.A', 'a-b', 'Yes'])
  const rst = '.. autosource::\n\n   text\n\n.. figure:: a.png\n\n.. c:autodoc:: b\n'
  expect(names(rstToMarkdown(rst))).toEqual(['autosource', 'c:autodoc'])
  const code = '```{frobnicate} x\na\n```\n\n```{.python}\nb\n```\n'
  expect(names(code)).toEqual(['frobnicate'])
  expect(names('@Snippet(path: "a")\n\n@dontinclude a.c\n')).toEqual(['Snippet', 'dontinclude'])
  expect(names('gist::12[tab=2]\n\nstd::vec a[0]')).toEqual(['gist::12'])
  expect(names('(The source lacks the file x.rs, which the site shows here.)')).toEqual([
    'missing text',
  ])
})
