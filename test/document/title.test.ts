import { expect, test } from 'bun:test'
import { titleFromHeadings, titleFromPath } from '../../src/document/title.ts'

const check = (path: string, expected: string) => expect(titleFromPath(path)).toBe(expected)

test('W-27: gives an index page the name of its folder, not "Index"', () => {
  check('docs/path-params/index.md', 'Path Params')
  check('docs/guide/_index.md', 'Guide')
  check('kettle/README.rst', 'Kettle')
  check('index.md', 'Index')
})

test('omits the ordering number of a file', () => {
  check('02-install.md', 'Install')
  check('1.getting-started/index.md', 'Getting Started')
  check('3d.md', '3d')
  check('10-2.md', '10 2')
})

test('capitalises the words of a file name, and keeps mixed case', () => {
  check('query-params_str.validation.md', 'Query Params Str.validation')
  check('api/useEffect.md', 'useEffect')
  check('élan vital.md', 'Élan Vital')
  check('--.md', '--')
  check('', '')
})

const heading = (level: number, title: string, offset = 0) => ({
  offset,
  end: offset + 1,
  level,
  title,
})

test('W-27: uses the first heading of level 1 as the title', () => {
  expect(titleFromHeadings([heading(2, 'a'), heading(1, 'b'), heading(1, 'c')], '', '')).toBe('b')
})

test('uses a lower heading as the title if it is the first and the only one of its level', () => {
  const text = '\n## a\n\ntext\n\n### b\n'
  expect(titleFromHeadings([heading(2, 'a', 1), heading(3, 'b', 12)], text, '')).toBe('a')
  expect(titleFromHeadings([heading(2, 'a', 1), heading(2, 'b', 12)], text, '')).toBeNull()
  expect(titleFromHeadings([heading(3, 'b', 12)], text, '')).toBeNull()
  expect(titleFromHeadings([heading(2, '1.2.0', 1)], text, '')).toBeNull()
  expect(titleFromHeadings([], text, '')).toBeNull()
})

test('takes the heading below a banner of the project as the title, except on an index page', () => {
  const text = '<h1 align="center">Kettle</h1>\n\n## Hooks\n\ntext\n'
  const list = [{ ...heading(1, 'Kettle'), end: 31 }, heading(2, 'Hooks', 32)]
  expect(titleFromHeadings(list, text, 'docs/hooks.md')).toBe('Hooks')
  expect(titleFromHeadings(list, text, 'README.md')).toBe('Kettle')
  expect(titleFromHeadings(list, text.replace('<h1', '# x'), 'docs/hooks.md')).toBe('Kettle')
})
