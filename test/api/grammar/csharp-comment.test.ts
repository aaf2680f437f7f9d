import { expect, test } from 'bun:test'
import { renderedDoc } from '../../../src/api/grammar/read-tree.ts'
import { parseXmlComment } from '../../../src/api/grammar/csharp-comment.ts'
import { cpuMs } from '../../support/pages/cpu-time.ts'

const check = (comment: string, expected: string) =>
  expect(renderedDoc(parseXmlComment(comment))).toBe(expected)

test('converts sections, references and lists', () => {
  check(
    `/// <summary>
/// Lights a <see cref="T:Acme.Lamp"/> or <paramref name="level"/>, <c>a</c>.
/// <para>Twice.</para>
/// </summary>
/// <param name="level">The <see langword="null"/> level.</param>
/// <returns>A <see cref="List{T}"/>.</returns>
/// <exception cref="IOException">Never.</exception>
/// <remarks><list type="bullet"><item>one</item><item>two</item></list></remarks>`,
    'Lights a `Acme.Lamp` or `level`, `a`.\n\nTwice.\n\n- one\n- two\n\n' +
      '**Parameters**\n\n- `level`: The `null` level.\n\n**Returns**: A `List<T>`.\n\n' +
      '**Raises**\n\n- `IOException`: Never.',
  )
})

test('keeps the lines of code', () => {
  check(
    '/// <example><code>\n/// if (a)\n///     b();\n/// </code></example>',
    '**Example**\n\n```csharp\nif (a)\n    b();\n```',
  )
})

test('parses long comments without repeated searches', () => {
  for (const part of ['<summary>', '<see cref="', '<code>', '<', '/// a\n']) {
    expect(cpuMs(() => parseXmlComment(`///${part.repeat(50_000)}`))).toBeLessThan(3000)
  }
})
