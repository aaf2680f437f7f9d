import { expect, test } from 'bun:test'
import {
  isPartial,
  noteSentence,
  notesJson,
  searchNotes,
  type Note,
} from '../../src/operation/note.ts'
import { emptySearchAnswer } from '../../src/library/search/search.ts'
import { plainHit } from '../support/why.ts'

const from = { library: 'react', version: '18.3.1', named: '18.2.0', file: 'package-lock.json' }
const examples: [Note, string][] = [
  [
    { kind: 'version-chosen', ...from, package: 'react' },
    'Version 18.3.1 of react: package-lock.json names 18.2.0.',
  ],
  [
    { kind: 'version-chosen', ...from, package: 'react-dom' },
    'Version 18.3.1 of react: package-lock.json names react-dom 18.2.0.',
  ],
  [
    { kind: 'version-default', library: 'vite', version: '6.0.0', others: ['latest'] },
    'Answered from vite 6.0.0; also indexed: latest.',
  ],
  [
    { kind: 'version-default', library: 'vite', version: '6', others: ['5', '4', '3', '2', '1'] },
    'Answered from vite 6; also indexed: 5, 4, 3 and 2 more.',
  ],
  [
    { kind: 'not-indexed', library: 'vite', version: '9', nearest: ['6.0.0', '5.0.0'] },
    'Version "9" of vite is not indexed; nearest: 6.0.0, 5.0.0',
  ],
  [{ kind: 'not-indexed', library: null, version: '8', nearest: [] }, 'Version "8" is not indexed'],
  [
    { kind: 'not-indexed', library: 'vitte', version: null, nearest: ['vite'] },
    'Library "vitte" is not indexed; nearest: vite',
  ],
  [{ kind: 'damaged', library: 'a', version: '1', problem: 'a 1 is damaged' }, 'a 1 is damaged'],
  [
    { kind: 'incomplete', library: 'a', version: '1', embedded: 1, chunks: 4 },
    'a 1: 25 % of its passages by meaning so far',
  ],
  [
    { kind: 'source-gap', library: 'a', version: '1', reason: 'cannot reach git.example' },
    'a 1 is incomplete: cannot reach git.example.',
  ],
  [
    { kind: 'unused-field', field: 'filter_keyword' },
    '--filter-keyword has no effect on this source',
  ],
  [{ kind: 'source-chosen', library: 'a', how: 'folder docs' }, 'a: folder docs'],
  [{ kind: 'replaced', label: 'a 1', places: 'it came from b' }, 'a 1 is replaced: it came from b'],
  [
    { kind: 'single-page', library: 'a', url: 'https://a.example/' },
    'a is one page: no list of its pages was found, and no links below https://a.example/',
  ],
  [{ kind: 'source-saved', library: 'a', path: '/s.json' }, "Added source for 'a' to /s.json"],
  [{ kind: 'not-asked', reason: 'b was not asked' }, 'b was not asked'],
  [
    { kind: 'no-license' },
    'it holds no licence: its source had none; ' +
      '--license source asks for it, --license FILE names one',
  ],
  [{ kind: 'omitted', hits: 2 }, '2 hits did not fit into the token budget.'],
  [
    { kind: 'weak', reason: 'no good match in a', nearest: [], suggest: [] },
    'There is no good match in a.',
  ],
  [
    { kind: 'hole', rank: 2, mark: '{{< x >}}' },
    'Hit 2 lacks text that its site shows at {{< x >}}',
  ],
  [{ kind: 'degraded', reason: 'Index sync failed: disk full' }, 'Index sync failed: disk full'],
]

test('each note is one sentence', () => {
  for (const [note, sentence] of examples) expect(noteSentence(note)).toBe(sentence)
})

test('escapes names in a sentence as the output format requires', () => {
  const note: Note = { kind: 'not-indexed', library: 'a*', version: null, nearest: ['b*'] }
  expect(noteSentence(note, (text) => text.replaceAll('*', '\\*'))).toBe(
    'Library "a\\*" is not indexed; nearest: b\\*',
  )
})

test('notes other versions of libraries that have hits', () => {
  const versionDefaults = ['kettle', 'stove'].map((library) => ({
    library,
    version: '2',
    others: ['1'],
  }))
  expect(searchNotes({ ...emptySearchAnswer, versionDefaults, hits: [plainHit] })).toEqual([
    { kind: 'version-default', library: 'kettle', version: '2', others: ['1'] },
  ])
  expect(searchNotes({ ...emptySearchAnswer, versionDefaults })).toEqual([])
})

test('an answer with missing or damaged libraries is partial', () => {
  const partial = examples.filter(([note]) => isPartial([note])).map(([{ kind }]) => kind)
  expect([...new Set(partial)]).toEqual(['not-indexed', 'damaged'])
})

test('a search answer has a note for each caveat, and its JSON a sentence', () => {
  const notIndexed = [{ library: 'b', version: null, nearest: [] }]
  const broken = [{ library: 'c', version: '1', problem: 'c 1 is damaged' }]
  const notes = searchNotes({ ...emptySearchAnswer, notIndexed, broken, unasked: 'd' }, 3)
  expect(notes.map(({ kind }) => kind)).toEqual(['not-asked', 'omitted', 'not-indexed', 'damaged'])
  expect(notesJson(notes)[1]).toEqual({
    kind: 'omitted',
    hits: 3,
    message: '3 hits did not fit into the token budget.',
  })
})

test('notes each hit whose passage lacks text from its site', () => {
  const hits = ['Whole.', 'See\n\n{{< readfile "x.md" >}}\n', '```\n{{< kept >}}\n```'].map(
    (text, at) => ({ ...plainHit, rank: at + 1, text }),
  )
  expect(searchNotes({ ...emptySearchAnswer, hits })).toEqual([
    { kind: 'hole', rank: 2, mark: '{{< readfile "x.md" >}}' },
  ])
})
