import { expect, test } from 'bun:test'
import { parseHtml } from '../../../src/formats/html/html.ts'

const check = (body: string, expected: string) =>
  expect(parseHtml(`<main><h1>T</h1>${body}</main>`, 'a.html').text).toBe(`# T\n\n${expected}\n`)

const katex = `<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow><annotation encoding="application/x-tex">n+1</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span>n</span><span>+</span><span>1</span></span></span>`

test('writes a formula of KaTeX once, as its TeX source', () => {
  check(`<p>The value ${katex} is next.</p>`, 'The value $n+1$ is next.')
  check(`<p>So</p><div class="katex-display">${katex}</div>`, 'So\n\n$$n+1$$')
})

test('writes MathML in one line', () => {
  check('<p>A <math alttext="x^2 + y"><mi>x</mi></math> b</p>', 'A $x^2 + y$ b')
  check(
    '<p><math><mi>x</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac><msup><mi>c</mi><mn>2</mn></msup></math></p>',
    '$x={a+1}/bc^2$',
  )
})

test('writes powers, but not other superscripts', () => {
  check(
    '<p>2<sup>10</sup>, <i>a</i><sup>n-1</sup>, 10<sup>−6</sup>, (a+b)<sup>2</sup></p>',
    '2^10, *a*^n-1, 10^−6, (a+b)^2',
  )
  check('<p>the 1<sup>st</sup> of it<sup>2</sup> Og<sup>beta</sup></p>', 'the 1st of it2 Ogbeta')
})

test('writes a formula once that also has elements or a picture', () => {
  check(
    '<p>Is <span class="MathJax" id="e"><span>x</span></span><script type="math/tex">x_1</script> so</p>',
    'Is $x_1$ so',
  )
  check(
    '<p>It <span><math alttext="E=c"><mi>E</mi></math><img class="mwe-math-fallback-image-inline" src="x.svg" alt="E=c"></span></p>',
    'It $E=c$',
  )
})

test('writes the scripts of MathJax and its containers', () => {
  check(
    '<p>Is <span class="MathJax_Preview">x</span><script type="math/tex">a_b < c</script> so</p><script type="math/tex; mode=display">\\sum_i q</script>',
    'Is $a_b < c$ so\n\n$$\\sum_i q$$',
  )
  check(
    '<p>Q <mjx-container class="MathJax"><mjx-math><mjx-mi>q</mjx-mi></mjx-math><mjx-assistive-mml><math><mi>q</mi></math></mjx-assistive-mml></mjx-container> r</p>',
    'Q $q$ r',
  )
})

test('writes the description of a picture of a formula', () => {
  check(
    '<p>Is <img class="mwe-math-fallback-image-inline" src="/a.svg" alt="{\\displaystyle z^{2}}"> so</p>',
    'Is $z^{2}$ so',
  )
  check('<p>Is <img class="wide" src="/a.svg" alt="b"> so</p>', 'Is ![b](/a.svg) so')
})
