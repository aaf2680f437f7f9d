import { expect, test } from 'bun:test'
import { rustdocToMarkdown } from '../../../src/api/rust/rust-doc.ts'

test('labels examples with their language and removes hidden lines', () => {
  const text = ' ```\n # use a;\n ## shown\n #\n #[derive(A)]\n f();\n ```\n ```text\n # kept\n ```'
  expect(rustdocToMarkdown(text)).toBe(
    '```rust\n# shown\n#[derive(A)]\nf();\n```\n```text\n# kept\n```',
  )
  expect(rustdocToMarkdown('```rust,ignore (a note)\nx')).toBe('```rust\nx\n```')
})

test('keeps links to the web and unlinks items', () => {
  const text = [
    ' [`A`], [`B`](crate::B), [`C`][c], [d](struct.D.html), [web](https://x.dev/a), [`E`]: text',
    ' [the order][order] [it][guide]',
    '',
    ' [c]: crate::C',
    ' [guide]: https://x.dev',
  ].join('\n')
  expect(rustdocToMarkdown(text)).toBe(
    '`A`, `B`, `C`, d, [web](https://x.dev/a), [`E`]: text\nthe order [it][guide]\n\n[guide]: https://x.dev',
  )
})
