import { expect, test } from 'bun:test'
import { stringWidth } from 'bun'
import { renderLibraries } from '../../../../src/cli/commands/library/list.ts'
import type { StoredVersion } from '../../../../src/library/list.ts'

const holding: StoredVersion = {
  library: 'kettle',
  version: '1.0.0',
  pages: 8,
  chunks: 40,
  bytes: 25_300,
  previousBytes: 0,
  source: { kind: 'git_repo', url: 'https://github.com/kettle/kettle.git', docsPaths: [] },
  ref: 'v1.0.0',
  commit: '1a2b3c4d5e6f',
  tag: null,
  indexedAt: '2026-01-31T10:20:30.000Z',
  pack: null,
  incomplete: null,
  previous: null,
  embedded: null,
  stale: [],
  lacking: null,
  names: null,
}
const long: StoredVersion = {
  ...holding,
  library: 'a-library-with-a-name-of-forty-eight-characters',
  version: 'latest',
  tag: 'a-package@10.20.30-rc.1',
  bytes: null,
  pages: 123_456,
  chunks: 1_234_567,
  source: { kind: 'local_path', path: `/srv/${'a folder/'.repeat(20)}文書/docs` },
  stale: [
    { what: 'cut otherwise', remedy: 'og update' },
    { what: '3 failed', remedy: 'og update' },
  ],
}

const lines = (all: readonly StoredVersion[], width: number | null) =>
  renderLibraries(all, width).trimEnd().split('\n')

test('prints one line per library version, no wider than the screen', () => {
  for (const all of [[holding], [holding, long], [long]]) {
    for (let width = 60; width <= 240; width++) {
      const shown = lines(all, width)
      expect(shown).toHaveLength(all.length + 1)
      for (const one of shown) expect(stringWidth(one)).toBeLessThanOrEqual(width)
    }
  }
})

test('drops the least important columns first', () => {
  const heads = (all: readonly StoredVersion[], width: number) => lines(all, width)[0]!.split(/ +/)
  const all = ['LIBRARY', 'VERSION', 'PAGES', 'CHUNKS', 'SIZE', 'INDEXED', 'STALE', 'SOURCE']
  expect(heads([holding, long], 160)).toEqual(all)
  expect(heads([holding], 100)).toEqual(all)
  expect(heads([holding], 80)).toEqual(all.filter((head) => head !== 'STALE'))
  expect(heads([long], 120)).toEqual(['LIBRARY', 'VERSION', 'PAGES', 'INDEXED', 'STALE', 'SOURCE'])
  expect(heads([long], 100)).toEqual(['LIBRARY', 'VERSION', 'STALE', 'SOURCE'])
  expect(heads([long], 80)).toEqual(['LIBRARY', 'VERSION', 'STALE'])
})

test('shortens a source in the middle', () => {
  const source = lines([holding], 85)[1]!.split(/ {2,}/).at(-1)!
  expect(source).toMatch(/^https:\/\/.*….*kettle\.git$/)
})

test('prints the whole table if stdout is not a terminal', () => {
  expect(lines([holding, long], null)[2]).toEndWith(
    '  cut otherwise, 3 failed  ' + (long.source as { path: string }).path,
  )
})

test('counts missing names of the API reference', () => {
  const names = { declared: 12, missing: 2, groups: [] }
  expect(lines([{ ...holding, names }], null)[1]).toContain('  2 of 12 names missing  ')
})
