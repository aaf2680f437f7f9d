import { expect, test } from 'bun:test'
import { pdfOf } from '../support/pages/pdf.ts'
import type { FormatName } from '../../src/formats/formats.ts'
import {
  detectDocumentFormat,
  parseWebDocument,
  looksLikeHtml,
  acceptPages,
  type WebDocument,
} from '../../src/source/web-document.ts'

const kind = (type: string | null, text: string, path = '/a') =>
  detectDocumentFormat(type, Buffer.from(text), `https://x.org${path}`)

test('detects the format by the content type', () => {
  for (const [type, expected] of [
    ['text/html; charset=utf-8', 'html'],
    ['Application/XHTML+XML', 'html'],
    ['text/markdown', 'markdown'],
    ['text/x-markdown;v=1', 'markdown'],
    ['text/mdx', 'mdx'],
    ['text/x-rst', 'rst'],
    ['text/prs.fallenstein.rst', 'rst'],
    ['text/plain', 'text'],
    ['text/asciidoc', 'asciidoc'],
    ['application/x-ipynb+json', 'notebook'],
    ['application/json', null],
    ['image/png', null],
    ['text/css', null],
  ] as const)
    expect([type, kind(type, 'text')]).toEqual([type, expected])
})

test('detects the format by content and extension if the type is missing or generic', () => {
  for (const vague of [null, '', 'text/plain', 'application/octet-stream', 'binary/octet-stream']) {
    expect(kind(vague, '<!doctype html><p>')).toBe('html')
    expect(kind(vague, '# A', '/a.md')).toBe('markdown')
    expect(kind(vague, '# A', '/a.MDX?x.rst')).toBe('mdx')
    expect(kind(vague, 'A', '/a.rst')).toBe('rst')
    expect(kind(vague, 'A', '/a.txt')).toBe('text')
    expect(kind(vague, '= A', '/a.adoc')).toBe('asciidoc')
    expect(kind(vague, '{}', '/a.ipynb')).toBe('notebook')
    expect(kind(vague, 'A\0', '/a.md')).toBeNull()
    expect(kind(vague, 'A')).toBe(vague === 'text/plain' ? 'text' : null)
    expect(kind(vague, 'A', '/a.html')).toBe(vague === 'text/plain' ? 'text' : null)
  }
  expect(kind('application/json', '<html>')).toBeNull()
  expect(kind('application/json', '{}', '/a.ipynb')).toBe('notebook')
  expect(kind('application/json', '{}', '/a.md')).toBeNull()
})

test('accepts every format of page, and prefers Markdown, then HTML', () => {
  expect(acceptPages).toBe(
    'text/markdown, text/mdx;q=0.8, text/x-doxygen;q=0.8, text/x-rst;q=0.8, ' +
      'text/asciidoc;q=0.8, application/x-ipynb+json;q=0.8, text/html;q=0.9, ' +
      'application/xhtml+xml;q=0.9, text/x-r-doc;q=0.8, text/x-pod;q=0.8, text/org;q=0.8, ' +
      'text/plain;q=0.8',
  )
})

test('recognises HTML by its first tag', () => {
  const check = (text: string, expected: boolean) =>
    expect([text, looksLikeHtml(Buffer.from(text))]).toEqual([text, expected])
  for (const text of [
    '<!DOCTYPE html>',
    '\ufeff\n <html lang="de">',
    '<head>',
    '<body class="x">',
  ]) {
    check(text, true)
  }
  // The second text is the title of a page about that tag.
  for (const text of ['<header>', '# `<html>`', '> <body>', 'a <html>', '<p>', '']) {
    check(text, false)
  }
})

const document = (text: string | Uint8Array, more: Partial<WebDocument> = {}): WebDocument => ({
  url: 'https://x.org/a/',
  bytes: Buffer.from(text),
  kind: 'html',
  contentType: null,
  lastModified: null,
  ...more,
})

const parseOne = async (it: WebDocument, address: string) =>
  (await parseWebDocument(it, address))[0]!

