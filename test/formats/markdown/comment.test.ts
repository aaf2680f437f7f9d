import { expect, test } from 'bun:test'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'
import { withoutComments } from '../../../src/formats/markdown/comment.ts'

const check = (text: string, expected: string) => expect(withoutComments(text)).toBe(expected)
const same = (text: string) => check(text, text)

test('removes comments in lines, between lines and over several lines', () => {
  check('# T\n\n<!-- a -->\n\nb <!-- c --> d{# e #}\n', '# T\n\n\nb  d\n')
  check('a\n<!-- b -->\nc\n', 'a\n\nc\n')
  check('<!-- prettier-ignore -->\n| a |\n|---|\n', '| a |\n|---|\n')
  check('a\n\n<!--\n# b\n\n```\n-->\n\nc <!-- d\ne --> f', 'a\n\n\nc  f')
  check(
    '- a\n\n    <!-- b -->\n\n!!! note\n\n    <!-- c -->\n    d\n',
    '- a\n\n\n!!! note\n\n    d\n',
  )
})

test('keeps comments in code, and unclosed comments', () => {
  same('```html\n<!-- a -->\n```\n')
  same('    ```html\n    <!-- a -->\n    ```\n')
  same('a\n\n    <!-- b -->\n')
  same('`<!-- a -->` and `` `<!-- b -->``\n')
  same('<!-- a\n\nb\n')
  same('a <!-- b\n\nc --> d\n')
  same('{#if a}b{/if} {#anchor}\n')
})

test('takes linear time', () => {
  const started = usedCpuMs()
  withoutComments('<!-- a'.repeat(200_000))
  withoutComments('<!-- a -->`'.repeat(200_000))
  withoutComments('<!-- a\n -->'.repeat(100_000))
  withoutComments('- {# a\n'.repeat(100_000))
  withoutComments('a <!-- b\n\n'.repeat(100_000) + '-->')
  expect(usedCpuMs() - started).toBeLessThan(5_000)
})
