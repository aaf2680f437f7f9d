import { expect, test } from 'bun:test'
import { addOverloadText, joinOverloadTexts } from '../../src/api/overload.ts'
import { outlineTypeScript } from '../../src/api/typescript/typescript.ts'

test('writes each text once, below the signatures that share it', () => {
  const texts = new Map<string, string[]>()
  const { symbols } = outlineTypeScript('declare function a(b: 1): void')
  const add = (signature: string, documentation: string) =>
    addOverloadText(texts, { ...symbols[0]!, signature, documentation })
  add('a(b: 1): void', 'One.')
  add('a(b: 2): void', 'Two.')
  add('a(b: 3): void', 'Two.')
  add('a(b: 4): void', '')
  expect(joinOverloadTexts(texts)).toBe('One.\n\n**`a(b: 2)`**, **`a(b: 3)`**\n\nTwo.')
})
