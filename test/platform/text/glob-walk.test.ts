import { expect, test } from 'bun:test'
import { openWalk } from '../../../src/platform/text/glob.ts'
import { OgError } from '../../../src/platform/error.ts'

/** Expects the paths that the spellings of one glob match. No spelling has braces. */
function check(spellings: string | string[], paths: Record<string, boolean>, isNegated = false) {
  const list = [spellings].flat()
  const walk = openWalk(list, { text: list.join(), isNegated })
  const told = Object.fromEntries(Object.keys(paths).map((path) => [path, walk(path)]))
  expect(told).toEqual(paths)
}

test('one star matches within a name, and two stars match any number of folders', () => {
  check('*.md', { 'a.md': true, '.md': true, 'a/b.md': false, 'a.mdx': false })
  check('a*b', { ab: true, 'a-b': true, 'a/b': false })
  check('**/b', { b: true, 'a/b': true, 'a/c/b': true, ab: false })
  check('a/**/b', { 'a/b': true, 'a/c/b': true, 'a/c/d/b': true, 'a/cb': false, 'xa/b': false })
  check('a/**', { a: true, 'a/b': true, 'a/b/c': true, ab: false })
  check('a*/**', { a: false, 'a/b': true, 'ab/c': true })
  check('**', { a: true, 'a/b': true })
  check('**/**/b', { b: true, 'a/b': true })
})

test('a folder name matches its whole content, but not a folder whose name only begins with it', () => {
  check('docs', {
    docs: true,
    'docs/a/b.md': true,
    docsx: false,
    'docsx/a': false,
    'a/docs': false,
  })
  check('*.d', { 'a.d/b': true, 'a/b.d': false })
  check('**/docs', { 'a/docs/b': true })
})

test('a question mark matches one character of a name', () => {
  check('*', { '/a': false })
  check('a?c', { abc: true, ac: false, 'a/c': false, abbc: false })
})

test('a class matches one of its characters, never a slash, or a folder of that name', () => {
  check('[ab]', { a: true, b: true, c: false, '[ab]': true })
  check('[a-c]x', { bx: true, dx: false, '-x': false, '[a-c]x': false })
  check('[!a]', { b: true, a: false })
  check('x[^a]y', { xby: true, xay: false, 'x/y': false })
  check('[a-]', { a: true, '-': true, b: false })
  check('[]', { '[]': true, a: false })
  check('a[', { 'a[': true, a: false })
})

test('a backslash escapes a character, and other special characters are literal', () => {
  check('\\*', { '*': true, a: false })
  check('a\\?', { 'a?': true, ab: false })
  check('a.b+(c)$', { 'a.b+(c)$': true, axb: false, 'a.bb': false })
})

test('matches if one of several spellings does', () => {
  check(['a', 'b/c'], { a: true, 'b/c': true, b: false, 'b/d': false })
  check([], { a: false })
})

test('a negated glob matches all other paths', () => {
  check('a', { a: false, 'a/b': false, b: true, ab: true }, true)
  check('*.md', { 'a.md': false, 'a.rst': true, 'b/a.md': true, 'a.md/b': false }, true)
  check('a/*.md', { 'a/b.md': false, 'a/b.rst': true, a: true, 'a/b/c.md': true }, true)
})

test('the empty path matches nothing', () => {
  check('**', { '': false })
  check('a', { '': false }, true)
})

test('matches independently of earlier calls', () => {
  const paths = ['a/b', 'a/c', 'a', 'ab', 'b/a', 'a/b/c', 'a/b']
  const one = () => openWalk(['a/**/b', 'b*'], { text: '', isNegated: false })
  const walk = one()
  expect(paths.map(walk)).toEqual(paths.map((path) => one()(path)))
})

test('matches as fast with many stars as with few, even if a path nearly matches', () => {
  const walk = openWalk([`${'*a'.repeat(30)}b`], { text: '*a'.repeat(30), isNegated: false })
  expect(walk('a'.repeat(2000))).toBe(false)
  expect(walk(`${'a'.repeat(2000)}b`)).toBe(true)
})

test('throws with a hint if a glob needs too much work', () => {
  const spellings = [...'abcdefghijklmnopqrstuvwxyz'].map(
    (letter) => `*${letter}${'?'.repeat(20)}zz`,
  )
  const walk = openWalk(spellings, { text: 'as typed', isNegated: false })
  const ask = () => {
    for (let i = 0; i < 20_000; i++) walk(`${(i ** 5).toString(36)}-${(i ** 7).toString(36)}.md`)
  }
  expect(ask).toThrow(
    new OgError('Cannot use the glob "as typed": it can match these paths in too many ways'),
  )
})
