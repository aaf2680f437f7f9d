import { expect, test } from 'bun:test'
import {
  parseCargoLibrary,
  resolveRustModules,
  rustReferencedFiles,
} from '../../../src/api/link/rust-crate.ts'
import { outlineRust } from '../../../src/api/rust/rust.ts'

const link = (files: Record<string, string>, folder = '') => {
  const outlines = new Map(Object.entries(files).map(([path, text]) => [path, outlineRust(text)]))
  const crate = { name: 'lamp', manifest: null, folder, paths: new Set(outlines.keys()) }
  const modules = resolveRustModules(outlines, { ...crate, pathOf: (path) => `top/${path}` })
  const names = modules.flatMap(({ symbols }) =>
    symbols.flatMap(({ symbol, path }) => [
      `${symbol.qualifiedName} ${path}:${symbol.line}`,
      ...symbol.members.map((it) => it.qualifiedName),
    ]),
  )
  return { names, modules }
}

test('follows modules into files, and lists re-exports under the shortest name', () => {
  const { names, modules } = link({
    'src/lib.rs':
      'mod imp;\npub mod oil;\npub mod dark { pub fn out() {} }\npub use imp::{Lamp, deep::*};',
    'src/imp/mod.rs': 'pub mod deep;\npub struct Lamp;\npub struct Private;',
    'src/imp/deep.rs':
      'use super::Lamp;\nimpl Lamp { pub fn on(&self) {} fn off() {} }\npub enum Kind { A }',
    'src/oil.rs': '//! Oils.\npub use crate::Lamp as OilLamp;\n#[path = "x/y.rs"] pub mod other;',
    'src/x/y.rs':
      'impl Clone for crate::imp::deep::Kind {}\n#[macro_export] macro_rules! lit { () => {} }',
  })
  expect(names).toEqual([
    'lamp::Lamp top/src/imp/mod.rs:2',
    'lamp::Lamp::on',
    'lamp::Kind top/src/imp/deep.rs:3',
    'lamp::Kind::A',
    'lamp::lit top/src/x/y.rs:2',
    'lamp::dark::out top/src/lib.rs:3',
  ])
  const kind = modules[0]!.symbols.find(({ symbol }) => symbol.name === 'Kind')!
  expect(kind.symbol.documentation).toBe('Implements `Clone`.')
  expect(modules.find(({ name }) => name === 'lamp::oil')).toMatchObject({
    documentation: 'Oils.',
    aliases: [{ name: 'OilLamp', of: 'lamp::Lamp' }],
  })
})

test('lists re-exports of sibling crates, and shows a re-export of another crate as its use declaration', () => {
  const { names, modules } = link(
    {
      'lamp/src/lib.rs':
        'pub use lamp_core::de::*; pub use http::Method; pub use lamp_derive::Lit;',
      'lamp_core-1.0.2/src/lib.rs': 'pub mod de;',
      'lamp_core-1.0.2/src/de.rs': 'pub trait Read { fn read(&self); }',
      'lamp-derive/src/lib.rs': '#[proc_macro_derive(Lit)] pub fn derive_lit() {}',
    },
    'lamp/',
  )
  expect(names).toEqual([
    'lamp::Method top/lamp/src/lib.rs:1',
    'lamp::Read top/lamp_core-1.0.2/src/de.rs:1',
    'lamp::Read::read',
    'lamp::Lit top/lamp-derive/src/lib.rs:1',
  ])
  const [method] = modules[0]!.symbols
  expect(method!.symbol.signature).toBe('pub use http::Method')
})

test('shows a public module whose name a function has too', () => {
  const { names } = link({
    'src/lib.rs': 'pub mod serve;\npub use self::serve::serve;',
    'src/serve.rs': 'pub fn serve() {}\npub struct Serve;',
  })
  expect(names).toEqual(['lamp::serve top/src/serve.rs:1', 'lamp::serve::Serve top/src/serve.rs:2'])
})

