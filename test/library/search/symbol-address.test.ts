import { expect, test } from 'bun:test'
import { pagesOfSymbol, partOfSymbol } from '../../../src/library/page.ts'

const titles = {
  'a.py#L1': 'lamp',
  'a.py#L2': 'lamp.Wick',
  'b.py#L2': 'lamp.old.Wick',
  'c.py#L1': 'lamp.a.Oil',
  'd.py#L1': 'lamp.b.Oil',
  'guide.md': 'lamp.Wick',
}
const heads = new Map(
  Object.entries(titles).map(([url, title]) => [url, { url, path: url, title }]),
)

/** Checks which pages may define this name. */
function check(typed: string, expected: string[]) {
  expect(pagesOfSymbol(typed, heads)).toEqual(expected)
}

test('finds a page by the name of a symbol, of its member, or by the end of a name', () => {
  check('lamp.Wick', ['a.py#L2', 'a.py#L1'])
  check('lamp.Wick.trim', ['a.py#L2', 'a.py#L1'])
  check('Wick', ['a.py#L2'])
  check('old.Wick', ['b.py#L2'])
  check('Oil', [])
  check('ick', [])
  check('https://example.org/lamp', [])
})

test('finds the part of the page that defines the name', () => {
  const page = {
    title: 'lamp.Wick',
    text: '# `lamp.Wick`\n\n**Attributes**\n\n- `length: int`: in mm\n\n## `lamp.Wick.trim`\n\nCuts.\n',
  }
  expect(partOfSymbol(page, 'lamp.Wick')).toBe('whole')
  expect(partOfSymbol(page, 'oil.Can')).toBeNull()
  expect(partOfSymbol(page, 'lamp.Wick.trim')).toEqual({ anchor: 'lamp.Wick.trim' })
  expect(partOfSymbol(page, 'lamp.Wick.length')).toEqual({ anchor: 'lamp.Wick.length' })
  expect(partOfSymbol(page, 'lamp.Wick#length')).toEqual({ anchor: 'lamp.Wick.length' })
  expect(partOfSymbol(page, 'lamp.Wick.burn')).toBeNull()
})
