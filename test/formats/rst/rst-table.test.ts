import { expect, test } from 'bun:test'
import {
  parseCsvTable,
  parseDrawnTable,
  parseListTable,
} from '../../../src/formats/rst/rst-table.ts'

const lines = (text: string) => text.split('\n')

test('parses a list of lists as a table, and rejects other text', () => {
  expect(parseListTable(lines('* - a\n  - b\n    c\n\n    d\n* - e\n  -'), 1)).toEqual({
    rows: [
      ['a', 'b\nc\n\nd'],
      ['e', ''],
    ],
    headers: 1,
  })
  expect(parseListTable(lines('text'), 0)).toBeNull()
  expect(parseListTable([], 0)).toBeNull()
})

test('parses values with commas, quotes and line breaks', () => {
  expect(parseCsvTable('1, "a, ""b""\nc"\n\n2,', 'x, y')).toEqual({
    rows: [
      ['x', 'y'],
      ['1', 'a, "b"\nc'],
      ['2', ''],
    ],
    headers: 1,
  })
  expect(parseCsvTable('1,2', undefined)).toEqual({ rows: [['1', '2']], headers: 0 })
  expect(parseCsvTable('"open', undefined)).toEqual({ rows: [['"open']], headers: 0 })
  expect(parseCsvTable('', undefined)).toBeNull()
})

test('parses drawings whose cells have the same edges in every row', () => {
  expect(parseDrawnTable(lines('==  ==\na   b\nc   d\n==  ==\n1   2\n    3\n==  =='))).toEqual({
    rows: [
      ['a c', 'b d'],
      ['1', '2 3'],
    ],
    headers: 1,
  })
  expect(parseDrawnTable(lines('==  ==\nab  cd\nefghi\n==  =='))).toBeNull()
  expect(parseDrawnTable(lines('+--+--+\n|a |b |\n|  |c |\n+--+--+'))).toEqual({
    rows: [['a\n', 'b\nc']],
    headers: 0,
  })
  expect(parseDrawnTable(lines('+--+--+\n|a    |\n+--+--+'))).toBeNull()
})
