import { expect, test } from 'bun:test'
import { docLines, featureNote, rustString } from '../../../src/api/rust/rust-item.ts'

test('reads string literals of attributes', () => {
  expect(rustString('"a \\"b\\"\\n"')).toBe('a "b"\n')
  expect(rustString('r#"a "b""#')).toBe('a "b"')
  expect(rustString('include_str!("README.md")')).toBe('')
})

test('reads doc comments by their opening marker', () => {
  expect(docLines('/// text', /^\/\/\//)).toEqual([' text'])
  expect(docLines('/** a\n * b\n */', /^\/\*\*/)).toEqual([' a', ' b', ' '])
  expect(docLines('// text', /^\/\/\//)).toEqual([])
})

test('lists the features that an item needs', () => {
  expect(featureNote(['cfg(feature = "net")'])).toBe('Needs the feature `net`.')
  expect(featureNote(['cfg_attr(docsrs, doc(cfg(any(feature = "a", feature = "b"))))'])).toBe(
    'Needs the feature `a` or `b`.',
  )
  expect(featureNote(['cfg(not(feature = "a"))', 'derive(Debug)'])).toBe('')
})
