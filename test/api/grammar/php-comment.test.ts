import { expect, test } from 'bun:test'
import { phpRules } from '../../../src/api/grammar/php-comment.ts'
import { renderedDoc } from '../../../src/api/grammar/read-tree.ts'
import { cpuMs } from '../../support/pages/cpu-time.ts'

const read = (text: string) => phpRules.comment(text, { nBefore: 1, nAfter: 1 })
const check = (text: string, expected: string) =>
  expect(renderedDoc(read(text)!.doc)).toBe(expected)

test('reads types with spaces and braces', () => {
  check(
    '/**\n * @param array<string, array{a: int}> | null $x The x.\n * @param $y\n */',
    '**Parameters**\n\n- `$x` (`array<string, array{a: int}> | null`): The x.\n- `$y`',
  )
  check(
    '/** @return callable(int, string): bool Whether */',
    '**Returns** (`callable(int, string): bool`): Whether',
  )
})

test('reads only documentation comments', () => {
  expect(read('// Text.')).toBe(null)
  expect(read('/* Text. */')).toBe(null)
  expect(read('/** @internal */')).toMatchObject({ isHidden: true })
})

test('parses long comments without repeated searches', () => {
  for (const part of ['@param array<', '{@see ', '@var a|', '@return (', '$x ']) {
    const text = `/**\n * ${part.repeat(50_000)}\n${` * ${part}\n`.repeat(5000)} */`
    expect(cpuMs(() => read(text))).toBeLessThan(3000)
  }
})
