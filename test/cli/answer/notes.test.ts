import { expect, test } from 'bun:test'
import { printNotes } from '../../../src/cli/answer/notes.ts'
import type { Note } from '../../../src/operation/note.ts'

test('prints all notes except the one about a weak answer, and shows missing parts as warnings', () => {
  const lines: string[] = []
  const notes: Note[] = [
    { kind: 'not-indexed', library: 'vitte', version: null, nearest: ['vite'] },
    { kind: 'omitted', hits: 1 },
    { kind: 'weak', reason: 'no good match in vite', nearest: [], suggest: [] },
  ]
  printNotes({ note: (level, line) => void lines.push(`${level}: ${line}`) }, notes)
  expect(lines).toEqual([
    'warning: Library "vitte" is not indexed; nearest: vite',
    'plain: 1 hit did not fit into the token budget.',
  ])
})
