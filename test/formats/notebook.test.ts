import { expect, test } from 'bun:test'
import { OgError } from '../../src/platform/error.ts'
import { parsePage } from '../../src/page/parse.ts'

function page(notebook: unknown) {
  const source = typeof notebook === 'string' ? notebook : JSON.stringify(notebook)
  return parsePage({ bytes: new TextEncoder().encode(source), path: 'my-book.ipynb', url: 'u' })
}

const check = async (notebook: unknown, text: string) =>
  expect((await page(notebook)).text).toBe(text)
const refused = (notebook: unknown) => expect(page(notebook)).rejects.toThrow(OgError)

const code = (source: string, outputs: unknown[] = []) => ({ cell_type: 'code', source, outputs })
const prose = (source: string | string[]) => ({ cell_type: 'markdown', source })

test("converts cells in order, with code in the kernel's language", async () => {
  await check(
    {
      metadata: { kernelspec: { language: 'R' } },
      cells: [prose(['# Title\n', 'text']), code('x <- 1\n'), code('  '), prose('more')],
    },
    '# Title\ntext\n\n```r\nx <- 1\n```\n\nmore\n',
  )
  await check({ cells: [code('a')] }, '```python\na\n```\n')
  await check(
    { metadata: { language_info: { name: 'julia' } }, cells: [code('a')] },
    '```julia\na\n```\n',
  )
})

test('makes a fence longer than any inside it', async () => {
  await check({ cells: [code('"""\n````\n"""')] }, '`````python\n"""\n````\n"""\n`````\n')
})

test('keeps text outputs, replaces pictures with a placeholder, and removes other markup', async () => {
  const image = {
    output_type: 'display_data',
    data: { 'image/png': 'iVBOR', 'text/plain': '<Figure>' },
  }
  const frame = {
    output_type: 'execute_result',
    data: { 'text/html': '<p>', 'text/plain': ['a\n', 'b'] },
  }
  const widget = { data: { 'application/vnd.jupyter.widget-view+json': {}, 'text/plain': 'no' } }
  const error = { output_type: 'error', ename: 'ValueError', evalue: 'bad', traceback: ['no'] }
  await check(
    { cells: [code('x', [image, frame, widget, error])] },
    '```python\nx\n```\n\n*Output: a picture*\n\n```text\na\nb\n```\n\n```text\nValueError: bad\n```\n',
  )
  const shown = {
    output_type: 'display_data',
    data: { 'text/html': '<b>x</b>', 'text/plain': '<IPython.core.display.HTML object>' },
  }
  await check({ cells: [code('x', [shown])] }, '```python\nx\n```\n')
})

test('converts an HTML table, such as a DataFrame, to a Markdown table', async () => {
  const html = [
    '<div><style scoped>.a { b }</style>\n<table border="1">\n<thead><tr><th></th><th>a</th></tr></thead>',
    '<tbody><tr><th>0</th><td>1</td></tr></tbody></table>\n<p>1 rows × 1 columns</p></div>',
  ]
  const frame = { output_type: 'execute_result', data: { 'text/html': html, 'text/plain': 'no' } }
  await check(
    { cells: [code('x', [frame])] },
    '```python\nx\n```\n\n|  | a |\n|---|---|\n| 0 | 1 |\n',
  )
})

test('writes outputs as a terminal displays them, truncated at a limit', async () => {
  const stream = (text: string) => ({ output_type: 'stream', text })
  await check(
    { cells: [code('x', [stream('1%\r50%\r100%\n\u001b[31mred\u001b[0m\r\n')])] },
    '```python\nx\n```\n\n```text\n100%\nred\n```\n',
  )
  await check({ cells: [code('x', [stream('iVBORw0KGgo'.repeat(40))])] }, '```python\nx\n```\n')
  const { text: long } = await page({ cells: [code('x', [stream('word '.repeat(1000))])] })
  expect(long.length).toBeLessThan(2100)
  expect(long).toContain('word …\n```')
})

test('converts nbformat 3', async () => {
  await check(
    {
      nbformat: 3,
      worksheets: [
        {
          cells: [
            { cell_type: 'heading', level: 2, source: 'Two' },
            {
              cell_type: 'code',
              language: 'python',
              input: ['a = 1'],
              outputs: [
                { output_type: 'pyout', text: ['1'] },
                { output_type: 'pyout', png: 'iV', text: 'no' },
              ],
            },
          ],
        },
      ],
    },
    '## Two\n\n```python\na = 1\n```\n\n```text\n1\n```\n\n*Output: a picture*\n',
  )
})

test('reads the title from the metadata, the first raw cell, a heading or the file name', async () => {
  expect((await page({ metadata: { title: 'Meta' }, cells: [prose('# Head')] })).title).toBe('Meta')
  const raw = { cell_type: 'raw', source: '---\ntitle: Raw\n---' }
  expect(await page({ cells: [raw, prose('# Head')] })).toMatchObject({
    title: 'Raw',
    text: '\n# Head\n',
  })
  expect((await page({ cells: [prose('# Head')] })).title).toBe('Head')
  expect((await page({ cells: [prose('text')] })).title).toBe('My Book')
})

test('replaces characters that JSON allows but a page does not', async () => {
  await check({ cells: [prose('a\u0000b\r\nc\ud800')] }, 'a\ufffdb\nc\ufffd\n')
})

test('rejects files that are not notebooks', async () => {
  await refused('not json')
  await refused('')
  await refused('[1]')
  await refused('null')
  await refused({ cells: [] })
  await refused({ cells: [null, 3, { cell_type: 'markdown', source: 7 }] })
  await refused('{"cells":'.concat('['.repeat(100_000)))
})

test('W-25: detects the language of any kernel, of a cell, and of a magic', async () => {
  const check1 = async (metadata: unknown, cell: object, language: string) =>
    check({ metadata, cells: [{ ...code('a'), ...cell }] }, `\`\`\`${language}\na\n\`\`\`\n`)
  await check1({ kernelspec: { name: 'ir' } }, {}, 'r')
  await check1({ kernelspec: { name: 'julia-1.9' } }, {}, 'julia')
  await check1({ kernelspec: { name: 'xcpp17' } }, {}, 'cpp')
  await check1({ kernelspec: { name: 'python3' } }, {}, 'python')
  await check1(
    { kernelspec: { name: '.net-csharp' } },
    { metadata: { polyglot_notebook: { kernelName: 'fsharp' } } },
    'fsharp',
  )
  await check1({}, { metadata: { vscode: { languageId: 'rust' } } }, 'rust')
  await check({ cells: [code('%%bash\nls')] }, '```bash\n%%bash\nls\n```\n')
})

test('converts text cells of any Markdown dialect', async () => {
  const cells = [
    { cell_type: 'markdown', source: '```{tip}\na\n```\n' },
    { cell_type: 'markdown', source: 'b' },
  ]
  await check({ cells }, '**Tip**\t\n\na\n\t\n\nb\n')
})
