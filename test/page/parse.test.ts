import { expect, test } from 'bun:test'
import { OgError } from '../../src/platform/error.ts'
import { formatOf, formats, pageExtensions } from '../../src/formats/formats.ts'
import { parsePage } from '../../src/page/parse.ts'
import type { Page } from '../../src/page/page.ts'

function parsed(path: string, source: string | Uint8Array): Promise<Page> {
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source
  return parsePage({ bytes, path, url: `https://example.org/${path}` })
}

async function check(
  path: string,
  source: string | Uint8Array,
  expected: Partial<Page>,
): Promise<void> {
  expect(await parsed(path, source)).toMatchObject(expected)
}

function refused(path: string, source: string | Uint8Array, reason: string): Promise<void> {
  const error = new OgError(`Cannot read page "${path}": ${reason}`)
  return expect(parsed(path, source)).rejects.toThrow(error) as unknown as Promise<void>
}

const bytes = (...values: number[]) => new Uint8Array(values)

test('parses files of every extension, also in upper case', async () => {
  const sources: Record<string, string> = {
    '.ipynb': '{"cells":[{"cell_type":"markdown","source":"# A"}]}',
    '.html': '<h1>A</h1>',
    '.htm': '<h1>A</h1>',
    '.rst': 'A\n=\n\nAB\n==\n',
    '.rd': '\\name{a}\\title{A}\\description{B}',
    '.pod': '=head1 A\n',
    '.pm': '=head1 A\n',
    '.txt': 'text',
    '.json': '{"openapi": "3.0.0"}',
    '.yaml': 'swagger: "2.0"\n',
    '.yml': 'openapi: 3.1.0\n',
  }
  for (const extension of pageExtensions) {
    if (formats[formatOf(`a${extension}`, '')!].parseBytes) continue
    if (formats[formatOf(`a${extension}`, '')!] === formats.docbook)
      sources[extension] = '<set>a</set>'
    if (/^\.(?:\d|man|mdoc)$/.test(extension)) sources[extension] = '.TH A 1\n.SH NAME\na\n'
    expect(
      (await parsed(`a${extension.toUpperCase()}`, sources[extension] ?? '# A')).text,
    ).not.toBe('')
  }
  await refused('a.png', 'x', 'not a page by extension')
  await refused('docs.md/file', 'x', 'not a page by extension')
})

test('keeps the url, path and date of a page', async () => {
  const file = { bytes: bytes(0x61), path: 'a.md', url: 'u', lastModified: '2024-01-02' }
  expect(await parsePage(file)).toEqual({
    url: 'u',
    path: 'a.md',
    title: 'A',
    description: '',
    text: 'a',
    markup: 'markdown',
    lastModified: '2024-01-02',
  })
  await check('a.md', 'a', { lastModified: null })
})

test('changes only line endings, byte order mark and front matter', async () => {
  await check('a.md', '\ufeffa\r\nb\rc\n\n  \n', { text: 'a\nb\nc\n\n  \n' })
  await check('a.md', '---\r\ntitle: T\r\n---\r\n\r\n# A \t\n', { title: 'T', text: '\n# A \t\n' })
  const odd = 'a <X a={1}/>\n\n.. code-block:: x\n\n   {y}\n\n\u2028\u00a0\u{1f600}\f\v'
  for (const path of ['a.md', 'a.txt']) await check(path, odd, { text: odd })
  await check('a.md', '', { text: '', title: 'A' })
})

test('decodes UTF-8 and UTF-16, and rejects bytes without an encoding', async () => {
  await check('a.md', bytes(0xff, 0xfe, 0x41, 0, 0xac, 0x20), { text: 'A€' })
  await check('a.md', bytes(0xfe, 0xff, 0, 0x41, 0x20, 0xac), { text: 'A€' })
  await refused('a.md', bytes(0x61, 0xff), 'text in an unknown encoding')
  await refused('a.md', bytes(0xed, 0xa0, 0x80), 'text in an unknown encoding')
  await refused('a.md', bytes(0xff, 0xfe, 0, 0xd8), 'not UTF-16LE text')
  await refused('a.md', bytes(0x61, 0, 0x62), 'binary, not text')
  await refused('a.md', bytes(0xff, 0xfe, 0, 0), 'not UTF-16LE text')
})

