/**
 * Pages of rst and AsciiDoc, and pages with includes, of any size. Each page repeats one construct.
 */
export type Shape = { path: string; text(size: number): string }

const times = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length))
const shape =
  (path: string) =>
  (text: Shape['text']): Shape => ({ path, text })
const rst = shape('docs/x.rst')
const adoc = shape('docs/x.adoc')
const md = shape('docs/x.md')

/** `\u2028` is not matched by `.`, but does not end a line either. */
const odd = '\u2028x'

const nested = (size: number, line: string) => {
  const heads = Array.from({ length: 21 }, (_, depth) => `${' '.repeat(depth)}.. note::\n`)
  return `${heads.join('')}${times(line, size)}${' '.repeat(21)}x\n`
}

const boxed = (size: number, mark: string, line: string) => {
  const heads = Array.from({ length: 22 }, (_, depth) => `${mark.repeat(4 + depth)}\n`)
  return `${heads.join('')}y\n${times(line, size)}x\n`
}

export const rstShapes: Record<string, Shape> = {
  'rst: a row of a table': rst((n) => `.. |a| replace:: b\n\n ${times('| ', n)}'\n`),
  'rst: bars': rst((n) => `.. |a| replace:: b\n\n${times(`|a${' '.repeat(50)}`, n)}\n`),
  'rst: a signature that goes on': rst((n) => `.. function:: f${times('\\', n)}x\n`),
  'rst: a role of blanks': rst((n) => times(`:ref:\`a${' '.repeat(490)}\``, n)),
  'rst: a role of blank lines': rst((n) => times(`:ref:\`a${'\n'.repeat(490)}\``, n)),
  'rst: roles that stay open': rst((n) => times(':ref:`', n)),
  'rst: a label of colons': rst((n) => `.. _${times('a\\:', n)}x\n`),
  'rst: a replacement of blanks': rst((n) => `.. |a| replace::${times(' ', n)}${odd}\n`),
  'rst: an argument of blanks': rst((n) => `.. note::${times(' ', n)}${odd}\n`),
  'rst: replacements in each other': rst(
    (n) =>
      Array.from(
        { length: Math.sqrt(n) },
        (_, depth) => `${' '.repeat(depth)}.. |a${depth}| replace:: b\n`,
      ).join('') + times(`${' '.repeat(99)}x\n`, n),
  ),
  'rst: blank lines in directives': rst((n) => nested(n, '\n')),
  'rst: lines in directives': rst((n) => nested(n, `${' '.repeat(21)}x\n`)),
  'rst: blank lines before a text': rst((n) => `.. note::\n${times('\n', n)}   x\n`),
  'rst: literal blocks in each other': rst((n) => {
    const depths = Array.from({ length: Math.sqrt(2 * n) }, (_, depth) => depth)
    return depths.map((depth) => `${' '.repeat(depth)}a::\n`).join('')
  }),
  'rst: directives in a list item': rst((n) => `- ${times('.. a', n)}\n`),
}

export const asciidocShapes: Record<string, Shape> = {
  'adoc: blanks in a link': adoc((n) => `http://x[${times(' ', n)}x]\n`),
  'adoc: links that stay open': adoc((n) => `${times('https://a[', n)}\n`),
  'adoc: links without a bracket': adoc((n) => `${times(`${'link:'.repeat(400)}>[`, n)}]\n`),
  'adoc: references that stay open': adoc((n) => `${times('xref:a[', n)}\n`),
  'adoc: a reference of blanks': adoc((n) => `<<a,${times(' ', n)}\n`),
  'adoc: keys that stay open': adoc((n) => `${times('kbd:[', n)}\n`),
  'adoc: anchors that stay open': adoc((n) => `${times('[[', n)}]x\n`),
  'adoc: anchors by name that stay open': adoc((n) => `${times('anchor:a[', n)}\n`),
  'adoc: a picture of blanks': adoc((n) => `image::x[${times(' ', n)}=]\n`),
  'adoc: a condition of brackets': adoc((n) => `ifdef::${times('[', n)}\n`),
  'adoc: a condition of pairs': adoc((n) => `endif::${times('[]', n)}x\n`),
  'adoc: a heading of blanks': adoc((n) => `= a${times(' ', n)}x\n`),
  'adoc: a fence of ticks': adoc((n) => `${times('`', n)}${odd}\n`),
  'adoc: a fence of blanks': adoc((n) => `\`\`\`${times(' ', n)}${odd}\n`),
  'adoc: an attribute of blanks': adoc((n) => `:a:${times(' ', n)}${odd}\n`),
  'adoc: a note of blanks': adoc((n) => `NOTE:${times(' ', n)}${odd}\n`),
  'adoc: an item of blanks': adoc((n) => `*${times(' ', n)}${odd}\n`),
  'adoc: terms': adoc((n) => `${times('a:: ', n)}${odd}\n`),
  'adoc: a cell of signs': adoc((n) => `|===\n|a\n ${times('<^>.', n)}x ${times('1.', n)}\n|===\n`),
  'adoc: lines in boxes': adoc((n) => boxed(n, '=', 'x\n')),
  'adoc: conditions around each other': adoc(
    (n) => times('ifdef::a[]\n', n) + times('endif::[]\n', n),
  ),
}

export const includeShapes: Record<string, Shape> = {
  'include: blanks in a code import': md((n) => `<<< x${times(' ', n)}y\n`),
  'include: blanks in a comment': md((n) => `<!--@include: x${times(' ', n)}y\n`),
  'include: blanks in braces': md((n) => `{! x${times(' ', n)}y\n`),
  'include: a path of colons': md((n) => `--8<-- "${times(':-,', n)} x"\n`),
  'include: lists that stay open': md((n) => times('--8<--\n', n)),
  'include: a range of digits': md((n) => `{! digits [ln:${times('1', n)}x] !}\n`),
  'include: a range of blanks': md((n) => `{! digits [ln:1${times(' ', n)}x] !}\n`),
  'include: a line of blanks': md((n) => `--8<-- "blanks"\n${times('x', n)}\n`),
  'include: names of Python': rst(
    (n) => `.. literalinclude:: py\n   :pyobject: ${times('a.', n)}\n`,
  ),
  'include: a path of folders': md((n) => `--8<-- "${times('a/', n)}x"\n`),
  'include: files that are not there': md((n) => times('--8<-- "a"\n', n)),
}
