import { expect, test } from 'bun:test'
import { parseMan } from '../../../src/formats/man/man.ts'
import { manTitle } from '../../../src/formats/man/man-state.ts'
import { runMdocLine } from '../../../src/formats/man/mdoc.ts'

test('writes a name as in the header, unless the header is all capitals', () => {
  expect(manTitle('TAR', '1')).toBe('tar(1)')
  expect(manTitle('XOpenDisplay', '')).toBe('XOpenDisplay')
})

test('encloses, joins and cross-references text as mdoc does', () => {
  const shown = (lines: string) =>
    parseMan(`.Dd x\n.Sh A\n${lines}\n`, 'a.1').text.split('\n\n')[1]?.trim()
  expect(shown('.Pq Va x')).toBe('(`x`)')
  expect(shown('.Fl a Ns Ar file')).toBe('`-a`*file*')
  expect(shown('.Lk https://x.y Home')).toBe('[Home](https://x.y)')
  expect(shown('.Fn open path flags')).toBe('`open(path, flags)`')
  expect(runMdocLine({} as never, { name: 'SH', args: [], rest: '' })).toBe(false)
})
