import { expect, test } from 'bun:test'
import { isListOfTitles } from '../../src/search/list-of-titles.ts'

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
