import { expect, test } from 'bun:test'
import { outlineRust } from '../../../src/api/rust/rust.ts'

const used = (text: string) =>
  outlineRust(text).references.map(
    ({ name, module, original, isPassedOn }) =>
      `${isPassedOn ? 'pub ' : ''}${name} = ${module} ${original}`,
  )

test('reads nested use declarations', () => {
  expect(used('pub use self::a::{B, c as d, e::*, self, f::{g, H}};')).toEqual([
    'pub B = self.a B',
    'pub d = self.a c',
    'pub * = self.a.e *',
    'pub a = self.a null',
    'pub g = self.a.f g',
    'pub H = self.a.f H',
  ])
  expect(used('use a; pub use b as c; pub(crate) use d::E; pub use f::*; use ::g::h;')).toEqual([
    'a = a null',
    'pub c = self b',
    'E = d E',
    'pub * = f *',
    'h = g h',
  ])
})
