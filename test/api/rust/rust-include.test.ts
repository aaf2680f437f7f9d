import { expect, test } from 'bun:test'
import { includeMark, includeRustTexts } from '../../../src/api/rust/rust-include.ts'
import { outlineRust } from '../../../src/api/rust/rust.ts'

test('fills in the texts that doc attributes include', () => {
  const outline = outlineRust(`
#![doc = include_str!("../docs/lib.md")]
/// Routes.
#[doc = include_str!("../docs/route.md")]
pub fn route() {}
pub struct Router;
impl Router {
    #[doc = include_str!("gone.md")]
    pub fn merge(self) {}
}
pub mod inner { #![doc = include_str!("inner.md")] }
`)
  const texts: Record<string, string> = {
    '../docs/lib.md': 'A [`Router`](crate::Router).\n',
    '../docs/route.md': '# Example\n\n```\n# use x;\nroute();\n```\n',
    'inner.md': 'Inside.',
  }
  const asked: string[] = []
  const whole = includeRustTexts(outline, (path) => {
    asked.push(path)
    return texts[path] ?? null
  })
  expect(whole.documentation).toBe('A `Router`.')
  expect(whole.symbols[0]!.documentation).toBe('Routes.\n# Example\n\n```rust\nroute();\n```')
  expect(whole.implementations![0]!.members[0]!.documentation).toBe('')
  expect(whole.modules![0]!.outline!.documentation).toBe('Inside.')
  expect(asked.sort()).toEqual(['../docs/lib.md', '../docs/route.md', 'gone.md', 'inner.md'])
})

test('omits a README, which is a page of its own', () => {
  expect(includeMark('../README.md')).toBe('')
})
