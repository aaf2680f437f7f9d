import { expect, test } from 'bun:test'
import { openScript, scriptMarks } from '../../../src/formats/markdown/script.ts'

const marks = (source: string) =>
  [...scriptMarks(openScript(source, 0))].map(({ sign, at }) => sign.replace('\n', 'n') + at)

test('yields brackets, commas and line ends, and the end of the source', () => {
  expect(marks('f(a, [\n])')).toEqual(['(1', ',3', '[5', 'n6', ']7', ')8', 'n9'])
})

test('skips strings, comments and regular expressions', () => {
  expect(marks("'{' // [\n")).toEqual(['n8', 'n9'])
  expect(marks('/* ( */ "a\\"{" `${b}\n`')).toEqual(['n22'])
  expect(marks('a = /[{]"/')).toEqual(['n10'])
})

test('continues after an unclosed quote', () => {
  expect(marks("it's {")).toEqual(['{5', 'n6'])
})
