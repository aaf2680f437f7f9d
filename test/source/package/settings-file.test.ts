import { expect, test } from 'bun:test'
import { xmlElements, xmlText } from '../../../src/source/package/settings-file.ts'

test('lists elements by their path, with texts and attributes', async () => {
  const text = '\uFEFF<?xml version="1.0"?><a>\n<b c="1"> x &amp; <d>y</d></b></a>'
  const elements = await xmlElements(text, 'a file')
  expect(elements).toEqual([
    { path: 'a/b/d', text: 'y', attributes: {} },
    { path: 'a/b', text: 'x &', attributes: { c: '1' } },
    { path: 'a', text: '', attributes: {} },
  ])
  expect([xmlText(elements, 'a/b'), xmlText(elements, 'a/x')]).toEqual(['x &', ''])
})

test('refuses endless nesting, unknown entities and other text', async () => {
  expect(xmlElements('<a>'.repeat(200), 'a file')).rejects.toThrow(/nest over 100/)
  expect(xmlElements('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'a file')).rejects.toThrow()
  expect(xmlElements('{}', 'a file')).rejects.toThrow(/^Cannot read a file: /)
})
