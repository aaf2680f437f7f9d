import { expect, test } from 'bun:test'
import { missingMacros } from '../../../src/api/link/rust-macros.ts'
import { resolveRustModules } from '../../../src/api/link/rust-crate.ts'
import { outlineRust } from '../../../src/api/rust/rust.ts'

/** The public names of a crate whose files are parsed again with the macros of other files. */
function namesOf(files: Record<string, string>): string[] {
  const outlines = new Map(Object.entries(files).map(([path, text]) => [path, outlineRust(text)]))
  const added = missingMacros(outlines)
  for (const [path, text] of added) outlines.set(path, outlineRust(files[path] + text))
  const crate = { name: 'lamp', manifest: null, folder: '', paths: new Set(outlines.keys()) }
  const modules = resolveRustModules(outlines, { ...crate, pathOf: (path) => path })
  const symbols = modules.flatMap((it) => it.symbols)
  return symbols.flatMap(({ symbol, path }) =>
    [symbol, ...symbol.members].map((it) => `${it.qualifiedName} ${path}:${it.line}`),
  )
}

test('expands macros of another file, and of a neighbouring crate under another name', () => {
  const names = namesOf({
    'src/lib.rs':
      '#[macro_use] mod macros;\npub mod lamp;\npub use lamp::Lamp;\n' +
      'use lamp_core::__error as error;\n' +
      'error! {\n    /// No oil.\n    pub struct Empty;\n}\n',
    'src/macros.rs': 'macro_rules! accessors { () => { pub fn inner(&self) -> &u8 { &self.0 } }; }',
    'src/lamp.rs': 'pub struct Lamp(u8);\nimpl Lamp {\n    accessors!();\n}\n',
    'lamp_core/src/lib.rs':
      '#[doc(hidden)]\n#[macro_export]\nmacro_rules! __error {\n' +
      '($(#[$m:meta])* pub struct $name:ident;) => { $(#[$m])* pub struct $name; impl $name { pub fn text(&self) -> String {} } } }',
  })
  expect(names).toEqual([
    'lamp::Empty src/lib.rs:7',
    'lamp::Empty::text src/lib.rs:5',
    'lamp::Lamp src/lamp.rs:1',
    'lamp::Lamp::inner src/lamp.rs:3',
  ])
})

test('does not parse a file again for macros that only pass on their arguments', () => {
  const outlines = new Map(
    Object.entries({
      'src/lib.rs': 'cfg_net! { pub fn connect() {} }\nunknown! { a }',
      'src/macros.rs': 'macro_rules! cfg_net { ($($item:item)*) => { $(#[cfg(x)] $item)* } }',
    }).map(([path, text]) => [path, outlineRust(text)]),
  )
  expect([...missingMacros(outlines)]).toEqual([])
})
