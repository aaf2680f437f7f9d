import { expect, test } from 'bun:test'
import { OgError } from '../../src/platform/error.ts'
import { parsePage } from '../../src/page/parse.ts'

function page(notebook: unknown) {
  const source = typeof notebook === 'string' ? notebook : JSON.stringify(notebook)
  return parsePage({ bytes: new TextEncoder().encode(source), path: 'my-book.ipynb', url: 'u' })
}

const check = (notebook: unknown, text: string) => expect(page(notebook).text).toBe(text)
const refused = (notebook: unknown) => expect(() => page(notebook)).toThrow(OgError)

const code = (source: string, outputs: unknown[] = []) => ({ cell_type: 'code', source, outputs })
const prose = (source: string | string[]) => ({ cell_type: 'markdown', source })

test('cells in order, code fenced in the language of the kernel', () => {
  check({
    metadata: { kernelspec: { language: 'R' } },
    cells: [prose(['# Title\n', 'text']), code('x <- 1\n'), code('  '), prose('more')],
  }, '# Title\ntext\n\n```r\nx <- 1\n```\n\nmore\n')
  check({ cells: [code('a')] }, '```python\na\n```\n')
  check({ metadata: { language_info: { name: 'julia' } }, cells: [code('a')] }, '```julia\na\n```\n')
})

test('a fence is longer than any inside it', () => {
  check({ cells: [code('"""\n````\n"""')] }, '`````python\n"""\n````\n"""\n`````\n')
})

test('outputs: text is kept, pictures and markup are not', () => {
  const image = { output_type: 'display_data', data: { 'image/png': 'iVBOR', 'text/plain': '<Figure>' } }
  const frame = { output_type: 'execute_result', data: { 'text/html': '<p>', 'text/plain': ['a\n', 'b'] } }
  const widget = { data: { 'application/vnd.jupyter.widget-view+json': {}, 'text/plain': 'no' } }
  const error = { output_type: 'error', ename: 'ValueError', evalue: 'bad', traceback: ['no'] }
  check({ cells: [code('x', [image, frame, widget, error])] },
    '```python\nx\n```\n\n```text\na\nb\n```\n\n```text\nValueError: bad\n```\n')
})

test('outputs as a terminal shows them, trimmed', () => {
  const stream = (text: string) => ({ output_type: 'stream', text })
  check({ cells: [code('x', [stream('1%\r50%\r100%\n\u001b[31mred\u001b[0m\r\n')])] },
    '```python\nx\n```\n\n```text\n100%\nred\n```\n')
  check({ cells: [code('x', [stream('iVBORw0KGgo'.repeat(40))])] }, '```python\nx\n```\n')
  const long = page({ cells: [code('x', [stream('word '.repeat(1000))])] }).text
  expect(long.length).toBeLessThan(2100)
  expect(long).toContain('word …\n```')
})

test('nbformat 3', () => {
  check({
    nbformat: 3,
    worksheets: [{ cells: [
      { cell_type: 'heading', level: 2, source: 'Two' },
      { cell_type: 'code', language: 'python', input: ['a = 1'],
        outputs: [{ output_type: 'pyout', text: ['1'] }, { output_type: 'pyout', png: 'iV', text: 'no' }] },
    ] }],
  }, '## Two\n\n```python\na = 1\n```\n\n```text\n1\n```\n')
})

test('the title is in the metadata, in a first raw cell, in a heading, in the name', () => {
  expect(page({ metadata: { title: 'Meta' }, cells: [prose('# Head')] }).title).toBe('Meta')
  const raw = { cell_type: 'raw', source: '---\ntitle: Raw\n---' }
  expect(page({ cells: [raw, prose('# Head')] })).toMatchObject({ title: 'Raw', text: '\n# Head\n' })
  expect(page({ cells: [prose('# Head')] }).title).toBe('Head')
  expect(page({ cells: [prose('text')] }).title).toBe('My Book')
})

test('what JSON can hold and a page cannot', () => {
  check({ cells: [prose('a\u0000b\r\nc\ud800')] }, 'a\ufffdb\nc\ufffd\n')
})

test('files that are no notebooks', () => {
  refused('not json')
  refused('')
  refused('[1]')
  refused('null')
  refused({ cells: [] })
  refused({ cells: [null, 3, { cell_type: 'markdown', source: 7 }] })
  refused('{"cells":'.concat('['.repeat(100_000)))
})
