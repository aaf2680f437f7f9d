import { expect, test } from 'bun:test'
import { noteNotIndexed, searchWish } from '../../src/cli/search-options.ts'
import type { Terminal } from '../../src/cli/terminal.ts'

const none = { library: [], version: null, path: [], language: [], kind: [] }

test('what was typed, and what it means', () => {
  expect(searchWish(none)).toEqual({
    library: null, version: null, filter: { paths: [], languages: [], kinds: [] },
  })
  const typed = { library: ['a', 'b,c'], version: '1', path: ['{a,b}/**'], language: ['de, en'] }
  expect(searchWish({ ...typed, kind: ['guide,Reference'] })).toEqual({
    library: 'a,b,c',
    version: '1',
    filter: { paths: ['{a,b}/**'], languages: ['de', 'en'], kinds: ['guide', 'reference'] },
  })
  expect(() => searchWish({ ...none, kind: ['api'] })).toThrow('Unknown kind of page "api"')
})

test('what is not there is said in a line each', () => {
  const lines: string[] = []
  const note = (kind: string, line: string) => lines.push(`${kind}: ${line}`)
  noteNotIndexed({ note } as unknown as Terminal, [
    { library: 'vite', version: '9', nearest: ['6.0.0', '5.0.0'] },
    { library: null, version: '8', nearest: [] },
    { library: 'vitte', version: null, nearest: ['vite'] },
  ])
  expect(lines).toEqual([
    'warning: Version "9" of vite is not indexed; nearest: 6.0.0, 5.0.0',
    'warning: Version "8" is not indexed',
    'warning: Library "vitte" is not indexed; nearest: vite',
  ])
})
