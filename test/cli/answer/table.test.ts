import { expect, test } from 'bun:test'
import { renderTable } from '../../../src/cli/screen/layout.ts'

test('aligns columns by display width', () => {
  expect(
    renderTable(
      [
        ['NAME', 'N'],
        ['日本', '1'],
        ['a', '22'],
      ],
      null,
    ),
  ).toBe('NAME  N\n日本  1\na     22\n')
})

test('ends short rows early and without trailing spaces', () => {
  expect(renderTable([['a', 'bb', 'c'], ['aaa'], ['a', '', 'c']], null)).toBe(
    'a    bb  c\naaa\na        c\n',
  )
  expect(renderTable([], null)).toBe('')
})
