import { expect, test } from 'bun:test'
import { toPageHead } from '../../../src/store/pages/page-head.ts'

const page = { url: 'a', path: 'a.md', title: 'A', markup: 'markdown' }

test('omits the empty fields of a page without a place in a navigation', () => {
  const row = { ...page, nav_position: -1, nav_section: '', toctree: '' }
  expect(toPageHead(row, 3n)).toStrictEqual({ ...page, rowId: 3n })
})

test('keeps the place of a page in a navigation, and no other fields', () => {
  const place = { nav_position: 0, nav_section: 'Guide', toctree: 'b' }
  expect(toPageHead({ ...page, ...place, text: 'long' } as never, 3n)).toStrictEqual({
    ...page,
    ...place,
    rowId: 3n,
  })
})
