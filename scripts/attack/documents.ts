import type { Random } from './random.ts'

/** A documentation file designed to be slow, large or invalid. */
export type Hostile = { name: string; path: string; text: string }

const md = '# T\n\n'
const rst = 'T\n=\n\n'
const adoc = '= T\n\n'
const html = '<html><body>words of it '

/** By extension: the opening of a document, and the pieces to repeat in it. */
const pieces: Record<string, [string, string[]]> = {
  md: [
    md,
    [
      '\n',
      ' \n',
      ' ',
      '[',
      '[a](',
      '![a](<',
      '<!--',
      '` `` ',
      '|a',
      '|a|b|\n',
      '>',
      '- ',
      '=',
      '-',
      'a\n=\n',
      '<h1>',
      '<h1 id="',
      '<pre>\n',
      '<script>\n',
      '```\n',
      '!!! note\n',
      '::: tip\n',
      'a',
      'a1_',
      '_',
      'aB',
      'a.',
      '語',
      '\u0301',
      '👩\u200d',
      '\u202e\u2066',
      '#',
      ' #',
      '*a ',
      '{',
      '<a ',
      '&#1;',
      '{ref}`x',
      '```[',
      '--8<-- "',
      '{! ',
      '    - ',
      '[a]: ',
      '**',
      '~~~\n',
      '\\',
      '\t',
    ],
  ],
  mdx: [
    md,
    [
      '<Foo ',
      '<Foo\n',
      '<Foo a={',
      '<Foo a="b" ',
      '<Foo>',
      '<Foo>\n',
      '{/*',
      '`',
      '`` ` ',
      '<',
      'import { a\n',
      'export const a = {\n',
      'export const meta = {\n',
      'export const title = "',
      '{"\\',
      '</Foo>\n',
      '{`',
      '${',
    ],
  ],
  rst: [
    rst,
    [
      '| ',
      '|a',
      ':ref:`',
      ':a',
      '`` :`',
      '= ',
      '.. ',
      '.. note::\n',
      'a::\n',
      'T\n=\n',
      '>>> a\n',
      '.. _a:\n',
      '|a| ',
      '.. |a| replace:: |a|\n',
      '- a.. ',
      '\\:',
      '*',
      '+-',
      '   ',
    ],
  ],
  adoc: [
    adoc,
    [
      '[[',
      '[',
      'anchor:a',
      'http://x[',
      '{b}',
      ':a: {a}\n',
      '<<a',
      'xref:a',
      '*a ',
      '#a ',
      '`a ``',
      'kbd:',
      'pass:a',
      'a:: ',
      'a;;',
      '====\n',
      '|===\n',
      '|a ',
      'ifdef::a[]\n',
      '////\n',
      '+++',
    ],
  ],
  html: [
    html,
    [
      '<div>',
      '<span>',
      '<b>',
      '<a href=x>',
      '<p>',
      '<ul><li>',
      '<table><tr><td>',
      '<tr><td>a</td></tr>',
      '<blockquote>',
      '<h1>',
      '<pre>',
      '<code>',
      '<details><summary>',
      '<div class="admonition">',
      '<nav>',
      '</nav>',
      '<svg ',
      '<svg/>',
      '<script>',
      '</script',
      '<!--',
      '<!-- -->',
      '<p a="',
      '< ',
      '<!',
      '&amp',
      '&#x110000;',
      '<br>',
      '<img src=x alt=y>',
      '<template>',
      '<select><option>',
      '<main>',
      '<article class="md-content__inner">',
      '<dl><dt class="sig">',
      '<font><b><i><u><s>',
      '</b></i>',
      '<![CDATA[',
      '<body>',
      '<html>',
      '&nbsp;',
      ' \n',
    ],
  ],
  txt: ['', ['a', ' ', '.. ', '\r', '\u0000', '\ufeff']],
}

