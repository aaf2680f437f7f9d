import { expect, test } from 'bun:test'
import { toPlainMarkdown } from '../../../src/formats/markdown/markdown-text.ts'
import { isSlotMark, parseMdc, removeInlineMdc } from '../../../src/formats/markdown/container.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

/** Checks the text without blank lines and box marks. */
function check(source: string, expected: string): void {
  const lines = toPlainMarkdown(source)
    .split('\n')
    .map((line) => line.trimEnd())
  expect(lines.filter((line) => line !== '').join('\n')).toBe(expected)
}

test('shows MDC notes, cards and links as text', () => {
  check('::tip{icon="i-x" to="/guide"}\nRead **on**.\n::\n', '**[Tip](/guide)**\nRead **on**.')
  check('::callout\nplain\n::', 'plain')
  check(
    '::card-group\n  ::card\n  ---\n  icon: i-x\n  title: "nuxt/ui"\n  to: /ui\n  ---\n  Text.\n  ::\n::',
    '**[nuxt/ui](/ui)**\nText.',
  )
  check('::read-more{title="Modes" to="/modes"}\n::\nnext', 'Read more: [Modes](/modes)\nnext')
  check('::field{name="to" type="string"}\nWhere.\n::', '`to` string\nWhere.')
  check('::my-thing{color="red"}\ninner\n::', 'inner')
})

test('labels each tab of a code group', () => {
  check(
    '::code-group\n\n```sh [npm]\nnpm i\n```\n\n```sh [yarn]\nyarn\n```\n\n::',
    'npm:\n```sh\nnpm i\n```\nyarn:\n```sh\nyarn\n```',
  )
})

test('closes nested components by the number of their colons', () => {
  check('::steps\n:::note\ninner\n:::\nouter\n::\nafter', '**Note**\ninner\nouter\nafter')
  check('::note\n#title\nT\n#default\ntext\n::', '**Note**\nT\ntext')
})

test('keeps code and an unclosed line of colons unchanged', () => {
  check('::grid\ntext', '::grid\ntext')
  check('```md\n::tip\nx\n::\n```', '```md\n::tip\nx\n::\n```')
  expect(parseMdc([':::tip'], { at: 0, line: ':::tip', isInside: false })).toBeNull()
})

test('replaces inline components and attributes with their text', () => {
  const inline = (source: string, expected: string) =>
    expect(removeInlineMdc(source)).toBe(expected)
  inline(':read-more{title="A" to="/a"}', 'Read more: [A](/a)')
  inline('see :link-example{to="https://x.y"}.', 'see [https://x.y](https://x.y).')
  inline('`code`{lang="ts"} [v4]{color="info" size="xs"} :icon{name="x"}', '`code` v4 ')
  inline('[Go](/x){.md-button target=_blank} ![](a.png){ width="300" }', '[Go](/x) ![](a.png)')
  inline(
    '`:badge{a="b"}` a:b{c=d} /:name[x]{y} { a: 1 }',
    '`:badge{a="b"}` a:b{c=d} /:name[x]{y} { a: 1 }',
  )
})

test('takes linear time for hostile attributes', () => {
  const started = usedCpuMs()
  for (const piece of ['[a]{', ':a{b=', '`{.a', ':a[', '{a=b ', ':a{' + 'w'.repeat(50)]) {
    removeInlineMdc(piece.repeat(20_000))
    toPlainMarkdown(`::a{${piece.repeat(20_000)}}\n::\n`)
  }
  expect(usedCpuMs() - started).toBeLessThan(2000)
})

test('distinguishes a slot from a heading', () => {
  expect(isSlotMark('#title')).toBe(true)
  expect(isSlotMark('# title')).toBe(false)
})
