import { expect, test } from 'bun:test'
import { programmingLanguageOf } from '../../src/api/language.ts'
import { outlineFile } from '../../src/api/outline.ts'

test('parses a file by its extension', async () => {
  expect(programmingLanguageOf('a/b.PYI')).toBe('python')
  expect((await outlineFile('a.py', 'def light(): ...'))!.symbols[0]!.name).toBe('light')
  expect(await outlineFile('a.md', 'def light(): ...')).toBeNull()
})
