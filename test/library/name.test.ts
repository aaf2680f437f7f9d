import { expect, test } from 'bun:test'
import { checkVersionLabel, libraryKey } from '../../src/library/name.ts'

test('accepts library names in any capitalisation (W-14)', () => {
  const names = [
    'react',
    'React',
    '@scope/pkg',
    'a',
    'A.b_c-1',
    '.github',
    '...',
    'con',
    'x'.repeat(100),
  ]
  for (const name of names) {
    expect(libraryKey(name)).toBe(name.toLowerCase())
  }
})

test('rejects names that could be a path, an option or several lines (W-61)', () => {
  const names = [
    '',
    '.',
    '..',
    '../x',
    '/etc',
    'a/b',
    '@a/b/c',
    '@/b',
    '@a/',
    '@../x',
    '@a/..',
    'a\\b',
    'C:x',
    'a b',
    ' a',
    'a\n',
    'a\0',
    'é',
    'ﬁ',
    '\u202ea',
    'a*',
    "a'",
    'x'.repeat(101),
    '\u212a',
    '🫖',
    'x'.repeat(300),
    '../../x',
  ]
  for (const name of names) {
    expect(() => libraryKey(name)).toThrow('Cannot use library name')
  }
})

test('accepts any version without control characters', () => {
  for (const version of ['1', 'release/2.0', 'a b', "'", '../..', 'é', 'v'.repeat(200)]) {
    expect(checkVersionLabel(version)).toBe(version)
  }
  for (const version of ['', 'a\n', '\0', '\u007f', '\u001b[31m', 'v'.repeat(201)]) {
    expect(() => checkVersionLabel(version)).toThrow('Cannot use version')
  }
})
