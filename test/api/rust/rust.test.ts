import { expect, test } from 'bun:test'
import { outlineRust } from '../../../src/api/rust/rust.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

const text = `//! Lights a room.
#![deny(missing_docs)]
use std::fmt;

/// A lamp, see [\`Wick\`] and [the wick](crate::Wick).
///
/// # Examples
///
/// \`\`\`no_run
/// # use lamp::Lamp;
/// let lamp = Lamp::new(1);
/// \`\`\`
#[derive(Clone, Debug)]
#[deprecated(since = "1.2", note = "use a \\"torch\\"")]
pub struct Lamp<'a, T = u8> where T: Copy {
    /// Its light.
    pub light: &'a T, // in lumen
    oil: u8,
}
pub struct Mm(pub u32, String) where u8: Copy;
impl<'a, T> Lamp<'a, T> {
    /// Makes one.
    pub const fn new(mut light: &'a T, #[cfg(x)] more: u8) -> Self where T: Ord { todo!() }
    fn hidden(&self) {}
    cfg_oil! {
        /// Fills it.
        #[cfg(feature = "oil")]
        pub fn fill(&mut self) -> Result<(), Error> { Ok(()) }
    }
    pub const MOST: u8 = 3;
}
impl<T> fmt::Display for Lamp<'_, T> { fn fmt(&self) {} }
impl<T> !Send for Lamp<'_, T> {}
/** Burns.
 * Twice.
 */
pub unsafe trait Burn: Clone + 'static {
    type Smoke<'a>: Copy where Self: 'a;
    /// Once.
    fn burn(&self) -> Self::Smoke<'_>;
}
pub enum State { /// No light.
    Off, On(u8, String), Dim {
        /// In percent.
        level: u8,
    } = 3 }
#[macro_export]
macro_rules! lamp { ($a:expr) => { 1 }; () => { 2 } }
macro_rules! private { () => {} }
pub static NAME: &str = "lamp";
pub(crate) type Short = u8;
#[doc(hidden)]
pub fn internal() {}
#[cfg(test)]
mod tests { pub fn t() {} }
extern "C" { pub fn c_light(level: u8) -> u8; }
#[proc_macro_derive(Lit, attributes(lit))]
pub fn derive_lit(input: TokenStream) -> TokenStream { input }
pub mod oil { //! Oils.
    pub fn burn() {} }
mod wick;
`

test('reads public and private items with their documentation', () => {
  const { documentation, symbols, exported } = outlineRust(text)
  expect(documentation).toBe('Lights a room.')
  expect(symbols.map((it) => [it.kind, it.signature])).toEqual([
    ['class', "pub struct Lamp<'a, T = u8> where T: Copy"],
    ['class', 'pub struct Mm(pub u32, _) where u8: Copy'],
    ['interface', "pub unsafe trait Burn: Clone + 'static"],
    ['enum', 'pub enum State'],
    ['macro', 'macro_rules! lamp {\n    ($a:expr) => { … };\n    () => { … };\n}'],
    ['value', 'pub static NAME: &str = "lamp"'],
    ['type', 'pub(crate) type Short = u8'],
    ['function', 'pub fn c_light(level: u8) -> u8'],
    ['macro', '#[derive(Lit)]'],
  ])
  const names = ['Lamp', 'Mm', 'Burn', 'State', 'lamp', 'NAME', 'c_light', 'Lit', 'oil']
  expect(exported!.map(({ name }) => name)).toEqual(names)
  expect(symbols[0]).toMatchObject({
    line: 15,
    deprecated: 'since 1.2: use a "torch"',
    documentation:
      'A lamp, see `Wick` and the wick.\n\n# Examples\n\n' +
      '```rust\nlet lamp = Lamp::new(1);\n```',
    bases: ['Clone', 'Debug'],
    members: [{ name: 'light', signature: "light: &'a T", documentation: 'Its light.' }],
  })
  expect(symbols[2]!.documentation).toBe('Burns.\nTwice.')
})

test('names raw identifiers without their prefix', () => {
  const code = 'pub fn r#gen() {}\npub struct S { pub r#type: u8 }\npub enum E { r#Try }'
  const { symbols, exported } = outlineRust(code)
  expect(symbols.flatMap((it) => [it, ...it.members].map(({ name }) => name))).toEqual([
    ...['gen', 'S', 'type', 'E', 'Try'],
  ])
  expect(symbols[0]!.signature).toBe('pub fn r#gen()')
  expect(exported!.map(({ name }) => name)).toEqual(['gen', 'S', 'E'])
})

test('reads members of traits, enums and impl blocks', () => {
  const { symbols, implementations } = outlineRust(text)
  const [, , burn, state] = symbols
  expect(burn!.members.map((it) => [it.kind, it.signature])).toEqual([
    ['type', "type Smoke<'a>: Copy where Self: 'a"],
    ['method', "fn burn(&self) -> Self::Smoke<'_>"],
  ])
  expect(state!.members.map((it) => [it.signature, it.documentation])).toEqual([
    ['Off', 'No light.'],
    ['On(u8, String)', ''],
    ['Dim { level: u8 }', '- `level: u8`: In percent.'],
  ])
  expect(implementations!.map(({ type, trait }) => [type, trait])).toEqual([
    ['Lamp', null],
    ['Lamp', 'fmt.Display'],
  ])
  expect(implementations![0]!.members.map((it) => [it.signature, it.documentation])).toEqual([
    ["pub const fn new(mut light: &'a T, more: u8) -> Self where T: Ord", 'Makes one.'],
    ['pub fn fill(&mut self) -> Result<(), Error>', 'Fills it.\n\nNeeds the feature `oil`.'],
    ['pub const MOST: u8 = 3', ''],
  ])
})

test('reads modules except those for tests', () => {
  const { modules } = outlineRust(text)
  expect(modules!.map(({ name, outline }) => [name, outline?.documentation])).toEqual([
    ['oil', 'Oils.'],
    ['wick', undefined],
  ])
})

test('reads every branch of cfg_if, and documentation that depends on a feature', () => {
  const { symbols } = outlineRust(`
cfg_if::cfg_if! { if #[cfg(unix)] { pub fn unix() {} } else { pub fn other() {} } }
/// Text.
#[cfg_attr(feature = "x", doc = "\`\`\`")]
#[cfg_attr(not(feature = "x"), doc = "\`\`\`ignore")]
/// code
/// \`\`\`
pub fn shown() {}
const _: () = { #[macro_export] macro_rules! inner { () => {} } };
`)
  expect(symbols.map(({ name }) => name)).toEqual(['unix', 'other', 'shown', 'inner'])
  expect(symbols[2]!.documentation).toBe('Text.\n```rust\ncode\n```')
})

test('expands a macro without parameters where it is called', () => {
  const { symbols, references } = outlineRust(`
macro_rules! root { () => { pub use core::A; pub fn made() {} root!(); }; }
root!();
root!();
`)
  expect(symbols.map(({ name, line }) => [name, line])).toEqual([['made', 2]])
  expect(references.map(({ name }) => name)).toEqual(['A'])
})

test('parses deep and broken input in bounded time', () => {
  const deep = 'mod a {'.repeat(5000) + 'pub fn f() {}'
  const macros = 'cfg_x! { pub '.repeat(3000)
  const start = usedCpuMs()
  for (const one of [deep, macros, 'use '.concat('a::{'.repeat(50_000)), '#['.repeat(50_000)]) {
    expect(outlineRust(one).exported).toBeArray()
  }
  expect(usedCpuMs() - start).toBeLessThan(15_000)
})
