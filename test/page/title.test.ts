import { expect, test } from 'bun:test'
import { headingTitle, pathTitle } from '../../src/page/title.ts'

const check = (path: string, expected: string) => expect(pathTitle(path)).toBe(expected)

test('W-27: an index is named after its folder, not "Index"', () => {
  check('docs/path-params/index.md', 'Path Params')
  check('docs/guide/_index.md', 'Guide')
  check('kettle/README.rst', 'Kettle')
  check('index.md', 'Index')
})

test('words of a file name, those with capitals as spelt', () => {
  check('query-params_str.validation.md', 'Query Params Str.validation')
  check('api/useEffect.md', 'useEffect')
  check('élan vital.md', 'Élan Vital')
  check('--.md', '--')
  check('', '')
})

test('W-27: the first heading of level 1 is the title', () => {
  const heading = (level: number, title: string) => ({ offset: 0, end: 1, level, title })
  expect(headingTitle([heading(2, 'a'), heading(1, 'b'), heading(1, 'c')])).toBe('b')
  expect(headingTitle([heading(2, 'a')])).toBeNull()
})
