import { expect, test } from 'bun:test'
import { cRules, parseDoxygen } from '../../../src/api/grammar/c-comment.ts'
import { renderedDoc } from '../../../src/api/grammar/read-tree.ts'
import { cpuMs } from '../../support/pages/cpu-time.ts'

const check = (comment: string, expected: string) =>
  expect(renderedDoc(parseDoxygen(comment))).toBe(expected)

test('converts block commands to sections', () => {
  check(
    `/*! @brief Opens the lamp.
 *
 *  Long text with @c code, \\p level, @em stress and @ref lamp_off "a link".
 *
 *  @param[in] level The brightness,
 *  over two lines.
 *  @return Zero.
 *  @retval -1 Failure.
 *  @thread_safety Only the main thread.
 *  @sa @ref lamp_off
 *  @since Added in version 3.0.
 *  @ingroup lamps
 */`,
    'Opens the lamp.\n\nLong text with `code`, `level`, *stress* and a link.\n\n' +
      '**Thread safety**: Only the main thread.\n\nSee `lamp_off`.\n\n' +
      '**Parameters**\n\n- `level`: The brightness, over two lines.\n\n' +
      '**Returns**\n\n- Zero.\n- `-1`: Failure.',
  )
})

test('keeps code, and headings of groups', () => {
  check('/// Use:\n/// @code{.c}\n/// f(@a);\n/// @endcode', 'Use:\n```c\nf(@a);\n```')
  check('/** @defgroup lamps Lamps and oil\n * All lamps. */', '**Lamps and oil**\n\nAll lamps.')
})

test('keeps the text of plain comments, and converts their HTML', () => {
  check('/*\n** REF: Open\n**\n** <ul><li>one<li>two</ul>\n*/', 'REF: Open\n\n- one\n- two')
  check(
    '/*\n     Opens it @once.\n   Twice.\n\n       code\n*/',
    'Opens it @once.\nTwice.\n\n    code',
  )
})

test('chooses the declaration of a comment by its mark and the lines around it', () => {
  const of = (text: string, nBefore: number, nAfter: number) =>
    cRules.comment(text, { nBefore, nAfter })?.of ?? null
  expect(of('/** a */', 2, 1)).toBe('next')
  expect(of('/**< a */', 1, 1)).toBe('previous')
  expect(of('/** @file */', 1, 1)).toBe('file')
  expect(of('/* a */', 0, 1)).toBe('previous')
  expect(of('/* a */', 1, 2)).toBe('previous')
  expect(of('/* a */', 2, 2)).toBe(null)
})

test('parses long comments without repeated searches', () => {
  for (const part of ['@a ', '`', '\n@code', '@ref a "', '<code>', '\n * @param x', '#']) {
    expect(cpuMs(() => parseDoxygen(`/**${part.repeat(100_000)}*/`))).toBeLessThan(3000)
  }
})
