import { expect, test } from 'bun:test'
import { podInline } from '../../src/formats/pod.ts'

function check(source: string, expected: string): void {
  expect(podInline(source).markdown).toBe(expected)
}

test('converts formatting codes to Markdown', () => {
  check('B<bold> I<it> C<$a> F<a/b> S<a b>X<index>Z<>', '**bold** *it* `$a` `a/b` a b')
  check('C<< $a->b >> C<<< a << b >> >>> I<a B<b>>', '`$a->b` `a << b >>` *a **b***')
  check('E<lt>E<gt>E<sol>E<verbar>E<eacute>E<0x263A>E<233>', '<>/|é☺é')
})

test('shows links as perldoc does', () => {
  check('L<Foo::Bar> L<Foo/new> L</"A b"> L<"c">', '`Foo::Bar` “new” in `Foo` “A b” “c”')
  check(
    'L<the C<x> docs|Foo/x> L<https://x.y/> L<here|https://x.y/>',
    'the `x` docs <https://x.y/> [here](https://x.y/)',
  )
})

test('keeps text that is no formatting code', () => {
  check('$a->b > c A<b> 1 << 2 *x* <p>', '$a->b > c A\\<b> 1 << 2 \\*x\\* \\<p>')
  check('$h{A}<3', '$h{A}<3')
})