test('shows a public module whose name an exported macro has too', () => {
  const { names } = link({
    'src/lib.rs': 'mod macros;\npub mod span;\npub mod lit;\npub fn lit() {}',
    'src/macros.rs': '#[macro_export]\nmacro_rules! span { () => {} }',
    'src/span.rs': 'pub struct Id;',
    'src/lit.rs': 'pub struct Flame;',
  })
  expect(names).toEqual([
    'lamp::span top/src/macros.rs:2',
    'lamp::lit top/src/lib.rs:4',
    'lamp::span::Id top/src/span.rs:1',
    'lamp::lit::Flame top/src/lit.rs:1',
  ])
})

test('reads the name and the root file from Cargo.toml', () => {
  const manifest = '[package]\nname = "my-lamp"\n[lib]\npath = "lib/a.rs"\n[[bin]]\nname = "x"\n'
  expect(parseCargoLibrary({ name: 'z', manifest })).toEqual({ name: 'my_lamp', path: 'lib/a.rs' })
  expect(parseCargoLibrary({ name: 'z-y', manifest: null })).toEqual({
    name: 'z_y',
    path: 'src/lib.rs',
  })
})

test('lists only files that a module refers to', () => {
  const paths = new Set(['src/lib.rs', 'src/a.rs', 'src/b/mod.rs', 'src/c/d.rs', 'src/unused.rs'])
  const outline = outlineRust('mod a; cfg_x! { pub mod b; } mod c { mod d; mod missing; }')
  const crate = { name: 'lamp', manifest: null, folder: '', paths }
  expect(rustReferencedFiles('src/lib.rs', outline, crate)).toEqual([
    'src/a.rs',
    'src/b/mod.rs',
    'src/c/d.rs',
  ])
})

test('terminates if modules or names refer to each other', () => {
  const { names } = link({
    'src/lib.rs': 'pub mod a; pub mod b; pub use self::x; pub use a::*;',
    'src/a.rs': 'pub use super::b::*; pub use self::c as d; use crate::a as e; pub use e::f;',
    'src/b.rs': 'pub use crate::a::*; pub fn g() {}',
  })
  expect(names).toEqual(['lamp::g top/src/b.rs:1'])
})

test('follows the content of a macro that another file declares', () => {
  const { names } = link({
    'src/lib.rs': '#[macro_use] mod root;\nroot!();',
    'src/root.rs': 'macro_rules! root { () => { pub mod de; pub use crate::de::Read; }; }',
    'src/de.rs': 'pub trait Read {}\npub fn read() {}',
  })
  expect(names).toEqual(['lamp::Read top/src/de.rs:1', 'lamp::de::read top/src/de.rs:2'])
})

test('lists names of other crates that the crate passes on as missing', () => {
  const { modules } = link({
    'src/lib.rs':
      'pub mod style { pub use anstyle::*; }\npub use std::fmt::*;\npub use oil::Lost;\nmod oil;',
    'src/oil.rs': '',
  })
  const missing = modules.flatMap(({ unresolved }) => unresolved)
  expect(missing.map(({ name, reason, from }) => `${name} ${reason} ${from}`)).toEqual([
    'lamp::Lost undeclared top/src/oil.rs',
    'lamp::* dependency rust:std',
    'lamp::style::* dependency crates:anstyle',
  ])
})

test('lists exported macros and re-exported items of hidden modules', () => {
  const { names } = link({
    'src/lib.rs':
      '#[doc(hidden)] pub mod macros;\npub use macros::Lamp;\n#[cfg(test)] pub mod tests;',
    'src/macros.rs':
      'pub struct Lamp;\npub struct Wick;\n#[macro_export] macro_rules! lit { () => {} }',
    'src/tests.rs': '#[macro_export] macro_rules! unseen { () => {} }',
  })
  expect(names).toEqual(['lamp::Lamp top/src/macros.rs:1', 'lamp::lit top/src/macros.rs:3'])
})
