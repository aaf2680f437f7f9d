import { expect, test } from 'bun:test'
import { readSite, pageSiteOf } from '../../src/sites/generators.ts'
import { parsePage } from '../../src/page/parse.ts'

const files: Record<string, string> = {
  'book/src/SUMMARY.md': `# Summary

[Preface](preface.md)
- [The \`Vec<T>\` type](ch01/vec.md)
  - [Draft chapter]()
`,
  'book/listings/main.rs': `use std::io;

fn main() {
    // ANCHOR: here
    let x = 5;
    // ANCHOR: inner
    # let hidden = 1;
    // ANCHOR_END: inner
    // ANCHOR_END: here
    #[allow(unused)]
    println!("{x}");
}
`,
  'book/src/ch01/part.md': 'Shared text.\n\n{{#include ../../listings/out.txt}}\n',
  'book/listings/out.txt': 'one\ntwo\nthree\nfour\n',
}

const read = async (path: string) => files[path] ?? null

async function shown(text: string): Promise<string> {
  const path = 'book/src/ch01/vec.md'
  const config = { path: 'book/book.toml', root: 'book', text: '[book]\ntitle = "x"\n' }
  const site = (await readSite({ generator: 'mdbook', ...config }, read))!
  const file = { bytes: Buffer.from(text), path, url: 'x:/vec', site: pageSiteOf(site, path) }
  return (await parsePage(file, { from: path, read })).text
}

test('reads pages and titles from SUMMARY.md in the folder of book.toml', async () => {
  const text = '[book]\n# src = "no"\nsrc = "./text"\n'
  const summary = async (path: string) => (path === 'text/SUMMARY.md' ? '* [A](a.md)' : null)
  const config = { generator: 'mdbook', path: 'book.toml', root: '', text } as const
  expect(await readSite(config, summary)).toMatchObject({
    folders: ['text'],
    pages: ['text/a.md'],
    titles: new Map([['text/a.md', 'A']]),
    files: ['book.toml', 'text/SUMMARY.md'],
  })
})

test('uses the title in SUMMARY.md instead of one derived from the path', async () => {
  const path = 'book/src/ch01/vec.md'
  const config = { generator: 'mdbook', path: 'book/book.toml', root: 'book', text: '' } as const
  const site = pageSiteOf((await readSite(config, read))!, path)
  const page = await parsePage({ bytes: Buffer.from('## A\n\n## B\n'), path, url: 'x:/', site })
  expect(page.title).toBe('The Vec<T> type')
})

test('includes a range of lines', async () => {
  const text = (range: string) => shown(`a\n\n{{#include ../../listings/out.txt${range}}}\n`)
  expect(await text(':2')).toBe('a\n\ntwo\n')
  expect(await text(':2:3')).toBe('a\n\ntwo\nthree\n')
  expect(await text('::2')).toBe('a\n\none\ntwo\n')
  expect(await text(':3:')).toBe('a\n\nthree\nfour\n')
})

test('includes an anchor without its markers or hidden Rust lines', async () => {
  const text = '```rust,ignore\n{{#rustdoc_include ../../listings/main.rs:here}}\n```\n'
  expect(await shown(text)).toBe('```rust\n    let x = 5;\n```\n')
})

test('shows a whole file with its Rust attributes but without hidden lines', async () => {
  expect(await shown('{{#playground ../../listings/main.rs editable}}\n')).toBe(
    '```rust\nuse std::io;\n\nfn main() {\n    let x = 5;\n    #[allow(unused)]\n' +
      '    println!("{x}");\n}\n```\n',
  )
})

test('expands the includes of an included page relative to that page', async () => {
  expect(await shown('{{#include part.md}}\n')).toBe('Shared text.\n\none\ntwo\nthree\nfour\n')
})

test('reports the file of an include that cannot be resolved', async () => {
  const text = '{{#include ../missing.rs:2}}\n\nSee {{#include gone.txt}}.\n'
  expect(await shown(text)).toBe(
    '(The source lacks the file ../missing.rs, which the site shows here.)\n\nSee (The file gone.txt lacks the part that the site shows here.).\n',
  )
})

test('keeps an escaped include as text', async () => {
  expect(await shown('```\n\\{{#include x.rs}}\n```\n')).toBe('```\n{{#include x.rs}}\n```\n')
})

test('shows the file name and the caption of a listing', async () => {
  const listing =
    '> <Listing number="2-1" file-name="src/main.rs" caption="A `main` function">\n>\n' +
    '> ```rust\n> x\n> ```\n>\n> </Listing>\n'
  const text = await shown(listing)
  expect(text).toStartWith('> Filename: src/main.rs\n> \n>\n> ```rust')
  expect(text).toContain('> Listing 2-1: A `main` function\n')
  expect(text).not.toContain('<')
})

test('fills in the parameters of a template', async () => {
  files['book/src/t.md'] = 'Version [[#version]] of [[#name the tool]].\n'
  expect(await shown('{{#template ../t.md version=1.2}}\n')).toBe('Version 1.2 of the tool.\n')
})

test('hides the identifiers of rules in the Rust Reference', async () => {
  expect(await shown('r[panic.intro]\nText [a].\n\n`r[b]`\n')).toBe('Text [a].\n\n`r[b]`\n')
})
