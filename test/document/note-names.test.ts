import { expect, test } from 'bun:test'
import { isNoteName } from '../../src/document/note-names.ts'

test('recognises names of notes in any case', () => {
  expect(['note', 'Warning', 'SEEALSO'].every(isNoteName)).toBe(true)
  expect(['notes', 'card', ''].some(isNoteName)).toBe(false)
})