test('stores a page under its own URL, with links relative to the URL it was read from', async () => {
  const text = '<h1>A</h1><p><a href="b">b</a>'
  expect(await parseOne(document(text), 'https://x.org/kept')).toMatchObject({
    url: 'https://x.org/kept',
    title: 'A',
    text: '# A\n\n[b](https://x.org/a/b)\n',
    lastModified: null,
  })
  const markdown = document('# A\n\n[b](b.md) [c](#d)\n', {
    kind: 'markdown',
    url: 'https://x.org/a/index.md',
  })
  expect((await parseOne(markdown, 'https://x.org/a/')).text).toBe(
    '# A\n\n[b](https://x.org/a/b.md) [c](https://x.org/a/#d)\n',
  )
})

test('derives the path from the URL, with the extension of the format', async () => {
  const pathOf = async (address: string, kind: FormatName) =>
    (await parseOne(document('<h1>A</h1>text', { kind }), address)).path
  expect(await pathOf('https://x.org/', 'html')).toBe('index.html')
  expect(await pathOf('https://x.org/a/', 'html')).toBe('a/index.html')
  expect(await pathOf('https://x.org/a/b.php', 'html')).toBe('a/b.html')
  expect(await pathOf('https://x.org/a.html', 'markdown')).toBe('a.md')
  expect(await pathOf('https://x.org/v1.2', 'rst')).toBe('v1.2.rst')
  expect(await pathOf('https://x.org/a%20b?c=%C3%A4', 'text')).toBe('a b?c=ä.txt')
  expect(await pathOf('https://x.org//a', 'html')).toBe('a.html')
})

test('decodes by the charset of the server or the page', async () => {
  const bytes = Buffer.from('<h1>\xc1</h1>', 'latin1')
  const said = document(bytes, { contentType: 'text/html; charset=koi8-r' })
  expect((await parseOne(said, 'https://x.org/a')).title).toBe('а')
})

const script = '<div id="root"></div><script src="/main.js"></script>'
const reason = 'its content is made by JavaScript, which og does not run'

test('rejects an empty or nearly empty page that needs scripts', async () => {
  for (const body of [script, `<p>Loading…</p>${script}`]) {
    const html = document(`<html><body>${body}</body></html>`)
    await expect(parseOne(html, 'https://x.org/a')).rejects.toThrow(reason)
  }
})

test('accepts a page with text, and a short one without scripts', async () => {
  const long = document(`<html><body><p>${'word '.repeat(60)}</p>${script}</body></html>`)
  expect((await parseOne(long, 'https://x.org/a')).text).toStartWith('word word')
  expect((await parseOne(document('<p>Short.'), 'https://x.org/a')).text).toBe('Short.\n')
  // Markdown that shows the HTML of such a page is accepted.
  const markdown = document(`\`${script}\``, { kind: 'markdown' })
  expect((await parseOne(markdown, 'https://x.org/a')).text).toContain('id="root"')
})

test('fails with a message that contains only the reason', async () => {
  const error = await parseOne(document('<nav>a</nav>'), 'https://x.org/a').catch(
    (thrown: Error) => thrown.message,
  )
  expect(error).toBe('HTML without content')
})

test('reads a file that is not text, with its parts under their own URLs', async () => {
  const bytes = pdfOf([[{ text: 'Heat the water', y: 50 }]])
  const pdf = document(bytes, { kind: 'pdf', contentType: 'application/pdf' })
  expect((await parseOne(pdf, 'https://x.org/tea')).text).toBe('Heat the water\n')
  const api = { openapi: '3.1.0', info: { title: 'Tea' }, paths: { '/cups': { get: {} } } }
  const json = document(JSON.stringify(api), { kind: 'openapi', url: 'https://x.org/openapi.json' })
  const pages = await parseWebDocument(json, 'https://x.org/openapi.json')
  expect(pages.map(({ url }) => url)).toEqual([
    'https://x.org/openapi.json',
    'https://x.org/openapi.json#GET%20/cups',
  ])
  await expect(parseOne(document('x', { kind: 'docx' }), 'https://x.org/a')).rejects.toThrow(
    /^it is not a ZIP archive/,
  )
})

test('detects a binary file by its type, or by its URL if the type is missing or generic', () => {
  expect(kind('application/pdf', 'A\0')).toBe('pdf')
  expect(kind('application/octet-stream', 'A\0', '/a.pdf?x')).toBe('pdf')
  expect(kind('application/epub+zip', 'A\0')).toBe('epub')
  expect(kind(null, 'A\0', '/a.docx')).toBe('docx')
  expect(kind('image/png', 'A\0', '/a.pdf')).toBeNull()
})
