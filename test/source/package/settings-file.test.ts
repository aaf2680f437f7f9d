import { expect, test } from 'bun:test'
import { xmlElements, xmlText } from '../../../src/source/package/settings-file.ts'

test('lists elements by their path, with texts and attributes', () => {
  const text = '\uFEFF<?xml version="1.0"?><a>\n<b c="1"> x &amp; <d>y</d></b></a>'
  const elements = xmlElements(text, 'a file')
  expect(elements).toEqual([
    { path: 'a/b/d', text: 'y', attributes: {} },
    { path: 'a/b', text: 'x &', attributes: { c: '1' } },
    { path: 'a', text: '', attributes: {} },
  ])
  expect([xmlText(elements, 'a/b'), xmlText(elements, 'a/x')]).toEqual(['x &', ''])
})

test.each([
  ['endless nesting', '<a>'.repeat(50_000) + '</a>'.repeat(50_000)],
  ['unknown entities', '<a>&b;</a>'],
  ['endless entities', `<!DOCTYPE a [${entities(40)}]><a>&e39;</a>`],
  ['too many elements', `<a>${'<b/>'.repeat(400_000)}</a>`],
  ['other text', '{}'],
])('refuses %s', (_, text) => {
  expect(() => xmlElements(text, 'a file')).toThrow(/^Cannot read a file: /)
})

/** Declares entities that each contain the one before them twice. */
function entities(count: number): string {
  return Array.from(
    { length: count },
    (_, i) => `<!ENTITY e${i} "${i === 0 ? 'x' : `&e${i - 1};&e${i - 1};`}">`,
  ).join('')
}
