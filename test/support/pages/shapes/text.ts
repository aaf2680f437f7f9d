import type { Shapes } from './filled.ts'

export const textShapes: Shapes = {
  word: ['', 'a', ''],
  ws: ['x', ' ', 'x'],
  rstlike: ['.. note::\n\n   x\n\n', '.. ', ''],
}
