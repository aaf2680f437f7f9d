import { expect, test } from 'bun:test'
import { expandMacroRules, parseMacroRule } from '../../../src/api/rust/macro-rules.ts'

function expand(rules: readonly string[], call: string, steps = 100_000) {
  const parsed = rules.map((source) => {
    const at = source.indexOf(' ==> ')
    const pattern = { from: 0, to: at }
    return parseMacroRule(source, { pattern, body: { from: at + 5, to: source.length } })!
  })
  const budget = { steps, characters: 100_000 }
  return expandMacroRules(parsed, { source: call, from: 0, to: call.length }, budget)
}

const check = (rule: string, call: string, expected: string | null) =>
  expect(expand([rule], call)?.text.replace(/\s+/g, ' ') ?? null).toBe(expected)

test('repeats a body for each group of arguments, with separators and documentation', () => {
  const rule =
    '$( $(#[$docs:meta])* ($n:expr, $name:ident); )+ ==> ' +
    'impl Code { $( $(#[$docs])* pub const $name: Code = Code($n); )+ } enum E { $($name),* }'
  check(
    rule,
    '/// Lit.\n#[inline]\n(1 + f(2, 3), ON);\n(0x2, OFF);',
    'impl Code { #[doc = r###"Lit."###] #[inline] pub const ON: Code = Code(1 + f(2, 3)); ' +
      'pub const OFF: Code = Code(0x2); } enum E { ON, OFF }',
  )
  check(rule, '(1, 2);', null)
  check('$($a:ident => $b:expr);* $(;)? ==> $($a: $b;)*', 'a => f(x); b => y;', 'a: f(x); b: y;')
  check('$($name:ident),* $(,)? ==> $(fn $name() {})*', 'a, b,', 'fn a() {} fn b() {}')
})

test('takes the first mark after a group as its repetition', () => {
  check('$a:ident $([$b:ident])* + $c:ident ==> $a|$($b),*|$c', 'a [b] [c] + d', 'a|b, c|d')
  check('$($a:ident)+ * ==> $($a),+', 'a b *', 'a, b')
})

test('matches specifiers as the compiler does', () => {
  check(
    '$v:vis $n:ident: $t:ty ==> $v fn $n() -> $t;',
    'pub(crate) a: Map<u8, Vec<T>>',
    'pub(crate) fn a() -> Map<u8, Vec<T>>;',
  )
  check('$v:vis $n:ident ==> $v fn $n();', 'a', ' fn a();')
  check('$a:literal $b:lifetime $c:block ==> $a|$b|$c', "-1 'x {y}", "-1|'x|{ y }")
  check(
    '$($i:item)* ==> $(#[x] $i)*',
    'use a::{b}; const fn f() {} struct S;',
    '#[x] use a::{ b }; #[x] const fn f() {} #[x] struct S;',
  )
  check('$p:path ==> $crate::$p', 'a::b<c>', 'crate::a::b<c>')
  check('@one $n:ident ==> $n', '@two a', null)
  check('$n:literal ==> $n', 'name', null)
})

test('uses the first rule that matches, and marks the source of each argument', () => {
  const code = expand(
    ['$n:ident ==> mod $n {}', '$n:ident, $($m:ident),* ==> $(fn $m() {})*'],
    'a, b, c',
  )!
  expect(code.text).toBe('fn b() {}\nfn c() {}')
  expect(code.marks.map(({ at, source }) => [code.text[at], source])).toEqual([
    ['b', 3],
    ['c', 6],
  ])
})

test('stops at a limit, and refuses brackets that are not balanced', () => {
  expect(expand(['$($a:tt)* ==> $($a)*'], 'x '.repeat(1000), 500)).toBe(null)
  expect(expand(['$($a:tt)* ==> $($a $a $a $a $a)*'], 'x '.repeat(60_000), 1e9)).toBe(null)
  expect(expand(['$a:tt ==> $a'], '(]')).toBe(null)
  expect(parseMacroRule('( => x', { pattern: { from: 0, to: 1 }, body: { from: 5, to: 6 } })).toBe(
    null,
  )
})
