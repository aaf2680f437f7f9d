import { expect, test } from 'bun:test'
import { openTitleIndex, titlesFrom } from '../../src/references/title-index.ts'
import { pageSiteOf } from '../../src/sites/generators.ts'
import { parsePage } from '../../src/page/parse.ts'
import { fileReader } from '../support/page/file-reader.ts'
import { siteOf, siteText, type SiteSource } from '../support/page/site-pages.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'
import { doxygenToMarkdown } from '../../src/formats/doxygen.ts'

const source: SiteSource = {
  generator: 'doxygen',
  config: 'Doxyfile',
  files: {
    Doxyfile:
      'INPUT = .\nEXAMPLE_PATH = examples\nALIASES = "os=__OS:__" "cpp=<tt>" "ce=</tt>" ' +
      '"ext{2}=<a href=\\"x:/\\1\\">\\1_\\2</a>" "box{1}=" "needs=@xrefitem n \\"Needs\\" \\"List\\""\n',
    'examples/a.c': '//! [use]\n  on();\n//! [use]\noff();\n',
  },
}
const check = async (text: string, expected: string) =>
  expect((await siteText(source, text, 'docs/a.md')).trim()).toBe(expected)

test('shows references as their text', async () => {
  await check('see @ref glfwInit and \\ref a_page "the page".', 'see glfwInit and the page.')
  await check('[the guide](@ref guide) @subpage intro', 'the guide intro')
  await check('see @ref\nglfwInit.', 'see \nglfwInit.')
  await check('`@ref a` and a@ref.org', '`@ref a` and a@ref.org')
})

test('shows references to pages and sections as their titles', async () => {
  const pages = {
    'docs/a.md': '@page intro_page The *first* steps\n\n\\section build Build it\n',
    'docs/b.md': '# Options {#options}\n',
    'docs/c.md':
      'see @ref intro_page, \\ref build and @ref options. @ref gone, @subpage intro_page "x".\n',
  }
  const files = { ...source.files, ...pages }
  const index = openTitleIndex({ paths: Object.keys(pages), read: fileReader(files) })
  const site = pageSiteOf(await siteOf({ ...source, files }), 'docs/c.md')
  const file = { bytes: Buffer.from(pages['docs/c.md']), path: 'docs/c.md', url: 'x:/', site }
  const titles = titlesFrom(index, 'docs/c.md')
  const page = await parsePage(file, { from: 'docs/c.md', read: fileReader(files), titles })
  expect(page.text.trim()).toBe('see The first steps, Build it and Options. gone, x.')
})

test('converts notes, headings and words', async () => {
  await check('@note Mind it.\n\n@sa other', '**Note:** Mind it.\n\n**See also:** other')
  await check('@par Thread safety\nSafe.', '**Thread safety**\n\nSafe.')
  await check('\\page id The title\n\n@section s A part', '# The title\n\n## A part')
  await check('@c NULL, @b bold and @e soft', '`NULL`, **bold** and *soft*')
  await check('@os Text', '__OS:__ Text')
})

test('fills aliases with their arguments', async () => {
  await check('@ext{A,b} and @box{c}text', '[A_b](x:/A) and text')
  await check('a @cpp vector<int> @ce b', 'a `vector<int>` b')
  await check('@needs More', '**Needs:** More')
  await check('@code{.cpp} f<T>() @endcode', '`f<T>()`')
})

test('keeps the text of a .dox comment after code that contains a comment', async () => {
  const files = {
    'a.dox': '/** @page a Title\n@brief All of\nit.\n\n@snippet b.h x\n\nSee @ref part. */\n',
    'c.dox': '/** @page c C\n@section part The part */\n',
    'b.h': '/* [x] */\n/** @brief Old */\nint x;\n/* [x] */\n',
  }
  const index = openTitleIndex({ paths: ['a.dox', 'c.dox'], read: fileReader(files) })
  const site = pageSiteOf(
    await siteOf({ ...source, files: { ...source.files, ...files } }),
    'a.dox',
  )
  const file = { bytes: Buffer.from(files['a.dox']), path: 'a.dox', url: 'x:/', site }
  const titles = titlesFrom(index, 'a.dox')
  const page = await parsePage(file, { from: 'a.dox', read: fileReader(files), titles })
  expect(page.text.trim()).toBe(
    '# Title\nAll of\nit.\n\n\n```c\n/** @brief Old */\nint x;\n```\n\n\nSee The part.',
  )
})

test('removes commands without text', async () => {
  await check('@tableofcontents\n[TOC]\n@anchor a\nText', 'Text')
  await check('@image html a.png "A lamp" width=1', '![A lamp](a.png)')
  await check('@image latex a.eps "A lamp"\nText', 'Text')
  await check(
    '@li one\n@arg two\n@param[in] x The x\n@throws Hot if so\nSee @cite Tea97.',
    '- one\n- two\n- `x`: The x\n- `Hot`: if so\nSee [Tea97].',
  )
})

test('converts code and formulas', async () => {
  await check('@code{.cpp}\nf(); // @ref\n@endcode', '```cpp\nf(); // @ref\n```')
  await check('\\f$ x \\f$ and \\f[ y \\f]', '$ x $ and $$ y $$')
})

test('includes snippets and files', async () => {
  await check('@snippet a.c use', '```c\non();\n```')
  await check('@include a.c', '```c\n//! [use]\n  on();\n//! [use]\noff();\n```')
  await check('@snippet gone.c x', '(The source lacks the file gone.c, which the site shows here.)')
})

test('converts hostile text in linear time', () => {
  const site = { generator: 'doxygen', variables: new Map() } as never
  for (const unit of ['@ref ', '@code\n', '\\f$', '[a](@ref ', '@c a', '@ref\n', '@par ']) {
    const start = usedCpuMs()
    doxygenToMarkdown(unit.repeat(50_000), { site })
    expect(usedCpuMs() - start).toBeLessThan(5000)
  }
})

test('keeps code, escaped commands and addresses', async () => {
  const code = '```css\n@code\n@include a;\n@ref\nb\n@endcode\n```'
  await check(code, code)
  await check('me@c lamp, @@ref a', 'me@c lamp, @@ref a')
})

test('takes linear time for options without end', async () => {
  const started = usedCpuMs()
  await siteText(source, '@image{'.repeat(30_000), 'docs/a.md')
  expect(usedCpuMs() - started).toBeLessThan(3000)
})

test('reads pages that are comments of a .dox file', async () => {
  const parsed = (text: string) =>
    parsePage({ bytes: Buffer.from(text), path: 'doc/tour.dox', url: 'x:/' })
  const starred = '/**\n * @page tour A tour\n *\n * @code{.c}\n * on();\n * @endcode\n */\n'
  const page = await parsed(`${starred}int a;\n/*! More @c text. */\n`)
  expect(page.title).toBe('A tour')
  expect(page.text.trim()).toBe('# A tour\n\n```c\non();\n```\n\n\nMore `text`.')
  const plain = '/**\n@page a A\n@code\n/*\n * On.\n */\non(); /* x */\n@endcode\nAfter.\n*/\n'
  const { text } = await parsed(plain)
  expect(text.trim()).toBe('# A\n```\n/*\n * On.\n */\non(); /* x */\n```\nAfter.')
})
