import { expect, test } from 'bun:test'
import { withoutBulk } from '../../../src/page/html/html.ts'

const check = (source: string, expected: string) => expect(withoutBulk(source)).toBe(expected)

test('comments, scripts, styles, drawings and navigation go', () => {
  check('a<!-- <nav> -->b<script>"<nav>"</script >c<STYLE>x</STYLE>d', 'abcd')
  check('a<nav class="x"><ul><nav>y</nav></ul></nav>b<svg><path/></svg>c', 'abc')
  check('a<svg viewBox="0"/>b<svg>x<svg/></svg>c', 'abc')
})

test('what only looks like it stays', () => {
  for (const source of ['<nav-bar>a</nav-bar>', '&lt;nav&gt;', 'a < b', '<p title="script">', '']) {
    check(source, source)
  }
})

test('what is never closed stays, with all that follows', () => {
  check('a<!-- b', 'a<!-- b')
  check('<script>a</script><nav>b<script>c</script>', '<nav>b<script>c</script>')
  check('<nav>a<nav>b</nav>', '<nav>a<nav>b</nav>')
})

test('comments and tags that nothing ends hide nothing', () => {
  check('<nav><!-- a</nav>b', 'b')
  check('<nav><!-- </nav> --></nav>b', 'b')
  check('<svg><svg/></svg >b<svg a', 'b<svg a')
})
