import { filled, grown, type Shapes } from './filled.ts'

export const rstShapes: Shapes = {
  row: ['T\n=\n\n.. |a| replace:: b\n\ntext\n\n ', '| ', "'\n"],
  row2: ['T\n=\n\n.. |a| replace:: b\n\n ', '|a', "'\n"],
  'role ws': (size) => `T\n=\n\n${filled(`:ref:\`${' '.repeat(400)}\`x `, size)}\n`,
  roles: ['T\n=\n\n', ':ref:`', '\n'],
  roles2: ['T\n=\n\n', ':a', ':`x`\n'],
  ticks: ['T\n=\n\n', '`` :`', '\n'],
  borders: ['T\n=\n\n:ref:`x`\n', '= ', 'x\n'],
  borders2: ['T\n=\n\n:ref:`x`\n', '=', 'x\n'],
  directive: ['T\n=\n\n.. ', 'a', ' :x\n'],
  directive2: ['T\n=\n\n.. a', ':', ' x\n'],
  label: ['T\n=\n\n.. _', '\\:', 'x\n'],
  sigbs: ['T\n=\n\n.. function:: f', '\\', 'x\n\n   text\n'],
  nest: (size) => `T\n=\n\n${grown(size, (i) => `${' '.repeat(3 * i)}.. note::\n\n`)}`,
  'note many': ['T\n=\n\n', '.. note::\n', ''],
  colon2: ['T\n=\n\n', 'a::\n', ''],
  'colon nest': (size) => `T\n=\n\n${grown(size, (i) => `${' '.repeat(i)}a::\n`)}`,
  'list dd': ['T\n=\n\n- ', 'a.. ', '\n'],
  titles: ['', 'T\n=\n', ''],
  titles2: (size) => grown(size, (i) => `T\n${marks[i % marks.length]}\n`),
  doctest: ['T\n=\n\n', '>>> a\n', ''],
  spaces: ['T\n=\n\nx', ' ', 'x\n'],
  newlines: ['T\n=\n\nx', '\n', 'x\n'],
  replacements: (size) =>
    `T\n=\n\n${grown(size, (i) => `.. |a${i}| replace:: |a${i + 1}|\n`)}${filled('|a1| ', size)}`,
  'repl bomb': (size) =>
    'T\n=\n\n' +
    `.. |a| replace:: ${filled('|b| ', size)}\n.. |b| replace:: ${filled('x', size / 10)}\n` +
    '\ntext |a| foo\n',
  bars: ['T\n=\n\n.. |a| replace:: b\n\n', '|a ', '\n'],
  seealso: ['T\n=\n\n.. autosummary::\n\n', '   ~a\n', '\n'],
}

const marks = '=-~^"\'`#*+.:_'
