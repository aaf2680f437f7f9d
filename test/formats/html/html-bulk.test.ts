import { expect, test } from 'bun:test'
import { removeBulk } from '../../../src/formats/html/html.ts'

const check = (source: string, expected: string) => expect(removeBulk(source)).toBe(expected)

test('removes comments, scripts, styles, SVG and navigation', () => {
  check('a<!-- <nav> -->b<script>"<nav>"</script >c<STYLE>x</STYLE>d', 'abcd')
  check('a<nav class="x"><ul><nav>y</nav></ul></nav>b<svg><path/></svg>c', 'abc')
  check('a<svg viewBox="0"/>b<svg>x<svg/></svg>c', 'abc')
})

test('keeps text and tags that only resemble these elements', () => {
  for (const source of ['<nav-bar>a</nav-bar>', '&lt;nav&gt;', 'a < b', '<p title="script">', '']) {
    check(source, source)
  }
})

test('keeps an unclosed element and all text after it', () => {
  check('a<!-- b', 'a<!-- b')
  check('<script>a</script><nav>b<script>c</script>', '<nav>b<script>c</script>')
  check('<nav>a<nav>b</nav>', '<nav>a<nav>b</nav>')
})

test('ignores unclosed comments and tags inside a removed element', () => {
  check('<nav><!-- a</nav>b', 'b')
  check('<nav><!-- </nav> --></nav>b', 'b')
  check('<svg><svg/></svg >b<svg a', 'b<svg a')
})
