import type { Shapes } from './filled.ts'

export const manShapes: Shapes = {
  fonts: ['.TH T 1\n', '\\fBx\\fR ', '\n'],
  'open fonts': ['.TH T 1\n', '\\fBx\\fI ', '\n'],
  'escapes that stay open': ['.TH T 1\n', '\\[', '\n'],
  terms: ['.TH T 1\n', '.TP\n.B foo\nbar\n', ''],
  items: ['.Dd x\n.Dt T 1\n.Os\n.Sh N\n.Bl -tag\n', '.It Fl a Ar b\nwords\n', '.El\n'],
}

export const textShapes: Shapes = {
  word: ['', 'a', ''],
  ws: ['x', ' ', 'x'],
  rstlike: ['.. note::\n\n   x\n\n', '.. ', ''],
}
