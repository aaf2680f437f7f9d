import { filled, grown, type Shapes } from './filled.ts'

export const asciidocShapes: Shapes = {
  'heading ws': ['= a', ' ', '-\n\ntext\n'],
  anchor: ['= a\n\n', '[[', '^ text\n'],
  anchor1: ['= a\n\nx ', '[', '^ text\n'],
  anchor2: ['= a\n\nx ', 'anchor:a', '^ text\n'],
  linkws: ['= a\n\nhttp://x[', ' ', 'x]\n'],
  'attr bomb': (size) =>
    `= a\n:a: ${filled('x', 1000)}\n:b: ${filled('{a}', 3000)}\n\n${filled('{b}', size)}\n`,
  'attr big': (size) => `= a\n:a: ${filled('x', size)}\n\n${filled('{a}', size)}\n`,
  xref: ['= a\n\n', '<<a', '\n'],
  xref2: ['= a\n\n', 'xref:a', '\n'],
  star: ['= a\n\n', '*a ', '\n'],
  hash: ['= a\n\n', '#a ', '\n'],
  tick: ['= a\n\n', '`a ``', '\n'],
  kbd: ['= a\n\n', 'kbd:', '\n'],
  pass: ['= a\n\n', 'pass:a', '\n'],
  term: ['= a\n\n', 'a:: ', '\n'],
  term2: ['= a\n\n', 'a;;', '\n'],
  blocks: ['= a\n\n', '====\n', '\n'],
  'blocks grow': (size) => `= a\n\n${grown(size, (i) => `${'='.repeat(i + 4)}\n`)}`,
  comment: (size) => `= a\n\n${grown(size, (i) => `${'/'.repeat(i + 4)}\n`)}`,
  table: ['= a\n\n|===\n', '|a ', '\n|===\n'],
  'table cols': ['= a\n\n[cols="1000000000*"]\n|===\n', '|a ', '\n|===\n'],
  'table cols2': ['= a\n\n[cols="', '1,', '"]\n|===\n|a |b\n|===\n'],
  ifdef: ['= a\n\nifdef::', '[', '\n\ntext'],
}
