import { expect, test } from 'bun:test'
import { addOverloadText, joinOverloadTexts, mergeOverloads } from '../../src/api/overload.ts'
import type { ApiSymbol } from '../../src/api/symbol.ts'
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

const method = (signature: string, documentation: string): ApiSymbol => ({
  kind: 'method',
  name: 'on',
  qualifiedName: 'on',
  signature,
  documentation,
  line: 1,
  members: [],
  deprecated: null,
  since: null,
})

test('merges overloads, and shows the signature before each further text', () => {
  const merged = mergeOverloads([method('void on()', 'Lights.'), method('void on(int n)', 'Dims.')])
  expect(merged).toHaveLength(1)
  expect(merged[0]!.signature).toBe('void on()\nvoid on(int n)')
  expect(merged[0]!.documentation).toBe('Lights.\n\n**`on(int n)`**\n\nDims.')
})
