import { expect, test } from 'bun:test'
import { isListOfNames, isListOfTitles } from '../../src/search/list-of-titles.ts'

test('recognises lists of features and tables of contents', () => {
  expect(isListOfTitles('## Features\n\n- **Fast**\n- Works offline\n- [Guides](a.md)\n')).toBe(
    true,
  )
  expect(isListOfTitles('1. [Install](#install)\n2. [Use](#use)\n3. [API](#api)')).toBe(true)
})

test('keeps lists with sentences or code, and short lists', () => {
  expect(isListOfTitles('- `a`: one\n- `b`: two\n- `c`: three')).toBe(false)
  expect(isListOfTitles('- Light it. Then wait.\n- Trim it.\n- Refill it.')).toBe(false)
  expect(isListOfTitles('- Fast\n- Small')).toBe(false)
  expect(isListOfTitles('- Fast\n- Small\n- Safe\n\nIt runs.\n\nIt stops.')).toBe(false)
})

test('recognises the list of names in a module, but not the attributes of a class', () => {
  const names = '- `lamp.Wick`: A wick.\n- `lamp.Oil`\n- `lamp.light`: Lights it.'
  expect(isListOfNames({ title: 'lamp', content: `**Classes**\n\n${names}` })).toBe(true)
  expect(isListOfNames({ title: 'lamp.Wick', content: names.replaceAll('lamp.', '') })).toBe(false)
  expect(isListOfNames({ title: 'lamp', content: names.split('\n')[0]! })).toBe(false)
})