test('W-27: reads the title from the page, or from its path if it has none', async () => {
  await check('docs/x.md', '---\ntitle: Front\n---\n# Head\n', { title: 'Front' })
  await check('docs/x.md', '## Two\n\n# The `head` { #h }\n', { title: 'The head' })
  await check('docs/x.md', 'Head\n====\n', { title: 'Head' })
  await check('docs/x.md', '<h1 align="center">Head</h1>\n', { title: 'Head' })
  await check('docs/x.rst', '.. _x:\n\n====\nHead\n====\n\nTwo\n---\n', { title: 'Head' })
  await check('docs/query-params_str.md', 'text', { title: 'Query Params Str' })
  await check('docs/useEffect.md', 'text', { title: 'useEffect' })
  await check('docs/path-params/index.md', 'text', { title: 'Path Params' })
  await check('docs/README.md', 'text', { title: 'Docs' })
  await check('index.md', 'text', { title: 'Index' })
})

test('reads the exported title of MDX', async () => {
  await check('x.mdx', 'export const title = "A"\n\ntext', { title: 'A' })
  const meta = 'export const meta = {\n  title: "B",\n  description: `C`,\n}\n\ntext\n'
  await check('x.mdx', meta, { title: 'B', description: 'C', text: '\ntext\n' })
  await check('x.md', 'export const title = "A"\n', { title: 'X' })
})

test('reads the description from front matter, or else from the first prose', async () => {
  await check('x.md', '---\ndescription: Said.\n---\n# A\n\nProse of it.\n', {
    description: 'Said.',
  })
  const before =
    'import X from "x"\n\n# A\n\n[![b](c)](d)\n\n<X/>\n\n```\nno prose\n```\n\n- a list\n\n'
  await check(
    'x.mdx',
    `${before}| a b |\n|---|\n\nSome *prose* with \`code\`,\nsee [it](x).\n\nNo more.`,
    { description: 'Some prose with code, see it.' },
  )
  await check(
    'x.rst',
    'A\n===\n\n.. note:: no\n   prose\n\n:field: no\n\nProse of ``x``::\n\n  code\n',
    { description: 'Prose of x:' },
  )
  await check('x.md', '# A\n', { description: '' })
  const { description: long } = await parsed('x.md', 'word '.repeat(100))
  expect(long).toBe(`${'word '.repeat(38)}word…`)
})

test('parses a .txt file that looks like rst as rst', async () => {
  await check('x.txt', 'Title\n=====\n\n.. default-domain:: x\n\ntext', {
    text: '# Title\n\ntext\n',
    title: 'Title',
  })
  await check('x.txt', 'Title\n=====\n\nTwo\n---\n', { text: '# Title\n\n## Two\n' })
  await check('x.txt', 'Just words.\n\n# no heading\n', { markup: 'text', title: 'X' })
})

test('parses a .md page with components for notes or tabs as MDX', async () => {
  const text = async (source: string) =>
    (await parsePage({ bytes: new TextEncoder().encode(source), path: 'a.md', url: 'u' })).text
  expect(await text('<Tip warning={true}>\n\na\n\n</Tip>\n')).toStartWith('**Tip**\t\n')
  expect(
    await text('<hfoptions id="a">\n<hfoption id="b">\n\nc\n\n</hfoption>\n</hfoptions>\n'),
  ).toContain('b:\t\n')
  for (const same of [
    'Say `<Tip>`.\n',
    '<Tip>\n\na\n',
    '{b}\n\n```mdx\n<Tip>\n\na\n\n</Tip>\n```\n',
  ]) {
    expect(await text(same)).toBe(same)
  }
})

test('shows the description of a page that has no text', async () => {
  const file = { path: 'a/_index.md', url: 'x:/a' }
  const bytes = Buffer.from('---\ntitle: A\ndescription: All of it.\n---\n')
  expect((await parsePage({ ...file, bytes })).text).toBe('All of it.\n')
})

test('removes soft hyphens and invisible joints from words', async () => {
  await check('a.md', 'con\u00adfig ze\u200bro \u0e01\u200b\u0e01\n', {
    text: 'config zero \u0e01\u200b\u0e01\n',
  })
})