/** Documents that repeating one piece cannot make; most pieces depend on their position. */
const grown: Record<string, (size: number) => string> = {
  'ticks.md': (size) => md + growing(size, (i) => `a${'`'.repeat(i + 1)}`),
  'fences.md': (size) => md + growing(size, (i) => `${'`'.repeat(i + 3)}\n`),
  'notes.md': (size) => growing(size, (i) => `${'    '.repeat(i % 300)}!!! note\n`),
  'front.md': (size) => `---\na: ${'['.repeat(size)}\n---\n${md}text\n`,
  'anchors.md': (size) => `---\n${aliases(size)}---\n${md}text\n`,
  'braces.mdx': (size) => `${md}export const x = {\n${'  a: "\\a\\a\\a\n'.repeat(size / 14)}}\n`,
  'tags.mdx': (size) => md + growing(size, (i) => `<Foo${i}>\n`) + '</Nope>\n'.repeat(size / 8),
  'nest.rst': (size) => rst + growing(size, (i) => `${' '.repeat(3 * i)}.. note::\n\n`),
  'bomb.rst': (size) =>
    `${rst}.. |a| replace:: ${'|b| '.repeat(size / 8)}\n` +
    `.. |b| replace:: ${'x'.repeat(size / 8)}\n\n|a| text\n`,
  'bomb.adoc': (size) =>
    `= T\n:a: ${'x'.repeat(1000)}\n:b: ${'{a}'.repeat(size / 30)}\n\n` +
    `${'{b}'.repeat(size / 30)}\n`,
  'columns.adoc': () => `${adoc}[cols="1000000000*"]\n|===\n|a |b\n|===\n`,
  'deep.ipynb': (size) => `{"nbformat":4,"cells":${'['.repeat(size)}${']'.repeat(size)}}`,
  'lines.ipynb': (size) => notebook('markdown', `# T${'\n'.repeat(size)}x`),
  'code.ipynb': (size) => notebook('code', `${'\r'.repeat(size / 2)}${' '.repeat(size / 2)}`),
  'attributes.html': (size) => `${html}<p ${growing(size, (i) => `a${i}=b `)}>text</p>`,
}

/** Returns every hostile document, each about `size` characters long. */
export function hostileDocuments(size: number): Hostile[] {
  const repeated = Object.entries(pieces).flatMap(([extension, [head, many]]) =>
    many.flatMap((piece) => {
      const body = piece.repeat(Math.ceil(size / piece.length))
      const named = (tail: string, text: string) => ({
        name: `${extension} ${JSON.stringify(piece)}${tail}`,
        path: `x.${extension}`,
        text,
      })
      return [named('', `${head}${body}end\n`), named(' inline', `${head}x ${body}-\n\ntext\n`)]
    }),
  )
  const others = Object.entries(grown).map(([path, made]) => ({ path, text: made(size) }))
  return [...repeated, ...others.map((other) => ({ name: other.path, ...other }))]
}

/**
 * Makes one to eight random changes: cuts, repeats or moves a part, or overwrites it with a hostile
 * piece or odd characters.
 */
export function mutated(text: string, { random, path }: { random: Random; path: string }): string {
  const extension = path.slice(path.lastIndexOf('.') + 1)
  const odd = ['\0', '\ud800', '\u2028', '\r', '\x1b[2J']
  const many = [...(pieces[extension]?.[1] ?? pieces.md![1]), ...odd]
  let changed = text
  for (let n = 1 + random.below(8); n > 0; n--) {
    const [from, to] = [random.below(changed.length + 1), random.below(changed.length + 1)].sort(
      (a, b) => a - b,
    ) as [number, number]
    const cut = changed.slice(from, to).slice(0, 2000)
    const piece = random.one(many).repeat(random.one([1, 2, 20, 3000]))
    const [head, tail] = [changed.slice(0, from), changed.slice(from)]
    changed = random.one([
      () => head + changed.slice(to),
      () => head + cut.repeat(random.one([2, 20])) + tail,
      () => head + piece + tail,
      () => head + piece + changed.slice(to),
      () => tail + head,
    ])()
    // `og` would merely refuse a page above its size limit.
    changed = changed.slice(0, 400_000)
  }
  return changed
}

function growing(size: number, part: (i: number) => string): string {
  let text = ''
  for (let i = 0; text.length < size; i++) text += part(i)
  return text
}

function aliases(size: number): string {
  const letters = [...'abcdefghij'].slice(0, size < 1000 ? 4 : 9)
  const named = (i: number) =>
    Array(9)
      .fill(i === 0 ? 'x' : `*${letters[i - 1]}`)
      .join(',')
  return letters.map((letter, i) => `${letter}: &${letter} [${named(i)}]\n`).join('')
}

function notebook(type: string, source: string): string {
  return JSON.stringify({ nbformat: 4, cells: [{ cell_type: type, source, outputs: [] }] })
}
