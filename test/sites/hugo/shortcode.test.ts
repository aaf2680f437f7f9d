import { expect, test } from 'bun:test'
import {
  pairShortcodes,
  shortcodeAt,
  findShortcodes,
  unescapeShortcodes,
} from '../../../src/sites/hugo/shortcode.ts'

function check(
  source: string,
  name: string,
  kind: string,
  args: Record<string, string> = {},
): void {
  const found = shortcodeAt(source, 0)
  expect(
    found && { name: found.name, kind: found.kind, args: Object.fromEntries(found.args) },
  ).toEqual({ name, kind: kind as 'open', args })
}

test('reads the name and the arguments of a shortcode', () => {
  check('{{< note >}}', 'note', 'open')
  check('{{% /tab %}}', 'tab', 'close')
  check('{{<relref "/a/b">}}', 'relref', 'open', { 0: '/a/b' })
  check('{{< ref /docs/x#y >}}', 'ref', 'open', { 0: '/docs/x#y' })
  check('{{< new-in 0.144.0 />}}', 'new-in', 'alone', { 0: '0.144.0' })
  check('{{< tab name="A \\"b\\"" codelang=go\n  x=`raw` >}}', 'tab', 'open', {
    name: 'A "b"',
    codelang: 'go',
    x: 'raw',
  })
})

test('ignores escaped, unclosed and overlong shortcodes', () => {
  for (const source of [
    '{{</* note */>}}',
    '{{< note',
    '{{< a "b >}}',
    `{{< a ${'b '.repeat(5000)}>}}`,
  ]) {
    expect(shortcodeAt(source, 0)).toBeNull()
  }
  expect(unescapeShortcodes('{{</* note "x" */>}} {{%/* b */%}}')).toBe(
    '{{< note "x" >}} {{% b %}}',
  )
})

test('pairs opening and closing shortcodes, inner ones first', () => {
  const found = findShortcodes('{{< a >}}{{< b >}}{{< a >}}{{< /a >}}{{< /a >}}{{< /c >}}')
  expect([...pairShortcodes(found)]).toEqual([
    [2, 3],
    [0, 4],
  ])
})
