import { expect, test } from 'bun:test'
import { findEntriesFault, findEntryFault } from '../../src/store/registry-schema.ts'
import type { Entry } from '../../src/store/registry.ts'
import { entryOf, generationNamed } from '../support/store.ts'

const chunker = '2/terms-3/parser-3/pages-5/default/0'
const { previous: _, ...row } = entryOf('Ray', generationNamed('a'))
const stored: Entry = { ...row, live: { ...row.live, chunker }, previous: null }

test('reports the path of an invalid value', () => {
  expect(findEntriesFault([stored, stored])).toBe(null)
  expect(findEntriesFault({})).toBe('entries is not a list')
  const { live } = stored
  const changed = (change: object) => [stored, { ...stored, live: { ...live, ...change } }]
  expect(findEntriesFault(changed({ id: '../x' }))).toBe(
    'entries[1].live.id is not a name of a folder',
  )
  expect(findEntriesFault(changed({ pages: -1 }))).toBe('entries[1].live.pages is not a count')
  expect(findEntriesFault(changed({ chunker: {} }))).toBe('entries[1].live.chunker is not a text')
  expect(findEntriesFault(changed({ source: { kind: 'git_repo', docsPaths: [1] } }))).toBe(
    'entries[1].live.source.docsPaths is not a list of texts',
  )
  expect(findEntryFault({ ...stored, previous: undefined })).toBe(
    'entry.previous is not an object or null',
  )
})

test('accepts missing fields of earlier versions and additional fields of later ones', () => {
  expect(findEntryFault({ ...stored, live: { ...stored.live, failed: 3, news: true } })).toBe(null)
})
