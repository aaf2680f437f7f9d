import { expect, test } from 'bun:test'
import type { FormatName } from '../../src/formats/formats.ts'
import { expandIncludes, includeCandidates } from '../../src/references/include.ts'

type Files = Record<string, string>

/** Expands the includes of a page, by default `docs/en/docs/a/page.md`. */
async function check(
  text: string,
  files: Files,
  expected: string,
  as: { from?: string; dialect?: FormatName } = {},
): Promise<void> {
  const { from = 'docs/en/docs/a/page.md', dialect = 'markdown' } = as
  const asked: string[] = []
  const read = async (path: string) => {
    asked.push(path)
    return files[path] ?? null
  }
  expect(await expandIncludes(text, { files: { from, read }, dialect })).toBe(expected)
  const readFirst = async (lists: readonly string[][]) => {
    const paths = new Set(lists.flat())
    return Promise.all([...paths].map(async (path) => [path, await read(path)] as const))
  }
  const ahead = { from, read: () => Promise.reject(new Error('not read ahead')), readFirst }
  expect(await expandIncludes(text, { files: ahead, dialect })).toBe(expected)
  for (const path of asked) expect(path).not.toMatch(/(?:^|\/)\.\.(?:\/|$)|^\//)
}

test("W-25: resolves a path against the page's folder and each folder above it", async () => {
  const include = '{* ../../src/x.py *}'
  const expected = '```python\n1\n```'
  await check(include, { 'src/x.py': '1\n' }, expected)
  await check(include, { 'docs/en/src/x.py': '1\n', 'src/x.py': '2\n' }, expected)
  await check('--8<-- "part.md"', { 'docs/en/docs/a/part.md': 'A', 'part.md': 'B' }, 'A')
  await check('--8<-- "/x/part.md"', { 'docs/x/part.md': 'A' }, 'A')
})

test('resolves a bundler alias by the name of its folder', async () => {
  await check('<!--@include: @parts/a.md-->', { 'docs/_parts/a.md': 'A' }, 'A')
  await check('<!--@include: @parts/a.md-->', { 'docs/en/parts/a.md': 'B' }, 'B')
})

test('keeps unresolvable includes as written, and reads no file above the root', async () => {
  for (const line of [
    '{* ../../src/gone.py *}',
    '--8<-- "../../../../../../etc/passwd"',
    '{! /etc/passwd !}',
    '<<< ../../../../../../../x.js',
    '--8<-- "https://example.org/x.md"',
    '--8<-- "a\\b"',
    '--8<-- "."',
    '{* *}',
    '<<<',
    '.. include:: <isonum.txt>',
    '```{include}\n```',
  ])
    await check(`a\n\n${line}\n\nb`, { 'etc/x': '' }, `a\n\n${line}\n\nb`)
})

test('resolves nested includes relative to the included file, and never in a cycle', async () => {
  const files = {
    'docs/part.md': '--8<-- "sub/deep.md"\nend',
    'docs/sub/deep.md': 'deep',
    'x.md': 'x\n--8<-- "y.md"',
    'y.md': 'y\n--8<-- "x.md"',
    'self.md': 'me\n--8<-- "self.md"',
  }
  await check('--8<-- "docs/part.md"', files, 'deep\nend')
  await check('--8<-- "x.md"', files, 'x\ny\n--8<-- "x.md"')
  await check('--8<-- "self.md"', files, 'me\n--8<-- "self.md"')
})

test('limits how much nested includes let a page grow', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 9 }, (_, i) => [`${i}.md`, `--8<-- "${i + 1}.md"\n`.repeat(20)]),
  )
  const read = async (path: string) => files[path] ?? (path === '9.md' ? 'x'.repeat(1e5) : null)
  const text = await expandIncludes('--8<-- "0.md"', {
    files: { from: 'page.md', read },
    dialect: 'markdown',
  })
  expect(text.length).toBeLessThan(6 * 2 ** 20)
})

test('lists the candidates of every include, without nested ones', async () => {
  const text = '{* ../x.py *}\n\n--8<--\na.md\nb.md\n--8<--\n'
  expect(await includeCandidates(text, { from: 'docs/p.md', dialect: 'markdown' })).toEqual([
    ['x.py'],
    ['docs/a.md', 'a.md'],
    ['docs/b.md', 'b.md'],
  ])
  expect(await includeCandidates('--8<-- "x"', { from: 'docs/p.txt', dialect: 'text' })).toEqual([])
})
