import { expect, test } from 'bun:test'
import { noteError, printNotes } from '../../../src/cli/answer/notes.ts'
import type { Note } from '../../../src/operation/note.ts'
import { OgError } from '../../../src/platform/error.ts'

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

test('prints an error with its subject and its hint', () => {
  const lines: string[] = []
  const terminal = { note: (level: string, line: string) => void lines.push(`${level}: ${line}`) }
  noteError(terminal, new OgError('Cannot copy it', { hint: 'run it again' }), 'zoo 1')
  noteError(terminal, new OgError('Cannot copy it'))
  expect(lines).toEqual([
    'error: zoo 1: Cannot copy it',
    'hint: run it again',
    'error: Cannot copy it',
  ])
})
