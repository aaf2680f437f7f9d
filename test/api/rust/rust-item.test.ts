import { expect, test } from 'bun:test'
import { outlineRust } from '../../../src/api/rust/rust.ts'
import { includeMark } from '../../../src/api/rust/rust-include.ts'
import { docLines, featureNote, rustString } from '../../../src/api/rust/rust-item.ts'

test('reads string literals of attributes', () => {
  expect(rustString('"a \\"b\\"\\n"')).toBe('a "b"\n')
  expect(rustString('r#"a "b""#')).toBe('a "b"')
  expect(rustString('include_str!("../README.md")')).toBe('')
  expect(rustString('include_str!("a.md")')).toBe(includeMark('a.md'))
})

test('reads doc comments by their opening marker', () => {
  expect(docLines('/// text', /^\/\/\//)).toEqual([' text'])
  expect(docLines('/** a\n * b\n */', /^\/\*\*/)).toEqual([' a', ' b', ' '])
  expect(docLines('// text', /^\/\/\//)).toEqual([])
})

test('lists the features that an item needs', () => {
  expect(featureNote(['cfg(feature = "net")'])).toBe('Needs the feature `net`.')
  expect(featureNote(['cfg_attr(docsrs, doc(cfg(any(feature = "a", feature = "b"))))'])).toBe(
    'Needs the feature `a` or `b`.',
  )
  expect(featureNote(['cfg(not(feature = "a"))', 'derive(Debug)'])).toBe('')
})

test('expands a macro of the same file whose arguments are names', () => {
  const outline = outlineRust(`
macro_rules! route {
    ($name:ident, GET) => {
        route!(
            /// Routes \`GET\`.
            $name,
            GET
        );
    };
    ($name:ident, $method:ident) => {
        route!(
            #[doc = concat!("Routes \`", stringify!($method), "\`.")]
            $name,
            $method
        );
    };
    ($(#[$m:meta])+ $name:ident, $method:ident) => {
        $(#[$m])+
        pub fn $name(self, light: u8) -> Self { self.on(Filter::$method) }
    };
}
route!(get, GET);
route!(post, POST);
pub struct Router;
impl Router {
    route!(head, HEAD);
}
route!(not + names, GET);
`)
  expect(outline.symbols.map((it) => [it.name, it.signature, it.documentation, it.line])).toEqual([
    ['get', 'pub fn get(self, light: u8) -> Self', 'Routes `GET`.', 22],
    ['post', 'pub fn post(self, light: u8) -> Self', 'Routes `POST`.', 23],
    ['Router', 'pub struct Router', '', 24],
  ])
  expect(outline.implementations![0]!.members.map((it) => it.name)).toEqual(['head'])
})

test('bounds the expansion of a macro that calls itself', () => {
  const calls = 'again!(a);\n'.repeat(50)
  const text = `macro_rules! again { ($name:ident) => { ${calls} pub fn $name() {} }; }\nagain!(a);`
  expect(outlineRust(text).symbols.length).toBeLessThan(3000)
})
