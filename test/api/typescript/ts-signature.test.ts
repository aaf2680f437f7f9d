import { expect, test } from 'bun:test'
import { compactDeclaration } from '../../../src/api/typescript/ts-signature.ts'

test('removes comments, module keywords and line breaks', () => {
  expect(
    compactDeclaration(
      'export declare function a(\n  b: string, // why\n  c: "http://x",\n): void;',
    ),
  ).toBe('function a(b: string, c: "http://x"): void')
})
