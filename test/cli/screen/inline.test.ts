import { expect, test } from 'bun:test'
import { inlineSpans } from '../../../src/cli/screen/markdown-rows.ts'

/** Checks styled text, with styled parts in angle brackets: `a <strong:b>`. */
function check(text: string, expected: string): void {
  const spans = inlineSpans(text)
  expect(spans.map(({ text, style }) => (style ? `<${style}:${text}>` : text)).join('')).toBe(
    expected,
  )
}

test('converts Markdown marks to styles', () => {
  check('a **b *c* d** ~~e~~', 'a <strong:b ><emphasis:c><strong: d> e')
  check('`` a`b `` and \\*c\\*', '<code:a`b> and *c*')
  check(
    '[site](https://e.org), [here](a.md), ![a lamp](l.png), ![](l.png)',
    '<link:site><aside: (https://e.org)>, <link:here>, <aside:[a lamp]>, <aside:[picture]>',
  )
  check('AT&amp;T &mdash; `&lt;`', 'AT&T — <code:&lt;>')
})

test('converts formatting HTML like Markdown, unless it is escaped or in code', () => {
  check('<b>a</b>, <em>b</em><br><kbd>c</kbd>', '<strong:a>, <emphasis:b> <code:c>')
  check('<img src="l.png" alt="a lamp"> <img src="l.png">', '<aside:[a lamp]> ')
  check('<a href="https://e.org">site</a>', '<link:site><aside: (https://e.org)>')
  check('\\<b>a `<b>`, List<String>', '<b>a <code:<b>>, List<String>')
})
